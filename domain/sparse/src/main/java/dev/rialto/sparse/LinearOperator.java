package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.data.DType;

/**
 * What a solver asks of a square matrix: its products. A matrix that is never stored, such as a
 * stencil or a product of others, is an operator as good as any.
 *
 * <p>All methods are collective.
 */
public interface LinearOperator {
  /** Returns the map of the vectors it is applied to; halos included if it needs them. */
  IndexMap map();

  /** Returns the element type. */
  DType type();

  /** Makes a vector of zeros that this can be applied to, owned by the caller. */
  default MultiVector vector() {
    return new MultiVector(map(), type());
  }

  /**
   * Sets {@code y = a op(A) x + b y} on owned elements; with b 0, y is not read. The halos of both
   * may change.
   *
   * @throws UnsupportedOperationException if the operator has no such form
   */
  void apply(Op op, Scalar a, MultiVector x, Scalar b, MultiVector y);

  /** Sets {@code y = A x}. */
  default void apply(MultiVector x, MultiVector y) {
    apply(Op.NONE, Scalar.ONE, x, Scalar.ZERO, y);
  }

  /**
   * Returns an array as a vector that this can be applied to; closing it ends that. Unless an
   * operator knows better, the elements are copied to memory with room for a halo behind them, and
   * back in the end.
   *
   * @param writes whether what is written to the vector is wanted in the array
   * @throws IllegalArgumentException if the array is of another type, or divided in another way
   *     than the rows
   * @throws UnsupportedOperationException if it is on a device where this is not
   */
  default MultiVector view(Array array, boolean writes) {
    return ArrayVectors.copied(this, array, writes);
  }

  /** Sets {@code y = A x}; see {@link #apply(Op, Scalar, Array, Scalar, Array)}. */
  default void multiply(Array x, Array y) {
    apply(Op.NONE, Scalar.ONE, x, Scalar.ZERO, y);
  }

  /**
   * Sets {@code y = a op(A) x + b y}; with b 0, y is not read.
   *
   * @param x an array that is divided as the rows are, of any number of axes: its elements in
   *     row-major order are the vector. With one more axis it is several vectors
   * @throws IllegalArgumentException if an array is of another type, or divided in another way than
   *     the rows
   */
  default void apply(Op op, Scalar a, Array x, Scalar b, Array y) {
    if (x.overlaps(y)) {
      throw new IllegalArgumentException(
          "%s and %s are the same memory; give an array of its own for y".formatted(x, y));
    }
    y.team()
        .exclusively(
            "a product",
            () -> {
              try (MultiVector in = view(x, false);
                  MultiVector out = view(y, true)) {
                apply(op, a, in, b, out);
                return y;
              }
            });
  }

  /** Sets {@code y = A x} and adds this rank's part of {@code conj(x)·y} to a sum of out. */
  default void applyDot(MultiVector x, MultiVector y, PartialSums out, int at) {
    apply(x, y);
    x.addDot(y, out, at);
  }

  /**
   * Returns the largest sum of absolute values of a row, which some stopping rules need.
   *
   * @throws UnsupportedOperationException if the operator does not know it
   */
  default double normInf() {
    throw new UnsupportedOperationException(
        "this operator does not know its norm; choose another stopping rule");
  }
}
