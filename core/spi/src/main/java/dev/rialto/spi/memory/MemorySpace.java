package dev.rialto.spi.memory;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A place that memory is allocated in: the host's, pinned host memory, one device's.
 *
 * <p>Thread-safe. The counters are exact: after every allocation is closed, {@link #used} is 0.
 */
public interface MemorySpace {
  /**
   * Returns a name that is unique among the spaces in use, such as {@code cpu} or {@code cuda:0}.
   */
  String name();

  /** Returns what can be done with this space's memory. */
  Properties properties();

  /**
   * Allocates memory, filled with zeros.
   *
   * <p>Zero bytes are allowed: the allocation is empty, counts as live and must be closed. Aligned
   * to the larger of {@code alignment} and that of {@link #properties}.
   *
   * @param bytes how many bytes
   * @param alignment a power of two, in bytes
   * @throws IllegalArgumentException if {@code bytes} is negative or {@code alignment} not a power
   *     of two
   * @throws dev.rialto.spi.error.MemoryException if there is not enough; the message says how much
   *     was asked for, is used and is left. Nothing is allocated then.
   */
  Allocation allocate(long bytes, long alignment);

  /** Allocates memory with this space's own alignment; see {@link #allocate(long, long)}. */
  default Allocation allocate(long bytes) {
    return allocate(bytes, properties().alignment());
  }

  /**
   * Returns the live allocation that {@code segment} lies in.
   *
   * @throws dev.rialto.spi.error.MemoryException if the segment is not of this space, or its
   *     allocation is closed
   */
  Allocation owner(MemorySegment segment);

  /** Returns the bytes of all live allocations, as they were asked for. */
  long used();

  /** Returns the most {@link #used} has been. */
  long peak();

  /** Returns the bytes that can still be allocated, as far as can be told. */
  long available();

  /**
   * Returns the live allocations. Each has the stack that allocated it when leak tracking is on
   * ({@code -Drialto.leaks=true}).
   */
  List<LiveAllocation> live();

  /**
   * One allocation that has not been closed.
   *
   * @param bytes the bytes that were asked for
   * @param address where it starts
   * @param site the stack that allocated it, innermost first; empty when leak tracking is off
   */
  record LiveAllocation(long bytes, long address, List<StackTraceElement> site) {
    /** Copies the site. */
    public LiveAllocation {
      site = List.copyOf(site);
    }
  }

  /**
   * The accessibility of the memory of a space.
   *
   * @param hostAccessible whether Java code may read and write it through the segment
   * @param deviceAccessible whether a device's kernels may
   * @param unified whether host and device share one address for it
   * @param atomics whether atomic operations from several threads or devices work on it
   * @param pageable whether the operating system may move or swap it; pinned memory is not pageable
   * @param alignment the alignment in bytes that every allocation has at least, a power of two
   */
  record Properties(
      boolean hostAccessible,
      boolean deviceAccessible,
      boolean unified,
      boolean atomics,
      boolean pageable,
      long alignment) {
    /** Checks that the alignment is a power of two. */
    public Properties {
      if (alignment <= 0 || Long.bitCount(alignment) != 1) {
        throw new IllegalArgumentException("alignment " + alignment + " is not a power of two");
      }
    }
  }
}
