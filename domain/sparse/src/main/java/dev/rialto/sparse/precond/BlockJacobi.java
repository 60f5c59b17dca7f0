package dev.rialto.sparse.precond;

import dev.rialto.array.Array;
import dev.rialto.exchange.plan.Overlap;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.Vectors;
import dev.rialto.sparse.local.Ilu;
import dev.rialto.sparse.local.Op;

/**
 * Solves with each rank's own block, factored incompletely; needs no exchange, unless several ranks
 * own a row.
 */
public final class BlockJacobi implements Preconditioner {
  private final IndexMap map;
  private final Ilu factors;
  private final String name;

  private BlockJacobi(IndexMap map, Ilu factors, String name) {
    this.map = map;
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
        a.map(),
        Agreement.factor(a.map(), a.own(), factorization),
        "block Jacobi, " + factorization);
  }

  @Override
  public void apply(Op op, Array r, Array z) {
    EachVector.apply(map, factors.type(), r, z, (in, out) -> factors.solve(op, in, out));
    if (map.isOverlapping()) {
      // Blocks that overlap: their corrections add up, which keeps a symmetric matrix symmetric.
      try (Vectors vectors = Vectors.of(map, z)) {
        vectors.updateOverlap(z, Overlap.Rule.SUM);
      }
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
