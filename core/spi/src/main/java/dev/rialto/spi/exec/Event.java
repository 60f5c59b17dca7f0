package dev.rialto.spi.exec;

/** A point in a stream's work. Thread-safe; it needs no closing. */
public interface Event {
  /** Returns whether all work before this point has ended, well or not. */
  boolean isDone();

  /**
   * Waits for all work before this point.
   *
   * @throws dev.rialto.spi.error.DeviceException if an operation before it failed and nobody has
   *     been told yet
   */
  void await();
}
