package dev.rialto.sparse.local;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Diagonals, each from its first to its last entry. A product reads no indices: two thirds of the
 * memory of CSR for a matrix of a grid. Transposed products are those of the rows it is made of.
 */
public final class Dia extends LocalMatrix {
  private final Csr source;
  private final int[] offsets;
  private final int[] from;
  private final int[] to;
  private final int[] starts;
  private final Values values;
  private final long entries;

  private Dia(Csr matrix, int[] offsets, int[] from, int[] to, int[] starts, Values values) {
    super(matrix.type(), matrix.rows(), matrix.columns());
    this.source = matrix;
    this.offsets = offsets;
    this.from = from;
    this.to = to;
    this.starts = starts;
    this.values = values;
    this.entries = matrix.entries();
  }

  static Dia of(Csr matrix) {
    int rows = matrix.rows();
    int span = rows + matrix.columns();
    // Diagonal d lies at offset d - rows.
    int[] first = new int[span];
    int[] end = new int[span];
    Arrays.fill(first, Integer.MAX_VALUE);
    for (int i = 0; i < rows; i++) {
      for (int k = matrix.starts()[i]; k < matrix.starts()[i + 1]; k++) {
        int d = matrix.columnIndex()[k] - i + rows;
        first[d] = Math.min(first[d], i);
        end[d] = i + 1;
      }
    }
    int count = 0;
    long total = 0;
    for (int d = 0; d < span; d++) {
      if (end[d] > 0) {
        count++;
        total += end[d] - first[d];
      }
    }
    if (total > 20 * matrix.entries() + 1000) {
      throw new IllegalArgumentException(
          "DIA stores %d diagonals, %d values of which %d are used; choose CSR or SELL"
              .formatted(count, total, matrix.entries()));
    }
    int[] offsets = new int[count];
    int[] from = new int[count];
    int[] to = new int[count];
    int[] starts = new int[count];
    int[] place = new int[span];
    int n = 0;
    int at = 0;
    for (int d = 0; d < span; d++) {
      if (end[d] > 0) {
        offsets[n] = d - rows;
        from[n] = first[d];
        to[n] = end[d];
        starts[n] = at;
        place[d] = at - first[d];
        at += end[d] - first[d];
        n++;
      }
    }
    Values values = Values.zeros(matrix.type(), total);
    for (int i = 0; i < rows; i++) {
      for (int k = matrix.starts()[i]; k < matrix.starts()[i + 1]; k++) {
        values.copy(place[matrix.columnIndex()[k] - i + rows] + i, matrix.values(), k);
      }
    }
    return new Dia(matrix, offsets, from, to, starts, values);
  }

  @Override
  public Format format() {
    return Format.DIA;
  }

  @Override
  public long entries() {
    return entries;
  }

  @Override
  public long bytes() {
    return (long) values.size() * type().size();
  }

  @Override
  public void multiply(
      Op op, Scalar a, long x, Scalar b, long y, int stride, double @Nullable [] dot) {
    if (op == Op.NONE) {
      kernels.diagonals(rows(), offsets, from, to, starts, values, a, x, b, y, stride, dot);
    } else {
      source.multiply(op, a, x, b, y, stride, null);
    }
  }
}
