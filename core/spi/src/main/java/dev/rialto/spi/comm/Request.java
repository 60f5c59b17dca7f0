package dev.rialto.spi.comm;

import java.time.Duration;

/**
 * An operation that was begun and will complete.
 *
 * <p>Used by the rank that began it, by one thread at a time. Completion means that the operation's
 * buffers are the caller's again. Once complete, {@link #test} stays true and {@link #await}
 * returns the same status or throws the same failure again.
 */
public interface Request extends AutoCloseable {
  /**
   * Looks whether the operation is complete, without waiting, and lets the backend make progress.
   * Repeated calls suffice for completion.
   *
   * @return whether it is complete, also by failure or cancellation
   */
  boolean test();

  /**
   * Waits for completion.
   *
   * @return what was received; {@link Status#EMPTY} for anything but a receive
   * @throws dev.rialto.spi.error.CommunicationException if the operation failed
   */
  Status await();

  /**
   * Waits for completion, but not longer than {@code limit}.
   *
   * @throws dev.rialto.spi.error.TimeoutException if it is not complete by then; it is still
   *     pending, and can be awaited again or cancelled
   */
  Status await(Duration limit);

  /**
   * Tries to take a receive (or, where the backend can, a send) back that has not been matched.
   * Needs {@link dev.rialto.spi.Capability#CANCEL}.
   *
   * @return whether it was cancelled; then it is complete with {@link Status#CANCELLED}. If not, it
   *     completes as if nothing had been asked.
   */
  boolean cancel();

  /**
   * Gives the request back. A pending receive is cancelled; anything else that is pending is
   * awaited first. Closing again does nothing.
   */
  @Override
  void close();
}
