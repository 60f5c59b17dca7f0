package dev.rialto.sparse.precond;

import dev.rialto.array.Array;
import dev.rialto.sparse.Vectors;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.PartialSums;

/** An approximate inverse that is cheap to apply. Its methods are collective. */
public interface Preconditioner extends AutoCloseable {
  /** No preconditioner; solvers leave out the copy it would be. */
  Preconditioner NONE =
      new Preconditioner() {
        @Override
        public void apply(Op op, Array r, Array z) {
          z.copy(r);
        }

        @Override
        public String toString() {
          return "none";
        }
      };

  /**
   * Sets {@code z} to the approximate solution of {@code op(A) z = r}.
   *
   * @param r an array that is divided as the rows of A are; with one more axis it is several
   *     vectors
   * @throws UnsupportedOperationException if there is no such form
   */
  void apply(Op op, Array r, Array z);

  /**
   * Sets {@code z = M r} and adds this rank's part of {@code conj(r)·z} to a sum of out.
   *
   * @param vectors the arithmetic of r and z
   */
  default void applyDot(Array r, Array z, Vectors vectors, PartialSums out, int at) {
    vectors.aside(false, () -> apply(Op.NONE, r, z));
    vectors.addDot(r, z, out, at);
  }

  /** Gives memory back; nothing by default. */
  @Override
  default void close() {}
}
