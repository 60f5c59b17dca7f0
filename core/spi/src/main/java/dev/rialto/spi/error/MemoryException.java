package dev.rialto.spi.error;

import org.jspecify.annotations.Nullable;

/**
 * Memory could not be had, or was given back or used wrongly: out of space, freed twice, used after
 * it was closed, or owned by another space.
 */
public final class MemoryException extends RialtoException {
  private static final long serialVersionUID = 1L;

  /**
   * Describes the failure; see {@link RialtoException}.
   *
   * @param what what failed, with the values that matter
   * @param where the rank, device or stream
   * @param remedy what the reader can do about it
   * @param cause the failure behind this one
   */
  public MemoryException(String what, String where, String remedy, @Nullable Throwable cause) {
    super(what, where, remedy, cause);
  }
}
