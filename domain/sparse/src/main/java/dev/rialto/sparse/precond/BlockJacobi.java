package dev.rialto.sparse.precond;

import dev.rialto.exchange.plan.Overlap;
import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.local.Ilu;
import dev.rialto.sparse.local.Op;

/**
 * Solves with each rank's own block, factored incompletely; needs no exchange, unless several ranks
 * own a row.
 */
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
    EachVector.apply(r, z, (in, out) -> solve(op, in, out));
  }

  private void solve(Op op, MultiVector r, MultiVector z) {
    if (r.type() != factors.type() || r.map().owned() != factors.rows()) {
      throw new IllegalArgumentException(
          "a vector of %s with %d elements on this rank; the factors are of %s with %d rows"
              .formatted(r.type(), r.map().owned(), factors.type(), factors.rows()));
    }
    factors.solve(op, r.memory(), z.memoryFor(r));
    if (z.map().isOverlapping()) {
      // Blocks that overlap: their corrections add up, which keeps a symmetric matrix symmetric.
      z.updateOverlap(Overlap.Rule.SUM);
    }
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
