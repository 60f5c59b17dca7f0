package dev.rialto.spi.parts;

import dev.rialto.spi.parts.CountedStream.Failures;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a stream: the last operation that its driver has, and the last one that ended.
 *
 * <p>Whether a position is reached is asked by one mark in the driver's queue, set when it is asked
 * for: a mark after every operation would cost as much as a launch. So "reached" may be told later
 * than it is true, when more was added before the question, and a stream that waits for this one
 * waits for everything that has gone to the driver. Nothing waits for what is added later, so no
 * wait is for ever.
 */
final class QueueProgress {
  /** The time for which a waiter asks without a pause, and the longest pause then. */
  private static final long SPIN_NANOS = 50_000;

  private static final long PAUSE_NANOS = 1_000_000;

  private static final long PAUSE_PART = 64;

  /** An operation between two clocks. */
  private record Timed(@Nullable Object label, long position, long added, long begin, long end) {}

  private final CountedStream stream;
  private final Failures failures;
  private final DriverQueue driver;
  private final ReentrantLock lock;
  private final Condition changed;

  // Guarded by the lock; the numbers are read without it.
  private final ArrayDeque<Timed> timed = new ArrayDeque<>();
  private long marker;
  private long markedPosition = -1;
  private volatile long submitted;
  private volatile long reached;

  /**
   * Starts before the first operation.
   *
   * @param lock the stream's, which guards what is written here
   */
  QueueProgress(CountedStream stream, DriverQueue driver, ReentrantLock lock) {
    this.stream = stream;
    this.failures = stream.failures;
    this.driver = driver;
    this.lock = lock;
    this.changed = lock.newCondition();
  }

  /** Returns the point up to which operations have gone to the driver, or have ended. */
  long submitted() {
    return submitted;
  }

  /** Sets that point. Called with the lock. */
  void submit(long position) {
    submitted = position;
  }

  /** Moves that point by one operation and tells waiters. Called with the lock. */
  void pass() {
    submit(submitted + 1);
    changed.signalAll();
  }

  /** Returns whether it is known that a position is reached, without asking the driver. */
  boolean isKnown(long position) {
    return reached >= position;
  }

  /** Adds work for the device between two clocks. Called with the lock. */
  void time(@Nullable Object label, long position, long added, Runnable work) {
    long begin = driver.clock();
    work.run();
    timed.add(new Timed(label, position, added, begin, driver.clock()));
  }

  /** Tells the observer that everything up to a point has ended, and then all waiters. */
  void reach(long position) {
    lock.lock();
    try {
      while (!timed.isEmpty() && timed.peek().position() <= position) {
        Timed operation = timed.remove();
        long began = Math.max(operation.added(), driver.nanos(operation.begin()));
        long ended = Math.max(began, driver.nanos(operation.end()));
        driver.dropClock(operation.begin());
        driver.dropClock(operation.end());
        stream.observer.ended(
            operation.label(), operation.position(), operation.added(), began, ended, null);
      }
      reached = Math.max(reached, position);
    } finally {
      lock.unlock();
    }
  }

  boolean isReached(long position) {
    if (reached >= position) {
      return true;
    }
    if (submitted < position) {
      return false;
    }
    lock.lock();
    try {
      driver.enter();
      if (markedPosition < position && markIsReached()) {
        long marked = submitted;
        try {
          marker = driver.mark(marker);
          markedPosition = marked;
        } catch (RuntimeException e) {
          failures.add(e, marked);
          reach(marked);
        }
      }
      return reached >= position || (markIsReached() && reached >= position);
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether there is no mark to wait for. Called with the lock. */
  private boolean markIsReached() {
    if (markedPosition <= reached) {
      return true;
    }
    try {
      if (!driver.isPassed(marker)) {
        return false;
      }
    } catch (RuntimeException e) {
      failures.add(e, markedPosition);
    }
    reach(markedPosition);
    return true;
  }

  void awaitReached(long position) {
    long mark;
    long marked;
    lock.lock();
    try {
      while (submitted < position) {
        changed.awaitUninterruptibly();
      }
      if (reached >= position) {
        return;
      }
      marked = submitted;
      driver.enter();
      mark = driver.mark(0);
    } catch (RuntimeException e) {
      failures.add(e, position);
      reach(position);
      return;
    } finally {
      lock.unlock();
    }
    RuntimeException failure = null;
    try {
      driver.awaitPassed(mark);
    } catch (RuntimeException e) {
      failure = e;
    }
    driver.dropMark(mark);
    lock.lock();
    try {
      if (failure != null) {
        failures.add(failure, marked);
      }
      reach(marked);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits as {@link DeviceStream#awaitReached(long, long)} says.
   *
   * <p>A driver's own waits cannot be interrupted, so the driver is asked again and again: at first
   * all the time, and then after a pause of a part of what was waited already, by which a wait may
   * be too long.
   */
  boolean awaitReached(long position, long nanos) throws InterruptedException {
    long start = System.nanoTime();
    if (!awaitSubmitted(position, nanos)) {
      return false;
    }
    while (!isReached(position)) {
      long waited = System.nanoTime() - start;
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      if (waited >= nanos) {
        return false;
      }
      if (waited < SPIN_NANOS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(
            stream, Math.min(nanos - waited, Math.min(waited / PAUSE_PART, PAUSE_NANOS)));
      }
    }
    return true;
  }

  private boolean awaitSubmitted(long position, long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (submitted < position && left > 0) {
        left = changed.awaitNanos(left);
      }
      return submitted >= position;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Sets a mark behind all that the driver has, for another stream to wait for. If the driver
   * throws, this stream has failed, too.
   */
  long markAll() {
    lock.lock();
    try {
      driver.enter();
      return driver.mark(0);
    } catch (RuntimeException e) {
      failures.add(e, submitted);
      throw e;
    } finally {
      lock.unlock();
    }
  }

  /** Gives back what this keeps of the driver's. Called with the lock, all being reached. */
  void close() {
    if (marker != 0) {
      driver.dropMark(marker);
    }
  }
}
