package dev.rialto.sparse.local;

import org.jspecify.annotations.Nullable;

/** All rows padded to the longest one. Transposed products are those of the rows it is made of. */
public final class Ell extends LocalMatrix {
  private final Csr source;
  private final Slices slices;

  private Ell(Csr matrix, Slices slices) {
    super(matrix.type(), matrix.rows(), matrix.columns());
    this.source = matrix;
    this.slices = slices;
  }

  static Ell of(Csr matrix) {
    int[] starts = matrix.starts();
    int longest = 0;
    for (int i = 0; i < matrix.rows(); i++) {
      longest = Math.max(longest, starts[i + 1] - starts[i]);
    }
    if ((long) longest * matrix.rows() > 20 * matrix.entries() + 1000) {
      throw new IllegalArgumentException(
          "ELL pads all %d rows to %d entries, %d in all of which %d are used; choose SELL or HYB"
              .formatted(matrix.rows(), longest, (long) longest * matrix.rows(), matrix.entries()));
    }
    return new Ell(
        matrix, Slices.of(matrix, Slices.inOrder(matrix.rows()), Integer.MAX_VALUE, longest));
  }

  @Override
  public Format format() {
    return Format.ELL;
  }

  @Override
  public long entries() {
    return slices.entries();
  }

  @Override
  public long bytes() {
    return slices.bytes(type());
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
