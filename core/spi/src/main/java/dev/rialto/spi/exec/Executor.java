package dev.rialto.spi.exec;

/**
 * Runs loops and tasks on a fixed number of threads.
 *
 * <p>Thread-safe: loops of several threads run side by side. Loops and tasks may themselves start
 * loops and tasks on the same executor to any depth; that never deadlocks.
 */
public interface Executor extends AutoCloseable {
  /** Returns a name for messages. */
  String name();

  /** Returns how many threads can work at once, the caller of a loop included; at least 1. */
  int parallelism();

  /**
   * Runs {@code body} over the whole range and returns when all of it is done.
   *
   * <p>The range is cut into chunks of at most {@code grain} indices; each index is given to the
   * body exactly once; chunks run in any order, on any of the threads, the caller's among them.
   * Writes of chunks are visible to the caller afterwards. An empty range calls nothing.
   *
   * <p>If a chunk throws, chunks not yet begun are skipped, and once those running have ended, the
   * first exception is thrown here as it is, with those of other chunks suppressed in it.
   *
   * @param begin the first index
   * @param end one past the last index
   * @param grain the most indices of one chunk
   * @throws IllegalArgumentException if {@code begin > end}, {@code grain < 1} or the range has
   *     more than 2^63-1 indices
   * @throws IllegalStateException if this executor is closed
   */
  void parallelFor(long begin, long end, long grain, RangeBody body);

  /**
   * Runs a loop that can be cancelled: chunks not begun when it is are skipped.
   *
   * @throws java.util.concurrent.CancellationException if cancelled before all chunks were done;
   *     none is running then
   */
  void parallelFor(long begin, long end, long grain, Cancellation cancellation, RangeBody body);

  /** Runs a loop with a grain of this executor's choice. */
  default void parallelFor(long begin, long end, RangeBody body) {
    // A range that is too long has a negative count here, and is refused there.
    parallelFor(begin, end, Math.max(1, (end - begin) / (8L * parallelism())), body);
  }

  /**
   * Starts a task and returns at once.
   *
   * <p>A task's failure that no {@link Execution#await} has thrown by then is thrown by {@link
   * #close}.
   *
   * @throws IllegalStateException if this executor is closed
   */
  Execution execute(Runnable task);

  /**
   * Waits for all tasks, ends the threads, and throws the first unseen failure, with the others
   * suppressed in it. Closing again does nothing.
   *
   * @throws IllegalStateException if called from one of the executor's own threads
   */
  @Override
  void close();

  /** A task that an {@link Executor} was given. Thread-safe. */
  interface Execution {
    /** Returns whether the task has ended: normally, by an exception, or by being cancelled. */
    boolean isDone();

    /**
     * Waits for the task to end. Called from one of the executor's own threads it helps with other
     * work instead of blocking it. What the task threw is thrown here, the same object each time.
     *
     * @throws java.util.concurrent.CancellationException if it was cancelled before it began
     */
    void await();

    /**
     * Cancels the task if it has not begun.
     *
     * @return whether it will never run
     */
    boolean cancel();
  }

  /** The body of a parallel loop, called once per chunk of the range. */
  @FunctionalInterface
  interface RangeBody {
    /** Does the indices from {@code begin} (inclusive) to {@code end} (exclusive). */
    void run(long begin, long end);
  }
}
