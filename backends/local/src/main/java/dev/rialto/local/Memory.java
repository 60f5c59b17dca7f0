package dev.rialto.local;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Access to memory of other ranks.
 *
 * <p>A native segment may belong to an arena that only its own rank may use. All ranks share one
 * address space, so peers go through {@link #ALL} at the segment's address instead. Heap segments
 * are open to every thread and are used as they are. The owner's right to its memory is checked
 * when it hands the segment over; it keeps the memory alive until the operation completes.
 */
final class Memory {
  /** The whole address space: an offset into it is an address. */
  static final MemorySegment ALL = all();

  private Memory() {}

  @SuppressWarnings("restricted")
  private static MemorySegment all() {
    return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  }

  /** Returns the segment through which all ranks reach {@code segment}, from {@link #offset}. */
  static MemorySegment open(MemorySegment segment) {
    return segment.isNative() ? ALL : segment;
  }

  /** Returns where {@code segment} starts in what {@link #open} returns for it. */
  static long offset(MemorySegment segment) {
    return segment.isNative() ? segment.address() : 0;
  }

  /** Checks that the calling thread may use the segment now: peers do not check again. */
  static void check(MemorySegment segment, String role) {
    if (!segment.scope().isAlive()) {
      throw new IllegalStateException(role + " is in an arena that is closed");
    }
    if (!segment.isAccessibleBy(Thread.currentThread())) {
      throw new WrongThreadException(
          role + " belongs to an arena confined to another thread than " + Thread.currentThread());
    }
  }

  /** Copies a few bytes: below some cache lines the general copy costs more than the bytes do. */
  static void copySmall(
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
