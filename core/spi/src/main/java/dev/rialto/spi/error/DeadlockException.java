package dev.rialto.spi.error;

import org.jspecify.annotations.Nullable;

/**
 * All ranks wait for one another and none can go on. The message says who waits for whom, in which
 * operation.
 */
public final class DeadlockException extends CommunicationException {
  private static final long serialVersionUID = 1L;

  /**
   * Describes the failure; see {@link RialtoException}.
   *
   * @param what what failed, with the values that matter
   * @param where the rank, device or stream
   * @param remedy what the reader can do about it
   * @param cause the failure behind this one
   */
  public DeadlockException(String what, String where, String remedy, @Nullable Throwable cause) {
    super(what, where, remedy, cause);
  }
}
