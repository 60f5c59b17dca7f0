package dev.rialto.cpu;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;

/**
 * Threads that sleep until a stream has reached their position.
 *
 * <p>The stream compares one number after each operation and wakes exactly those whose position it
 * has reached; waking all of ten thousand threads after each of as many operations would take
 * minutes.
 */
final class Sleepers {
  private record Sleeper(Thread thread, long position) {}

  private final PriorityQueue<Sleeper> queue =
      new PriorityQueue<>(Comparator.comparingLong(Sleeper::position));

  /** The least position that is waited for; changed under the monitor of this. */
  private volatile long wanted = Long.MAX_VALUE;

  /** Sleeps until {@code isReached} holds for a position; interrupts are kept for later. */
  void sleep(long position, LongPredicate isReached) {
    synchronized (this) {
      queue.add(new Sleeper(Thread.currentThread(), position));
      wanted = queue.element().position();
    }
    // The stream counts first and looks at what is wanted then, so one of us sees the other.
    boolean interrupted = false;
    while (!isReached.test(position)) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Sleeps as {@link #sleep(long, LongPredicate)} does, but not longer than {@code nanos}.
   *
   * @return whether the position is reached
   */
  boolean sleep(long position, LongPredicate isReached, long nanos) throws InterruptedException {
    Sleeper self = new Sleeper(Thread.currentThread(), position);
    synchronized (this) {
      queue.add(self);
      wanted = queue.element().position();
    }
    long start = System.nanoTime();
    try {
      while (!isReached.test(position)) {
        long left = nanos - (System.nanoTime() - start);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        if (left <= 0) {
          return false;
        }
        LockSupport.parkNanos(this, left);
      }
      return true;
    } finally {
      synchronized (this) {
        queue.remove(self);
        wanted = queue.isEmpty() ? Long.MAX_VALUE : queue.element().position();
      }
    }
  }

  void wake(long reached) {
    if (reached >= wanted) {
      wakeAll(reached);
    }
  }

  private synchronized void wakeAll(long reached) {
    while (!queue.isEmpty() && queue.element().position() <= reached) {
      LockSupport.unpark(queue.remove().thread());
    }
    wanted = queue.isEmpty() ? Long.MAX_VALUE : queue.element().position();
  }
}
