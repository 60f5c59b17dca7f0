package dev.rialto.array;

import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.runtime.Resource;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The exchange that fills an array's halo; made when it is first needed. */
final class HaloUpdates {
  private final Halo.@Nullable Stencil stencil;
  private @Nullable Exchange exchange;

  /** A device's memory, while the exchange uses it. */
  private @Nullable Resource lent;

  private boolean underWay;

  HaloUpdates(Halo.@Nullable Stencil stencil) {
    this.stencil = stencil;
  }

  void start(Array array, Held held) {
    if (underWay) {
      throw new IllegalStateException(
          "the halo of " + array + " is under way already; await it first");
    }
    Exchange made = exchange;
    if (made == null) {
      Halo.Stencil layers = stencil();
      Team team = array.team();
      Grid grid = (Grid) held.distribution;
      ExchangePlan plan = Halo.stencil(grid, layers, team.communicator().rank());
      made = team.exchanger(array.client()).exchange(plan, array.type());
      exchange = made;
    }
    MemorySegment memory = held.memory();
    if (array.isOnDevice()) {
      lent = array.client().resource(held.buffer(array), true);
      memory = lent.segment();
    }
    try {
      made.start(memory, memory);
      underWay = true;
    } finally {
      if (!underWay) {
        takeBack();
      }
    }
  }

  /** Ends the loan of a device's memory. */
  private void takeBack() {
    Resource memory = lent;
    lent = null;
    if (memory != null) {
      memory.close();
    }
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
    try {
      made.await();
    } finally {
      takeBack();
    }
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
