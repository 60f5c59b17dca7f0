package dev.rialto.spi.copy;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.rialto.spi.vector.VectorApi;
import java.lang.foreign.MemorySegment;

/** Copies between addresses. */
final class AddressCopy {
  /** Up to this many bytes a loop is faster than the call of a bulk copy. */
  private static final int SHORT = 32;

  private AddressCopy() {}

  static void bytes(long from, long to, long bytes) {
    if (bytes > SHORT) {
      MemorySegment.copy(MEMORY, from, MEMORY, to, bytes);
      return;
    }
    long done = 0;
    for (; bytes - done >= 8; done += 8) {
      MEMORY.set(JAVA_LONG_UNALIGNED, to + done, MEMORY.get(JAVA_LONG_UNALIGNED, from + done));
    }
    for (; done < bytes; done++) {
      MEMORY.set(JAVA_BYTE, to + done, MEMORY.get(JAVA_BYTE, from + done));
    }
  }

  /**
   * Copies {@code count} elements with a stride, in bytes, on either side.
   *
   * @param size the bytes of an element: 1, 2, 4, 8 or 16
   */
  static void line(int size, long from, long fromStride, long to, long toStride, long count) {
    switch (size) {
      case 1 -> {
        for (long i = 0; i < count; i++) {
          MEMORY.set(JAVA_BYTE, to + i * toStride, MEMORY.get(JAVA_BYTE, from + i * fromStride));
        }
      }
      case 2 -> {
        for (long i = 0; i < count; i++) {
          MEMORY.set(
              JAVA_SHORT_UNALIGNED,
              to + i * toStride,
              MEMORY.get(JAVA_SHORT_UNALIGNED, from + i * fromStride));
        }
      }
      case 4 -> {
        for (long i = 0; i < count; i++) {
          MEMORY.set(
              JAVA_INT_UNALIGNED,
              to + i * toStride,
              MEMORY.get(JAVA_INT_UNALIGNED, from + i * fromStride));
        }
      }
      case 8 -> longs(from, fromStride, to, toStride, count);
      default -> {
        if (VectorApi.isPresent()) {
          VectorLine.copy(from, fromStride, to, toStride, count);
        } else {
          pairs(from, fromStride, to, toStride, count);
        }
      }
    }
  }

  private static void longs(long from, long fromStride, long to, long toStride, long count) {
    for (long i = 0; i < count; i++) {
      MEMORY.set(
          JAVA_LONG_UNALIGNED,
          to + i * toStride,
          MEMORY.get(JAVA_LONG_UNALIGNED, from + i * fromStride));
    }
  }

  /** Copies elements of 16 bytes without vectors. */
  static void pairs(long from, long fromStride, long to, long toStride, long count) {
    for (long i = 0; i < count; i++) {
      long first = MEMORY.get(JAVA_LONG_UNALIGNED, from + i * fromStride);
      long second = MEMORY.get(JAVA_LONG_UNALIGNED, from + i * fromStride + 8);
      MEMORY.set(JAVA_LONG_UNALIGNED, to + i * toStride, first);
      MEMORY.set(JAVA_LONG_UNALIGNED, to + i * toStride + 8, second);
    }
  }
}
