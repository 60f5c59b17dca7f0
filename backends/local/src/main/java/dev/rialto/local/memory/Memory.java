package dev.rialto.local.memory;

import static dev.rialto.system.AddressSpace.MEMORY;

import dev.rialto.system.HostMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * Access to memory of other ranks.
 *
 * <p>Peers use a segment as it is: if its arena is closed meanwhile, the JDK lets either the close
 * or the access fail. Only the memory of confined arenas is closed to them. All ranks share one
 * address space, so they reach it through {@link dev.rialto.system.AddressSpace}, but only while
 * its owner sits in the call that was given it and cannot free it; an operation that outlasts its
 * call works on a {@link ConfinedCopy} of such memory.
 */
public final class Memory {
  /** The largest staging that is taken from the heap, whose memory is cheaper to get. */
  private static final long LARGEST_ON_HEAP = 1 << 20;

  private Memory() {}

  public static boolean confined(MemorySegment segment) {
    return segment.isNative() && HostMemory.confined(segment);
  }

  /** Returns memory that every thread may use and that lives as long as it is reachable. */
  static MemorySegment allocate(long bytes) {
    return bytes <= LARGEST_ON_HEAP
        ? MemorySegment.ofArray(new byte[(int) bytes])
        : Arena.ofAuto().allocate(bytes, 64);
  }

  /** Checks that the calling thread may use the segment now. */
  public static void check(MemorySegment segment, String role) {
    HostMemory.requireReadable(segment, 0, role);
  }

  /**
   * Runs work that goes by addresses, while none of the segments can be freed.
   *
   * @throws IllegalStateException if one of them is freed already
   */
  public static void holding(List<MemorySegment> segments, Runnable work) {
    int left = segments.size();
    if (left == 0) {
      work.run();
    } else {
      MemorySegment first = segments.getFirst();
      MemorySegment last = segments.getLast();
      HostMemory.holding(
          first, last, () -> holding(segments.subList(1, Math.max(left - 1, 1)), work));
    }
  }

  /**
   * Takes an interrupt back after an access to memory that was freed. The JDK breaks an access off
   * that is under way as it stops a thread, which leaves the thread interrupted.
   */
  public static void brokenOff() {
    Thread.interrupted();
  }

  /** Copies what two layouts name. */
  public static void copy(
      MemorySegment from,
      long source,
      Runs sources,
      MemorySegment to,
      long target,
      Runs targets,
      long bytes) {
    if (!from.isNative() || !to.isNative()) {
      Runs.copy(from, source, sources, to, target, targets, bytes);
      return;
    }
    HostMemory.holding(
        from,
        to,
        () ->
            Runs.copy(
                MEMORY,
                from.address() + source,
                sources,
                MEMORY,
                to.address() + target,
                targets,
                bytes));
  }

  /** Copies a few bytes: below some cache lines the general copy costs more than the bytes do. */
  public static void copySmall(
      MemorySegment from, long source, MemorySegment to, long target, long bytes) {
    if (bytes > 64) {
      MemorySegment.copy(from, source, to, target, bytes);
      return;
    }
    long i = 0;
    for (; i + 8 <= bytes; i += 8) {
      to.set(
          ValueLayout.JAVA_LONG_UNALIGNED,
          target + i,
          from.get(ValueLayout.JAVA_LONG_UNALIGNED, source + i));
    }
    for (; i < bytes; i++) {
      to.set(ValueLayout.JAVA_BYTE, target + i, from.get(ValueLayout.JAVA_BYTE, source + i));
    }
  }
}
