package dev.rialto.sparse.precond;

import dev.rialto.array.Array;
import dev.rialto.array.IndexSpace;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.Vectors;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.Values;
import java.util.ArrayList;
import java.util.List;

/**
 * Divides by the diagonal; needs no exchange. Its numbers follow the arrays to their device, where
 * they are kept until it is closed.
 */
public final class Jacobi implements Preconditioner {
  private final IndexMap map;
  private final Values inverse;
  private final List<Copy> copies = new ArrayList<>();

  /** The numbers as arrays, where others are; those of the adjoint are conjugates. */
  private record Copy(IndexSpace space, Op op, Array array) {}

  private Jacobi(IndexMap map, Values inverse) {
    this.map = map;
    this.inverse = inverse;
  }

  /**
   * Takes the diagonal of a matrix. Collective.
   *
   * @throws ArithmeticException if an element of it is 0, on all ranks
   */
  public static Jacobi of(SparseMatrix a) {
    Values inverse = a.diagonal();
    String problem = "";
    for (int i = 0; i < inverse.size(); i++) {
      Scalar value = new Scalar(inverse.re(i), inverse.im(i));
      if (value.isZero()) {
        problem = "the diagonal of row " + a.map().global(i) + " is 0";
      }
      Scalar one = Scalar.ONE.over(value);
      inverse.set(i, one.re(), one.im());
    }
    Agreement.check(a.map(), problem);
    return new Jacobi(a.map(), inverse);
  }

  /** Returns the numbers as an array of the space of another. Collective the first time. */
  private Array like(Array r, Op op) {
    Op form = op == Op.ADJOINT ? op : Op.NONE;
    for (Copy copy : copies) {
      if (copy.op == form && copy.space.equals(r.space())) {
        return copy.array;
      }
    }
    int width = map.width(r, inverse.type());
    Values wide = Values.zeros(inverse.type(), (long) inverse.size() * width);
    for (int i = 0; i < wide.size(); i++) {
      double im = inverse.im(i / width);
      wide.set(i, inverse.re(i / width), form == Op.ADJOINT ? -im : im);
    }
    Array made = r.space().halo(0).array(r.type());
    made.copyFrom(wide.memory());
    copies.add(new Copy(r.space(), form, made));
    return made;
  }

  @Override
  public void apply(Op op, Array r, Array z) {
    try (Vectors vectors = Vectors.of(map, r)) {
      vectors.multiplyDot(like(r, op), r, z, PartialSums.NONE, 0);
    }
  }

  @Override
  public void applyDot(Array r, Array z, Vectors vectors, PartialSums out, int at) {
    vectors.multiplyDot(like(r, Op.NONE), r, z, out, at);
  }

  @Override
  public void close() {
    copies.forEach(copy -> copy.array.close());
    copies.clear();
  }

  @Override
  public String toString() {
    return "jacobi";
  }
}
