package dev.rialto.spi.exec;

import org.jspecify.annotations.Nullable;

/**
 * Hears when operations of a {@link Timeline} end. Called by the stream itself, in order, so it
 * must be quick and must not wait for the stream.
 */
public interface StreamObserver {
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
   * Takes an operation that was skipped because one before it failed. Called, as {@link #ended} is
   * for the one that failed, before the stream counts it as reached.
   *
   * @param label what {@link Timeline#labelled} was given, or null
   * @param position the point after the operation
   * @param failure what the one before it threw
   */
  default void skipped(@Nullable Object label, long position, Throwable failure) {}
}
