package dev.rialto.spi.error;

import org.jspecify.annotations.Nullable;

/**
 * An operation on a device or stream failed. If it ran asynchronously, this is raised at the next
 * synchronization and its cause is the operation's own failure.
 */
public final class DeviceException extends RialtoException {
  private static final long serialVersionUID = 1L;

  /**
   * Describes the failure; see {@link RialtoException}.
   *
   * @param what what failed, with the values that matter
   * @param where the rank, device or stream
   * @param remedy what the reader can do about it
   * @param cause the failure behind this one
   */
  public DeviceException(String what, String where, String remedy, @Nullable Throwable cause) {
    super(what, where, remedy, cause);
  }
}
