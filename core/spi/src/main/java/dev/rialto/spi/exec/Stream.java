package dev.rialto.spi.exec;

/**
 * A queue of operations that run in order, without the caller waiting.
 *
 * <p>Thread-safe: operations run in the order in which the calls returned. An operation that fails
 * makes those after it on the stream be skipped until the failure has been raised, once, by {@link
 * #await} or an {@link Event}; then the stream is usable again.
 */
public interface Stream extends AutoCloseable {
  /** Returns a name for messages, such as {@code cuda:0/stream 3}. */
  String name();

  /**
   * Adds host code to the stream.
   *
   * @throws IllegalStateException if this stream is closed
   */
  void run(Runnable operation);

  /**
   * Marks the point after everything added so far.
   *
   * @throws IllegalStateException if this stream is closed
   */
  Event record();

  /**
   * Makes what is added from now on wait for {@code event}, of this or another stream of the same
   * backend. The caller does not wait. If the event's stream failed, so does this one.
   *
   * @throws IllegalArgumentException if the event is of another backend
   */
  void waitFor(Event event);

  /** Returns whether everything added so far has ended. */
  boolean isIdle();

  /**
   * Waits until everything added so far has ended.
   *
   * @throws dev.rialto.spi.error.DeviceException if an operation failed and this was not raised
   *     yet; its cause is what the operation threw
   */
  void await();

  /** Waits as {@link #await} does, and ends the stream. Closing again does nothing. */
  @Override
  void close();

  /** A point in a stream's work. Thread-safe; it needs no closing. */
  interface Event {
    /** Returns whether all work before this point has ended, well or not. */
    boolean isDone();

    /**
     * Waits for all work before this point.
     *
     * @throws dev.rialto.spi.error.DeviceException if an operation before it failed and this was
     *     not raised yet
     */
    void await();
  }
}
