package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.data.DType;

/**
 * The products of a square matrix, which are all that solvers ask of it. A matrix that is never
 * stored, such as a stencil or a product of others, is an operator as good as any.
 *
 * <p>All methods are collective.
 */
public interface LinearOperator {
  /** Returns the map of the vectors it is applied to. */
  IndexMap map();

  /** Returns the element type. */
  DType type();

  /**
   * Sets {@code y = a op(A) x + b y}; with b 0, y is not read.
   *
   * @param x an array that is divided as the rows are, of any number of axes: its elements in
   *     row-major order are the vector. With one more axis it is several vectors
   * @throws IllegalArgumentException if an array is of another type, or divided in another way than
   *     the rows
   * @throws UnsupportedOperationException if the operator has no such form
   */
  void apply(Op op, Scalar a, Array x, Scalar b, Array y);

  /** Sets {@code y = A x}; see {@link #apply}. */
  default void multiply(Array x, Array y) {
    apply(Op.NONE, Scalar.ONE, x, Scalar.ZERO, y);
  }

  /**
   * Sets {@code y = A x} and adds this rank's part of {@code conj(x)·y} to a sum of out.
   *
   * @param vectors the arithmetic of x and y
   */
  default void multiplyDot(Array x, Array y, Vectors vectors, PartialSums out, int at) {
    vectors.apply(this, Op.NONE, Scalar.ONE, x, Scalar.ZERO, y);
    vectors.addDot(x, y, out, at);
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
