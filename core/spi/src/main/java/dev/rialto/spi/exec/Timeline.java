package dev.rialto.spi.exec;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A stream whose operations are numbered, so that a point in its work is a number and not an
 * object.
 *
 * <p>Position {@code n} is the point after the first {@code n} operations; waits count as
 * operations. The thread that added an operation finds it before {@link #position}. Keeping two
 * numbers per buffer is enough to know what a later operation has to wait for, and asking costs a
 * read.
 */
public interface Timeline extends Stream {
  /** Returns the point after everything added so far, by any thread. */
  long position();

  /** Returns whether everything before {@code position} has ended, well or not. */
  boolean isReached(long position);

  /**
   * Waits until everything before {@code position} has ended, and raises nothing.
   *
   * @throws IllegalStateException if called by an operation of this stream for a point after itself
   */
  void awaitReached(long position);

  /**
   * Waits as {@link #awaitReached(long)} does, but not longer than {@code nanos} and not past an
   * interrupt.
   *
   * @return whether the position is reached
   * @throws InterruptedException if the calling thread is interrupted before or while it waits
   */
  default boolean awaitReached(long position, long nanos) throws InterruptedException {
    long start = System.nanoTime();
    long pause = 1_000;
    while (!isReached(position)) {
      long left = nanos - (System.nanoTime() - start);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      if (left <= 0) {
        return false;
      }
      LockSupport.parkNanos(this, Math.min(left, pause));
      pause = Math.min(2 * pause, 1_000_000);
    }
    return true;
  }

  /**
   * Raises a failure before {@code position}, which is reached, unless it was raised.
   *
   * @throws dev.rialto.spi.error.DeviceException as {@link #await} does
   */
  default void raise(long position) {
    await();
  }

  /**
   * Returns the label of the operation that runs or runs next, or null if there is none or it has
   * no label. For messages: by the time the caller looks at it, it may have ended.
   */
  default @Nullable Object pending() {
    return null;
  }

  /**
   * Makes what is added from now on wait until {@code other}, of this or another backend, has
   * reached {@code position}, whether its operations end well or not. The caller does not wait.
   */
  default void waitReached(Timeline other, long position) {
    run(() -> other.awaitReached(position));
  }

  /**
   * Makes what is added from now on wait until {@code other}, a timeline of the same backend, has
   * reached {@code position}. The caller does not wait. If the operation before that point failed
   * or was skipped, this stream fails with the same cause.
   *
   * @throws IllegalArgumentException if {@code other} is of another backend, or has not that many
   *     operations
   */
  void waitFor(Timeline other, long position);

  /**
   * Returns why the operation before {@code position} failed or was skipped, or null if it has not,
   * or not yet. The answer stays after the failure was raised, at least for the latest 16 failures.
   */
  @Nullable Throwable failureAt(long position);

  /**
   * Returns this stream under a label: what is added through the result is reported to the {@link
   * Observer} with it. The result is valid as long as this stream, and closing it does nothing.
   */
  Stream labelled(Object label);

  /** Sets who hears of this stream's operations from now on, in place of the one before. */
  void observe(Observer observer);

  /**
   * Hears when operations of a {@link Timeline} end. Called by the stream itself, in order, so it
   * must be quick and must not wait for the stream.
   */
  interface Observer {
    /** Returns whether times are wanted; asked when an operation is added and when it begins. */
    boolean isTiming();

    /**
     * Takes an operation that ended. Called for each one that failed by itself and, while {@link
     * #isTiming}, for all that ran. Times are on the clock of {@link System#nanoTime}, also for a
     * device that has a clock of its own; 0 where none was taken.
     *
     * @param label what {@link Timeline#labelled} was given, or null
     * @param position the point after the operation
     * @param added when it was added
     * @param began when the device began it
     * @param ended when the device ended it
     * @param failure what it threw, or null
     */
    void ended(
        @Nullable Object label,
        long position,
        long added,
        long began,
        long ended,
        @Nullable Throwable failure);

    /**
     * Takes an operation that was skipped because one before it failed. Called, as {@link #ended}
     * is for the one that failed, before the stream counts it as reached.
     *
     * @param label what {@link Timeline#labelled} was given, or null
     * @param position the point after the operation
     * @param failure what the one before it threw
     */
    default void skipped(@Nullable Object label, long position, Throwable failure) {}
  }
}
