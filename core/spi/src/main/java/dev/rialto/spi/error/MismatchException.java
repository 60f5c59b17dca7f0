package dev.rialto.spi.error;

import org.jspecify.annotations.Nullable;

/**
 * Ranks disagree on a collective operation: another operation, root, count, type or operator. Each
 * rank that takes part gets it.
 */
public final class MismatchException extends CommunicationException {
  private static final long serialVersionUID = 1L;

  /**
   * Describes the failure; see {@link RialtoException}.
   *
   * @param what what failed, with the values that matter
   * @param where the rank, device or stream
   * @param remedy what the reader can do about it
   * @param cause the failure behind this one
   */
  public MismatchException(String what, String where, String remedy, @Nullable Throwable cause) {
    super(what, where, remedy, cause);
  }
}
