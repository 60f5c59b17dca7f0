package dev.rialto.sparse.precond;

import dev.rialto.array.Array;
import dev.rialto.sparse.LinearOperator;
import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.PartialSums;

/** An approximate inverse that is cheap to apply. Its methods are collective. */
public interface Preconditioner extends AutoCloseable {
  /** No preconditioner; solvers leave out the copy it would be. */
  Preconditioner NONE =
      new Preconditioner() {
        @Override
        public void apply(Op op, MultiVector r, MultiVector z) {
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
   * @throws UnsupportedOperationException if there is no such form
   */
  void apply(Op op, MultiVector r, MultiVector z);

  /**
   * Sets an array to the approximate solution, as {@link #apply(Op, MultiVector, MultiVector)}
   * does.
   *
   * @param a the operator whose vectors the arrays are
   */
  default void apply(Op op, LinearOperator a, Array r, Array z) {
    try (MultiVector in = a.view(r, false);
        MultiVector out = a.view(z, true)) {
      apply(op, in, out);
    }
  }

  /** Sets {@code z = M r} and adds this rank's part of {@code conj(r)·z} to a sum of out. */
  default void applyDot(MultiVector r, MultiVector z, PartialSums out, int at) {
    apply(Op.NONE, r, z);
    r.addDot(z, out, at);
  }

  /** Gives memory back; nothing by default. */
  @Override
  default void close() {}
}
