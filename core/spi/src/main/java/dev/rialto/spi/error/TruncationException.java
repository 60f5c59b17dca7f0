package dev.rialto.spi.error;

import org.jspecify.annotations.Nullable;

/**
 * A message is longer than the buffer that was to receive it. The buffer is unchanged if the
 * communicator declares {@link dev.rialto.spi.Capability#INTACT_TRUNCATION}; else what it holds is
 * undefined.
 */
public final class TruncationException extends CommunicationException {
  private static final long serialVersionUID = 1L;

  /**
   * Describes the failure; see {@link RialtoException}.
   *
   * @param what what failed, with the values that matter
   * @param where the rank, device or stream
   * @param remedy what the reader can do about it
   * @param cause the failure behind this one
   */
  public TruncationException(String what, String where, String remedy, @Nullable Throwable cause) {
    super(what, where, remedy, cause);
  }
}
