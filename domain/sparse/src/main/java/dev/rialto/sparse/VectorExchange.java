package dev.rialto.sparse;

import dev.rialto.exchange.Exchange;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The exchange of a vector that is under way, if any, and what may not be done meanwhile. */
final class VectorExchange {
  /** What is under way. */
  enum Flight {
    HALO("halo"),
    ADDED_HALO("added halo"),
    OVERLAP("overlap");

    private final String name;

    Flight(String name) {
      this.name = name;
    }

    /** Returns whether it changes elements that this rank owns. */
    private boolean changesOwned() {
      return this != HALO;
    }
  }

  private final VectorMemory where;
  private @Nullable Exchange flying;
  private Flight flight = Flight.HALO;
  private boolean lost;

  VectorExchange(VectorMemory where) {
    this.where = where;
  }

  void start(Flight what, Exchange exchange) {
    if (flying != null) {
      throw new IllegalStateException(
          "this vector's %s is under way already; await it first".formatted(flight.name));
    }
    requireAlive();
    MemorySegment memory = where.elements();
    MemorySegment halo = what == Flight.OVERLAP ? memory : where.halo();
    try {
      switch (what) {
        case HALO -> exchange.start(memory, halo);
        case ADDED_HALO -> exchange.start(halo, memory);
        case OVERLAP -> exchange.start(memory, memory);
      }
    } catch (RuntimeException | Error e) {
      lost = true;
      throw e;
    }
    flying = exchange;
    flight = what;
  }

  void await(Flight what) {
    Exchange exchange = flying;
    if (exchange == null || flight != what) {
      throw new IllegalStateException(
          "this vector's %s is not under way; start it first".formatted(what.name));
    }
    flying = null;
    try {
      if (where.home() != null) {
        exchange.awaitInStream();
      } else {
        exchange.await();
      }
    } catch (RuntimeException | Error e) {
      lost = true;
      throw e;
    }
  }

  /** Refuses a closed vector. */
  void requireAlive() {
    if (!where.isAlive()) {
      throw new IllegalStateException("this vector is closed");
    }
  }

  /** Refuses to have elements read that this rank owns, while an exchange changes them. */
  void requireReadable() {
    requireReadable(false);
    requireAlive();
  }

  /** Refuses to have an element read that an exchange changes, of the halo or an owned one. */
  void requireReadable(boolean ofHalo) {
    if (flying != null && (ofHalo || flight.changesOwned())) {
      throw underWay("reading");
    }
  }

  /** Refuses to have elements written during an exchange. */
  void requireWritable() {
    if (flying != null) {
      throw underWay("writing to");
    }
    requireAlive();
  }

  /**
   * Returns whether the memory is there to be given back: it is kept after an exchange that failed,
   * because messages under way may still use it.
   */
  boolean allowsClose() {
    if (flying != null) {
      throw underWay("closing");
    }
    return !lost && where.isAlive();
  }

  private IllegalStateException underWay(String call) {
    return new IllegalStateException(
        "this vector's %s is under way; await it before %s the vector"
            .formatted(flight.name, call));
  }
}
