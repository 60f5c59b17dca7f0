package dev.rialto.spi.error;

import org.jspecify.annotations.Nullable;

/**
 * Something failed while Rialto was doing what it was rightly asked to do.
 *
 * <p>The message has three parts: what failed and with which sizes, where (rank, device or stream),
 * and what to do about it.
 */
public sealed class RialtoException extends RuntimeException
    permits BackendException,
        CommunicationException,
        CompilationException,
        DeviceException,
        MemoryException {
  private static final long serialVersionUID = 1L;

  private final String where;
  private final String remedy;

  /**
   * Describes a failure.
   *
   * @param what what failed, with the values that matter
   * @param where the rank, device or stream, such as {@code rank 2 of 4}; empty if it does not
   *     matter
   * @param remedy what the reader can do about it; empty if the cause says it
   * @param cause the failure behind this one
   */
  protected RialtoException(String what, String where, String remedy, @Nullable Throwable cause) {
    super(
        (where.isEmpty() ? what : where + ": " + what) + (remedy.isEmpty() ? "" : "; " + remedy),
        cause);
    this.where = where;
    this.remedy = remedy;
  }

  /** Returns the rank, device or stream it happened on; empty if that does not matter. */
  public String where() {
    return where;
  }

  /** Returns what can be done about it; empty if the cause says it. */
  public String remedy() {
    return remedy;
  }
}
