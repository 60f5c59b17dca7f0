package dev.rialto.spi.memory;

import java.lang.foreign.MemorySegment;

/**
 * A piece of memory, owned by the caller that asked for it until {@link #close}.
 *
 * <p>Any thread may use and close it; closing while another thread still uses it makes that use
 * fail, it does not wait.
 */
public interface Allocation extends AutoCloseable {
  /**
   * Returns the memory. In a space that the host cannot access, the segment has an address and no
   * accessible size. The same segment is returned each time, and once closed its use throws.
   *
   * @throws IllegalStateException if this allocation is closed
   */
  MemorySegment segment();

  /** Returns the bytes that were asked for; also after closing. */
  long bytes();

  /** Returns the space this came from. */
  MemorySpace space();

  /** Returns whether this has not been closed. */
  boolean isOpen();

  /**
   * Gives the memory back.
   *
   * @throws dev.rialto.spi.error.MemoryException if it was given back before
   */
  @Override
  void close();
}
