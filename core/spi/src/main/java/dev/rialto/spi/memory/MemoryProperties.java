package dev.rialto.spi.memory;

/**
 * What can be done with the memory of a space.
 *
 * @param hostAccessible whether Java code may read and write it through the segment
 * @param deviceAccessible whether a device's kernels may
 * @param unified whether host and device share one address for it
 * @param atomics whether atomic operations from several threads or devices work on it
 * @param pageable whether the operating system may move or swap it; pinned memory is not pageable
 * @param alignment the alignment in bytes that every allocation has at least, a power of two
 */
public record MemoryProperties(
    boolean hostAccessible,
    boolean deviceAccessible,
    boolean unified,
    boolean atomics,
    boolean pageable,
    long alignment) {
  /** Checks that the alignment is a power of two. */
  public MemoryProperties {
    if (alignment <= 0 || Long.bitCount(alignment) != 1) {
      throw new IllegalArgumentException("alignment " + alignment + " is not a power of two");
    }
  }
}
