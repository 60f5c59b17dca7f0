package dev.rialto.sparse.local;

import org.jspecify.annotations.Nullable;

/** Columns one after the other: the transpose stored by rows, with the products exchanged. */
public final class Csc extends LocalMatrix {
  private final Csr transposed;

  private Csc(Csr transposed) {
    super(transposed.type(), /* rows= */ transposed.columns(), /* columns= */ transposed.rows());
    this.transposed = transposed;
  }

  static Csc of(Csr matrix) {
    return new Csc(matrix.transposed());
  }

  @Override
  public Format format() {
    return Format.CSC;
  }

  @Override
  public long entries() {
    return transposed.entries();
  }

  @Override
  public long bytes() {
    return transposed.bytes();
  }

  @Override
  public void multiply(
      Op op, Scalar a, long x, Scalar b, long y, int stride, double @Nullable [] dot) {
    if (op != Op.NONE) {
      transposed.gather(op == Op.ADJOINT, a, x, b, y, stride, null);
      return;
    }
    transposed.scatter(false, a, x, b, y, stride);
    if (dot != null) {
      VectorKernels.of(type()).dot(rows(), x, y, stride, PartialSums.into(dot), 0);
    }
  }
}
