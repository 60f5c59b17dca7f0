package dev.rialto.spi.parts;

import static dev.rialto.spi.memory.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

/**
 * Moves elements between addresses. How a loop over segments is compiled depends on what else runs
 * in the process: each kind of memory that it has seen costs it a check. One over addresses is
 * always the same.
 */
final class AddressCopy {
  /** The longest run worth moving here. */
  static final int SHORT = 64;

  /** Bytes of a tile's side: two lines of the cache, of which a tile uses all. */
  private static final int TILE = 128;

  private AddressCopy() {}

  /** Copies at most {@value #SHORT} bytes. */
  static void run(long from, long to, int bytes) {
    int done = 0;
    for (; bytes - done >= 8; done += 8) {
      MEMORY.set(JAVA_LONG_UNALIGNED, to + done, MEMORY.get(JAVA_LONG_UNALIGNED, from + done));
    }
    if (bytes - done >= 4) {
      MEMORY.set(JAVA_INT_UNALIGNED, to + done, MEMORY.get(JAVA_INT_UNALIGNED, from + done));
      done += 4;
    }
    for (; done < bytes; done++) {
      MEMORY.set(JAVA_BYTE, to + done, MEMORY.get(JAVA_BYTE, from + done));
    }
  }

  /**
   * Copies a plane of {@code rows} by {@code columns} elements. Strides are bytes. A plane whose
   * rows lie closer in the source and whose columns in the target is halved along its longer side
   * until a tile is left: at some size it fits each cache and each table of pages.
   *
   * @param size the bytes of an element: 1, 2, 4, 8 or 16
   */
  static void plane(
      int size,
      long from,
      long to,
      long rows,
      long fromRow,
      long toRow,
      long columns,
      long fromColumn,
      long toColumn) {
    int side = TILE / size;
    boolean crossed = Math.abs(fromRow) < Math.abs(fromColumn);
    if (!crossed || (rows <= side && columns <= side)) {
      for (long row = 0; row < rows; row++) {
        row(size, from + row * fromRow, fromColumn, to + row * toRow, toColumn, columns);
      }
    } else if (rows >= columns) {
      long half = half(rows, side);
      plane(size, from, to, half, fromRow, toRow, columns, fromColumn, toColumn);
      plane(
          size,
          from + half * fromRow,
          to + half * toRow,
          rows - half,
          fromRow,
          toRow,
          columns,
          fromColumn,
          toColumn);
    } else {
      long half = half(columns, side);
      plane(size, from, to, rows, fromRow, toRow, half, fromColumn, toColumn);
      plane(
          size,
          from + half * fromColumn,
          to + half * toColumn,
          rows,
          fromRow,
          toRow,
          columns - half,
          fromColumn,
          toColumn);
    }
  }

  /** Returns about half of a count that exceeds {@code side}, a multiple of it. */
  private static long half(long count, int side) {
    return Math.max(count / 2 / side, 1) * side;
  }

  private static void row(
      int size, long from, long fromStride, long to, long toStride, long count) {
    switch (size) {
      case 1 -> bytes(from, fromStride, to, toStride, count);
      case 2 -> shorts(from, fromStride, to, toStride, count);
      case 4 -> ints(from, fromStride, to, toStride, count);
      case 8 -> longs(from, fromStride, to, toStride, count);
      case 16 -> pairs(from, fromStride, to, toStride, count);
      default -> throw new IllegalArgumentException("no elements have " + size + " bytes");
    }
  }

  private static void bytes(long from, long fromStride, long to, long toStride, long count) {
    for (long i = 0; i < count; i++) {
      MEMORY.set(JAVA_BYTE, to + i * toStride, MEMORY.get(JAVA_BYTE, from + i * fromStride));
    }
  }

  private static void shorts(long from, long fromStride, long to, long toStride, long count) {
    for (long i = 0; i < count; i++) {
      short element = MEMORY.get(JAVA_SHORT_UNALIGNED, from + i * fromStride);
      MEMORY.set(JAVA_SHORT_UNALIGNED, to + i * toStride, element);
    }
  }

  private static void ints(long from, long fromStride, long to, long toStride, long count) {
    for (long i = 0; i < count; i++) {
      int element = MEMORY.get(JAVA_INT_UNALIGNED, from + i * fromStride);
      MEMORY.set(JAVA_INT_UNALIGNED, to + i * toStride, element);
    }
  }

  private static void longs(long from, long fromStride, long to, long toStride, long count) {
    for (long i = 0; i < count; i++) {
      long element = MEMORY.get(JAVA_LONG_UNALIGNED, from + i * fromStride);
      MEMORY.set(JAVA_LONG_UNALIGNED, to + i * toStride, element);
    }
  }

  private static void pairs(long from, long fromStride, long to, long toStride, long count) {
    for (long i = 0; i < count; i++) {
      long first = MEMORY.get(JAVA_LONG_UNALIGNED, from + i * fromStride);
      long second = MEMORY.get(JAVA_LONG_UNALIGNED, from + i * fromStride + 8);
      MEMORY.set(JAVA_LONG_UNALIGNED, to + i * toStride, first);
      MEMORY.set(JAVA_LONG_UNALIGNED, to + i * toStride + 8, second);
    }
  }
}
