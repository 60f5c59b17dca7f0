package dev.rialto.cpu;

import org.jspecify.annotations.Nullable;

/** A thread that works on the loops of an executor. Used by that thread alone. */
final class Participant {
  /** Its seat: a worker's own in every loop, 0 for others in the loops that they call. */
  final int seat;

  /** The loop it took last: the most likely to be in its cache. */
  int lastLoop;

  private @Nullable Loop current;

  Participant(int seat) {
    this.seat = seat;
  }

  /** Returns the loop in one of whose chunks this thread is. */
  @Nullable Loop current() {
    return current;
  }

  /** Works on a loop that this thread called; returns whether there was anything to do. */
  boolean work(Loop loop) {
    return work(loop, seat);
  }

  /** Works on a loop that another thread called, in which seat 0 may be that caller's. */
  boolean workAsGuest(Loop loop) {
    return work(loop, seat > 0 ? seat : -1);
  }

  private boolean work(Loop loop, int seat) {
    Loop outer = current;
    current = loop;
    try {
      return loop.work(seat);
    } finally {
      current = outer;
    }
  }
}
