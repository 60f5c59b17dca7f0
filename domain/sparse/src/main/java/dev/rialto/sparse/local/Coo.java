package dev.rialto.sparse.local;

import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/**
 * Row, column and value of each entry, by row and then column. Transposed products are those of the
 * rows it was made of.
 */
public final class Coo extends LocalMatrix {
  private final int[] rowIndex;
  private final int[] columnIndex;
  private final Values values;
  private final Csr source;
  private @Nullable RowSums sums;

  private Coo(Csr source, int[] rowIndex, int[] columnIndex, Values values) {
    super(source.type(), source.rows(), source.columns());
    this.source = source;
    this.rowIndex = rowIndex;
    this.columnIndex = columnIndex;
    this.values = values;
  }

  static Coo of(Csr matrix) {
    int[] rowIndex = new int[matrix.columnIndex().length];
    int[] starts = matrix.starts();
    for (int i = 0; i < matrix.rows(); i++) {
      java.util.Arrays.fill(rowIndex, starts[i], starts[i + 1], i);
    }
    return new Coo(matrix, rowIndex, matrix.columnIndex(), matrix.values());
  }

  /** Takes of each row what comes after its first {@code skip} entries. */
  static Coo beyond(Csr matrix, int skip) {
    int[] starts = matrix.starts();
    int count = 0;
    for (int i = 0; i < matrix.rows(); i++) {
      count += Math.max(0, starts[i + 1] - starts[i] - skip);
    }
    int[] rowIndex = new int[count];
    int[] columnIndex = new int[count];
    Values values = Values.zeros(matrix.type(), count);
    int at = 0;
    for (int i = 0; i < matrix.rows(); i++) {
      for (int k = starts[i] + skip; k < starts[i + 1]; k++) {
        rowIndex[at] = i;
        columnIndex[at] = matrix.columnIndex()[k];
        values.copy(at++, matrix.values(), k);
      }
    }
    return new Coo(matrix, rowIndex, columnIndex, values);
  }

  @Override
  public Format format() {
    return Format.COO;
  }

  @Override
  public long entries() {
    return rowIndex.length;
  }

  @Override
  public long bytes() {
    return entries() * (8L + type().size());
  }

  @Override
  public void multiply(
      Op op, Scalar a, long x, Scalar b, long y, int stride, double @Nullable [] dot) {
    if (op != Op.NONE) {
      source.multiply(op, a, x, b, y, stride, null);
      return;
    }
    RowSums all = sums;
    if (all == null) {
      all = new RowSums(type(), rows());
      sums = all;
    }
    try {
      add(x, stride, all.address());
      kernels.finish(0, rows(), all.address(), a, b, y, stride);
    } finally {
      Reference.reachabilityFence(all);
    }
    if (dot != null) {
      VectorKernels.of(type()).dot(rows(), x, y, stride, PartialSums.into(dot), 0);
    }
  }

  /** Adds a product to sums. */
  void add(long x, int stride, long to) {
    kernels.coordinates(rowIndex.length, rowIndex, columnIndex, values, x, stride, to);
  }
}
