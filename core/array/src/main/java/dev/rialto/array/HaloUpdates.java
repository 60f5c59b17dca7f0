package dev.rialto.array;

import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The exchange that fills an array's halo; made when it is first needed. */
final class HaloUpdates {
  private final Halo.@Nullable Stencil stencil;
  private @Nullable Exchange exchange;
  private boolean underWay;

  HaloUpdates(Halo.@Nullable Stencil stencil) {
    this.stencil = stencil;
  }

  void start(Array array, Grid grid, MemorySegment memory) {
    if (underWay) {
      throw new IllegalStateException(
          "the halo of " + array + " is under way already; await it first");
    }
    Exchange made = exchange;
    if (made == null) {
      Halo.Stencil layers = stencil();
      Team team = array.team();
      ExchangePlan plan = Halo.stencil(grid, layers, team.communicator().rank());
      made = team.exchanger().exchange(plan, array.type());
      exchange = made;
    }
    made.start(memory, memory);
    underWay = true;
  }

  private Halo.Stencil stencil() {
    if (stencil == null) {
      throw new IllegalStateException("this array has no halo; make it in a space with one");
    }
    return stencil;
  }

  void await(Array array) {
    Exchange made = exchange;
    if (made == null || !underWay) {
      throw new IllegalStateException("no halo of " + array + " is under way; start it first");
    }
    underWay = false;
    made.await();
  }

  /** Refuses something while the halo is under way. */
  void requireNone(Array array, String purpose) {
    if (underWay) {
      throw new IllegalStateException(
          purpose + " of " + array + " while its halo is under way; await it first");
    }
  }

  /** Gives back what updates need; together with the other ranks, or not at all. */
  void close(boolean together) {
    Exchange made = exchange;
    exchange = null;
    if (made != null && together) {
      made.close();
    }
  }
}
