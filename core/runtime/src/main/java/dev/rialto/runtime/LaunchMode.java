package dev.rialto.runtime;

/** The degree to which a launch is watched. */
public enum LaunchMode {
  /**
   * As fast as it gets. On devices that run Java kernels an access out of bounds is a failure all
   * the same, for the memory itself refuses it; elsewhere it is undefined.
   */
  UNCHECKED,
  /**
   * An access out of bounds is a failure that names the kernel, the buffer, the index and the item,
   * and nothing is written there. Items of Java kernels run one by one; kernels that are text are
   * compiled with the checks, where the device's compiler does that.
   */
  CHECKED,
  /**
   * As {@link #CHECKED}, and a launch is refused that reads a buffer nothing has written, writes
   * one that overlaps another of its buffers, or touches memory that is open to the host.
   */
  VALIDATED;

  /** Returns the mode that clients start with: VALIDATED if {@code -Drialto.checks=true}. */
  static LaunchMode initial() {
    return Boolean.getBoolean("rialto.checks") ? VALIDATED : UNCHECKED;
  }
}
