package dev.rialto.sparse.precond;

import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.local.Ilu;
import dev.rialto.sparse.local.Op;

/** Solves with each rank's own block, factored incompletely; needs no exchange. */
public final class BlockJacobi implements Preconditioner {
  private final Ilu factors;
  private final String name;

  private BlockJacobi(Ilu factors, String name) {
    this.factors = factors;
    this.name = name;
  }

  /**
   * Factors each rank's block. Collective.
   *
   * @throws ArithmeticException if a pivot is 0, on all ranks
   */
  public static BlockJacobi of(SparseMatrix a, Factorization factorization) {
    return new BlockJacobi(
        Agreement.factor(a.map(), a.own(), factorization), "block Jacobi, " + factorization);
  }

  @Override
  public void apply(Op op, MultiVector r, MultiVector z) {
    factors.solve(op, r.memory(), z.memoryFor(r));
  }

  /** Returns the bytes an application on this rank reads and writes at least. */
  public long bytesPerApplication() {
    return factors.bytes();
  }

  @Override
  public String toString() {
    return name;
  }
}
