package dev.rialto.cpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * Moves elements between addresses, for the reason given at {@link dev.rialto.cpu.simd.Simd}: how
 * loops over segments are compiled depends on what else runs in the process.
 */
final class AddressCopy {
  /** The longest run worth moving here. */
  static final int SHORT = 64;

  /**
   * Elements of a tile's side. Each side of a tile touches this many lines, often in one set of the
   * cache when strides are powers of two, and a set holds 8 or 12.
   */
  private static final long TILE = 8;

  @SuppressWarnings("restricted")
  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

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
   * Copies a plane of {@code rows} by {@code columns} elements, in tiles that keep the cache lines
   * of both sides in use. Strides are bytes.
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
    // If the columns lie closer than the rows on both sides, lines are used whole without tiles.
    boolean tiled = Math.abs(fromRow) < Math.abs(fromColumn);
    long tileRows = tiled ? Math.max(TILE, 64 / size) : rows;
    long tileColumns = tiled ? Math.max(TILE, 64 / size) : columns;
    for (long row = 0; row < rows; row += tileRows) {
      for (long column = 0; column < columns; column += tileColumns) {
        tile(
            size,
            from + row * fromRow + column * fromColumn,
            to + row * toRow + column * toColumn,
            Math.min(tileRows, rows - row),
            fromRow,
            toRow,
            Math.min(tileColumns, columns - column),
            fromColumn,
            toColumn);
      }
    }
  }

  private static void tile(
      int size,
      long from,
      long to,
      long rows,
      long fromRow,
      long toRow,
      long columns,
      long fromColumn,
      long toColumn) {
    for (long row = 0; row < rows; row++) {
      long source = from + row * fromRow;
      long target = to + row * toRow;
      switch (size) {
        case 1 -> bytes(source, fromColumn, target, toColumn, columns);
        case 2 -> shorts(source, fromColumn, target, toColumn, columns);
        case 4 -> ints(source, fromColumn, target, toColumn, columns);
        case 8 -> longs(source, fromColumn, target, toColumn, columns);
        case 16 -> pairs(source, fromColumn, target, toColumn, columns);
        default -> throw new IllegalArgumentException("no elements have " + size + " bytes");
      }
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
