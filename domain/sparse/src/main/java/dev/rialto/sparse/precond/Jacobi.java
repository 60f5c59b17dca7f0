package dev.rialto.sparse.precond;

import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.SparseDevice;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.Updates;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.Scalar;

/** Divides by the diagonal; needs no exchange. */
public final class Jacobi implements Preconditioner {
  private final MultiVector inverse;
  private final MultiVector conjugate;

  private Jacobi(MultiVector inverse, MultiVector conjugate) {
    this.inverse = inverse;
    this.conjugate = conjugate;
  }

  /**
   * Takes the diagonal of a matrix. Collective.
   *
   * @throws ArithmeticException if an element of it is 0, on all ranks
   */
  public static Jacobi of(SparseMatrix a) {
    MultiVector inverse = a.diagonal();
    MultiVector conjugate = inverse.like();
    String problem = "";
    for (int i = 0; i < a.map().owned(); i++) {
      Scalar value = inverse.get(i);
      if (value.isZero()) {
        problem = "the diagonal of row " + a.map().global(i) + " is 0";
      }
      inverse.set(i, 0, Scalar.ONE.over(value));
      conjugate.set(i, 0, Scalar.ONE.over(value).conjugate());
    }
    Agreement.check(a.map(), problem);
    return new Jacobi(inverse, conjugate);
  }

  /** Returns a copy whose vectors are on a device. */
  public Jacobi on(SparseDevice device) {
    return new Jacobi(device.vector(inverse), device.vector(conjugate));
  }

  @Override
  public void apply(Op op, MultiVector r, MultiVector z) {
    MultiVector scale = op == Op.ADJOINT ? conjugate : inverse;
    EachVector.apply(r, z, (in, out) -> out.multiply(scale, in));
  }

  @Override
  public void applyDot(MultiVector r, MultiVector z, PartialSums out, int at) {
    Updates.multiplyDot(inverse, r, z, out, at);
  }

  @Override
  public void close() {
    inverse.close();
    conjugate.close();
  }

  @Override
  public String toString() {
    return "jacobi";
  }
}
