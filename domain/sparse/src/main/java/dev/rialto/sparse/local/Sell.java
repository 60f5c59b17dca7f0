package dev.rialto.sparse.local;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Slices of {@value #SLICE} rows, each padded to its longest row and stored entry by entry, so that
 * the sums of several rows proceed together. Rows are sorted by length within windows of {@value
 * #WINDOW}, which keeps padding small and vectors near. Transposed products are those of the rows
 * it is made of.
 */
public final class Sell extends LocalMatrix {
  static final int SLICE = 8;

  /** Rows among which rows are sorted; a multiple of a slice. */
  static final int WINDOW = 256;

  private final Csr source;
  private final Slices slices;

  private Sell(Csr matrix, Slices slices) {
    super(matrix.type(), matrix.rows(), matrix.columns());
    this.source = matrix;
    this.slices = slices;
  }

  static Sell of(Csr matrix) {
    int[] starts = matrix.starts();
    Integer[] sorted = new Integer[WINDOW];
    int[] order = new int[matrix.rows()];
    for (int first = 0; first < order.length; first += WINDOW) {
      int count = Math.min(WINDOW, order.length - first);
      for (int i = 0; i < count; i++) {
        sorted[i] = first + i;
      }
      Arrays.sort(
          sorted, 0, count, (a, b) -> (starts[b + 1] - starts[b]) - (starts[a + 1] - starts[a]));
      for (int i = 0; i < count; i++) {
        order[first + i] = sorted[i];
      }
    }
    return new Sell(matrix, Slices.of(matrix, order, Integer.MAX_VALUE, 0));
  }

  @Override
  public Format format() {
    return Format.SELL;
  }

  @Override
  public long entries() {
    return slices.entries();
  }

  @Override
  public long bytes() {
    return slices.bytes(type()) + 4L * rows();
  }

  @Override
  public void multiply(
      Op op, Scalar a, long x, Scalar b, long y, int stride, double @Nullable [] dot) {
    if (op == Op.NONE) {
      slices.multiply(kernels, a, x, b, y, stride, 0, dot);
    } else {
      source.multiply(op, a, x, b, y, stride, null);
    }
  }
}
