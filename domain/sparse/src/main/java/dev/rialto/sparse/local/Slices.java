package dev.rialto.sparse.local;

import dev.rialto.spi.data.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Rows in slices, padded and stored entry by entry: what SELL, ELL and HYB are made of. */
final class Slices {
  /** The start of each slice, and the end. */
  private final int[] starts;

  /** Which row is in which place. */
  private final int[] order;

  /** The column of each place; of padding, a column of the same row. */
  private final int[] columnIndex;

  /** The values; of padding, zeros. */
  private final Values values;

  private final long entries;

  private Slices(int[] starts, int[] order, int[] columnIndex, Values values, long entries) {
    this.starts = starts;
    this.order = order;
    this.columnIndex = columnIndex;
    this.values = values;
    this.entries = entries;
  }

  /** Returns how many entries are not padding. */
  long entries() {
    return entries;
  }

  /**
   * Cuts a matrix into slices.
   *
   * @param most takes only so many entries of each row
   * @param least pads every slice to at least so many
   */
  static Slices of(Csr matrix, int[] order, int most, int least) {
    int[] from = matrix.starts();
    int slices = (order.length + Sell.SLICE - 1) / Sell.SLICE;
    int[] starts = new int[slices + 1];
    for (int slice = 0; slice < slices; slice++) {
      int width = least;
      for (int i = slice * Sell.SLICE; i < Math.min(order.length, (slice + 1) * Sell.SLICE); i++) {
        width = Math.max(width, Math.min(most, from[order[i] + 1] - from[order[i]]));
      }
      starts[slice + 1] = Math.addExact(starts[slice], Math.multiplyExact(width, Sell.SLICE));
    }
    int[] columnIndex = new int[starts[slices]];
    Values values = Values.zeros(matrix.type(), columnIndex.length);
    long entries = 0;
    for (int i = 0; i < order.length; i++) {
      int row = order[i];
      int count = Math.min(most, from[row + 1] - from[row]);
      int place = starts[i / Sell.SLICE] + i % Sell.SLICE;
      int end = starts[i / Sell.SLICE + 1];
      int column = 0;
      for (int k = 0; place < end; k++, place += Sell.SLICE) {
        if (k < count) {
          column = matrix.columnIndex()[from[row] + k];
          values.copy(place, matrix.values(), from[row] + k);
        }
        columnIndex[place] = column;
      }
      entries += count;
    }
    return new Slices(starts, order, columnIndex, values, entries);
  }

  /** Returns the numbers from 0: rows in their own order. */
  static int[] inOrder(int rows) {
    int[] order = new int[rows];
    Arrays.setAll(order, i -> i);
    return order;
  }

  /** Returns the bytes a product reads, the order of rows not counted. */
  long bytes(DType type) {
    return columnIndex.length * (4L + type.size()) + 4L * starts.length;
  }

  /** Sets y, or sums if these are not 0. */
  void multiply(
      MatrixKernels kernels,
      Scalar a,
      long x,
      Scalar b,
      long y,
      int stride,
      long sums,
      double @Nullable [] dot) {
    kernels.slices(order.length, starts, order, columnIndex, values, a, x, b, y, stride, sums, dot);
  }
}
