package dev.rialto.array;

import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.kernel.HostKernels;
import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.LongLists;
import dev.rialto.exchange.plan.Redistribute;
import dev.rialto.exchange.plan.Region;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Moves the elements of an array to another of any shape and distribution, by an exchange.
 *
 * <p>An exchange made here is used once, so its exchanger goes with it. Elements in a halo's frame
 * are packed first and unpacked last.
 */
final class Movement {
  private Movement() {}

  static void move(
      Communicator comm,
      DType type,
      Distribution from,
      LocalPart fromPart,
      MemorySegment source,
      Distribution to,
      LocalPart toPart,
      MemorySegment target) {
    ExchangePlan plan =
        from.shape().equals(to.shape())
            ? Redistribute.plan(from, to, comm.rank())
            : common(from, to, comm.rank());
    try (Arena arena = Arena.ofShared();
        Exchanger exchanger = Exchanger.on(comm)) {
      MemorySegment packed = source;
      if (!fromPart.isDense()) {
        packed = arena.allocate(type.bytes(fromPart.count()), 64);
        pack(type, fromPart.region(), source, Region.contiguous(0, fromPart.count()), packed);
      }
      MemorySegment received =
          toPart.isDense() ? target : arena.allocate(type.bytes(toPart.count()), 64);
      exchanger.exchange(plan, type).run(packed, received);
      if (!toPart.isDense()) {
        pack(type, Region.contiguous(0, toPart.count()), received, toPart.region(), target);
      }
    }
  }

  private static void pack(
      DType type, Region from, MemorySegment source, Region to, MemorySegment target) {
    HostKernels.serial().move(type, from, to, false).run(source, target);
  }

  /** Plans to move the elements whose index lies in both shapes; they are listed one by one. */
  private static ExchangePlan common(Distribution from, Distribution to, int rank) {
    return ExchangePlan.of(
        "resize " + from.shape() + " to " + to.shape(),
        rank,
        from.ranks(),
        from.localCount(rank),
        to.localCount(rank),
        listed(from, to, rank),
        listed(to, from, rank),
        Combine.REPLACE);
  }

  private static List<Block> listed(Distribution mine, Distribution theirs, int rank) {
    LongLists places = new LongLists(mine.ranks());
    for (long element : mine.elements(rank)) {
      long other = renumbered(element, mine.shape(), theirs.shape());
      if (other >= 0) {
        places.add(theirs.owner(other), mine.local(element));
      }
    }
    List<Block> blocks = new ArrayList<>();
    for (int peer = 0; peer < mine.ranks(); peer++) {
      long[] list = places.get(peer);
      if (list.length > 0) {
        blocks.add(Block.of(peer, Region.indices(list)));
      }
    }
    return blocks;
  }

  /** Returns the number, in another shape, of the element at the same index; -1 if outside. */
  private static long renumbered(long element, Shape shape, Shape other) {
    long rest = element;
    long number = 0;
    long stride = 1;
    for (int axis = shape.rank() - 1; axis >= 0; axis--) {
      long index = rest % shape.extent(axis);
      rest /= shape.extent(axis);
      if (index >= other.extent(axis)) {
        return -1;
      }
      number += index * stride;
      stride *= other.extent(axis);
    }
    return number;
  }
}
