package dev.rialto.sparse.ownership;

import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.LongLists;
import dev.rialto.exchange.plan.Region;
import dev.rialto.spi.comm.Communicator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The plan that fills a halo, which lies behind what a rank owns, owner by owner. */
public final class HaloPlan {
  private HaloPlan() {}

  /**
   * Makes a plan. Collective.
   *
   * @param owned how many of the globals this rank owns, in front
   * @param owners the owner of each of the others
   */
  public static ExchangePlan of(
      Communicator comm, int owned, long[] globals, int[] owners, GlobalToLocal places) {
    LongLists wanted = new LongLists(comm.size());
    for (int i = 0; i < owners.length; i++) {
      wanted.add(owners[i], globals[owned + i]);
    }
    LongLists asked = wanted.exchange(comm);
    List<Block> sends = new ArrayList<>();
    List<Block> receives = new ArrayList<>();
    long at = owned;
    for (int peer = 0; peer < comm.size(); peer++) {
      long[] elements = asked.get(peer);
      Arrays.setAll(elements, i -> places.local(elements[i]));
      sends.add(Block.of(peer, Region.indices(elements)));
      int count = wanted.get(peer).length;
      receives.add(Block.of(peer, Region.contiguous(at, count)));
      at += count;
    }
    return ExchangePlan.of(
        "halo of " + owners.length + " indices",
        comm.rank(),
        comm.size(),
        owned,
        globals.length,
        sends,
        receives,
        Combine.REPLACE);
  }
}
