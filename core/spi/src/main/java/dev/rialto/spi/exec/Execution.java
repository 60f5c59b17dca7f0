package dev.rialto.spi.exec;

/** A task that an {@link Executor} was given. Thread-safe. */
public interface Execution {
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
