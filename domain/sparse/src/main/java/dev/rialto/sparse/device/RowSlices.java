package dev.rialto.sparse.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.runtime.Devices;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Rows of a sparse matrix in slices, each padded to its longest row: as many rows as threads work
 * in step, whose entries lie side by side.
 *
 * @param starts I64: where each slice starts, and where the last ends
 * @param columns I32: those of a slice's first entries, then of its second ones; -1 for padding
 * @param values in the same order; zeros for padding
 */
record RowSlices(MemorySegment starts, MemorySegment columns, MemorySegment values) {
  /**
   * Makes slices of rows that lie one after the other.
   *
   * @param height the rows of a slice
   * @param starts I32: where each row starts, and where the last ends
   * @param columns I32
   * @param arena where the slices live
   */
  static RowSlices of(
      int height,
      DType type,
      MemorySegment starts,
      MemorySegment columns,
      MemorySegment values,
      Arena arena) {
    long rows = starts.byteSize() / Integer.BYTES - 1;
    long slices = (rows + height - 1) / height;
    MemorySegment places = lend(Long.BYTES * (slices + 1), arena).fill((byte) 0);
    for (long slice = 0; slice < slices; slice++) {
      int width = 0;
      for (long row = slice * height; row < Math.min(rows, (slice + 1) * height); row++) {
        width = Math.max(width, length(starts, row));
      }
      places.setAtIndex(
          JAVA_LONG, slice + 1, places.getAtIndex(JAVA_LONG, slice) + (long) width * height);
    }
    long total = places.getAtIndex(JAVA_LONG, slices);
    MemorySegment padded = lend(Integer.BYTES * total, arena).fill((byte) -1);
    MemorySegment numbers = lend(total * type.size(), arena).fill((byte) 0);
    int size = type.size();
    for (long row = 0; row < rows; row++) {
      long place = places.getAtIndex(JAVA_LONG, row / height) + row % height;
      int first = starts.getAtIndex(JAVA_INT, row);
      for (int k = 0; k < length(starts, row); k++, place += height) {
        padded.setAtIndex(JAVA_INT, place, columns.getAtIndex(JAVA_INT, first + k));
        MemorySegment.copy(values, (long) (first + k) * size, numbers, place * size, size);
      }
    }
    return new RowSlices(places, padded, numbers);
  }

  private static MemorySegment lend(long bytes, Arena arena) {
    return Devices.host()
        .lend("slices of a matrix", Math.max(bytes, 1))
        .until(arena)
        .asSlice(0, bytes);
  }

  private static int length(MemorySegment starts, long row) {
    return starts.getAtIndex(JAVA_INT, row + 1) - starts.getAtIndex(JAVA_INT, row);
  }
}
