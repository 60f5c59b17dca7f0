package dev.rialto.spi.error;

import org.jspecify.annotations.Nullable;

/** A kernel could not be compiled or loaded. */
public final class CompilationException extends RialtoException {
  private static final long serialVersionUID = 1L;

  /**
   * Describes the failure; see {@link RialtoException}.
   *
   * @param what what failed, with the values that matter
   * @param where the rank, device or stream
   * @param remedy what the reader can do about it
   * @param cause the failure behind this one
   */
  public CompilationException(String what, String where, String remedy, @Nullable Throwable cause) {
    super(what, where, remedy, cause);
  }
}
