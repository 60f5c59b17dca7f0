package dev.rialto.spi.exec;

import org.jspecify.annotations.Nullable;

/**
 * A stream whose operations are numbered, so that a point in its work is a number and not an
 * object.
 *
 * <p>Position {@code n} is the point after the first {@code n} operations; waits count as
 * operations. Whoever added an operation finds it before {@link #position}. Keeping two numbers per
 * buffer is enough to know what a later operation has to wait for, and asking costs a read.
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
   * StreamObserver} with it. The result is valid as long as this stream, and closing it does
   * nothing.
   */
  Stream labelled(Object label);

  /** Sets who hears of this stream's operations from now on, in place of the one before. */
  void observe(StreamObserver observer);
}
