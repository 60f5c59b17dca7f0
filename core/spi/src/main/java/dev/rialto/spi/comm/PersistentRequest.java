package dev.rialto.spi.comm;

/**
 * An operation that is described once and begun many times, with the same buffers.
 *
 * <p>It is made inactive. {@link #start} makes it active; it is inactive again once {@link #test}
 * has returned true or {@link #await} has returned. On an inactive request {@code test} is true and
 * {@code await} returns {@link Status#EMPTY} at once, or after a completed start its status.
 * Closing an active request waits for it, or cancels a receive.
 */
public interface PersistentRequest extends Request {
  /**
   * Begins the operation.
   *
   * @throws IllegalStateException if it is active or closed
   */
  void start();
}
