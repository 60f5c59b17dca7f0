package dev.rialto.array.part;

import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.exchange.tune.Tuned;
import dev.rialto.runtime.Resource;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The exchange that fills an array's halo, made when it is first needed, and its scheme. */
public final class HaloUpdates {
  private final Halo.@Nullable Stencil stencil;
  private @Nullable Exchange exchange;

  /** The chosen scheme; null for the engine's own choice. */
  private @Nullable Scheme scheme;

  /** A device's memory, while the exchange uses it. */
  private @Nullable Resource lent;

  private boolean underWay;
  private String name = "updating a halo";

  HaloUpdates(Halo.@Nullable Stencil stencil) {
    this.stencil = stencil;
  }

  public void start(Operand array) {
    array.team().enter(name);
    try {
      begin(array);
    } finally {
      array.team().exit();
    }
  }

  private void begin(Operand array) {
    if (underWay) {
      throw new IllegalStateException(
          "the halo of " + array + " is under way already; await it first");
    }
    Exchange made = exchange(array);
    MemorySegment memory = lend(array);
    try {
      made.start(memory, memory);
      underWay = true;
    } finally {
      if (!underWay) {
        takeBack();
      }
    }
  }

  private Exchange exchange(Operand array) {
    Exchange made = exchange;
    if (made == null) {
      Halo.Stencil layers = stencil();
      TeamContext team = array.team();
      Grid grid = (Grid) array.distribution();
      ExchangePlan plan = Halo.stencil(grid, layers, team.communicator().rank());
      // A team admits one thread at a time, so no array is closed while this works on it.
      made = team.exchanger(array.client()).exchange(plan, array.type()).keptByCaller();
      if (scheme != null) {
        made.scheme(scheme);
      }
      exchange = made;
      name = "updating the halo of " + array;
    }
    return made;
  }

  private MemorySegment lend(Operand array) {
    if (!array.isOnDevice()) {
      return array.memory();
    }
    Resource memory = array.client().resource(array.part().buffer(array), true);
    lent = memory;
    return memory.segment();
  }

  /** Returns the scheme that was chosen; empty for the engine's own choice. */
  public Optional<Scheme> scheme() {
    return Optional.ofNullable(scheme);
  }

  /**
   * Chooses a scheme, if all ranks choose the same; it is refused, if it cannot be used here,
   * before the next update. Collective.
   */
  public void scheme(Operand array, Scheme chosen) {
    array.team().agree("the halo of " + array + " by " + chosen);
    requireNone(array, "choosing a scheme for the halo");
    var _ = exchange(array).scheme(chosen);
    scheme = chosen;
  }

  /** Chooses another array's scheme, for as long as there is no exchange. */
  public void scheme(HaloUpdates like) {
    scheme = like.scheme;
  }

  /** Chooses the fastest scheme; the halo is updated on the way. Collective. */
  public Tuned tune(Operand array, Effort effort) {
    String tuning = "tuning the halo of " + array + ", " + effort;
    array.team().enter(tuning);
    try {
      array.team().agree(tuning);
      requireNone(array, "tuning the halo");
      return fastest(array, effort);
    } finally {
      array.team().exit();
    }
  }

  private Tuned fastest(Operand array, Effort effort) {
    Exchange made = exchange(array);
    MemorySegment memory = lend(array);
    try {
      Tuned tuned =
          array
              .team()
              .tuner(array.client())
              .effort(effort)
              .plan(made.plan(), array.type(), memory, memory);
      var _ = made.scheme(tuned.scheme(0));
      scheme = tuned.scheme(0);
      return tuned;
    } finally {
      takeBack();
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

  public void await(Operand array) {
    array.team().enter(name);
    try {
      Exchange made = exchange;
      if (made == null || !underWay) {
        throw new IllegalStateException("no halo of " + array + " is under way; start it first");
      }
      try {
        made.await();
      } finally {
        underWay = false;
        takeBack();
      }
    } finally {
      array.team().exit();
    }
  }

  /** Refuses something while the halo is under way. */
  public void requireNone(Operand array, String purpose) {
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
