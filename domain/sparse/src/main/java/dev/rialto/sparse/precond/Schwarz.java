package dev.rialto.sparse.precond;

import dev.rialto.exchange.plan.Overlap;
import dev.rialto.sparse.ExtendedRows;
import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.local.Ilu;
import dev.rialto.sparse.local.Op;

/**
 * Solves with each rank's block and some layers of its neighbours', factored incompletely.
 *
 * <p>The residual of the layers comes by one exchange. Additive: what neighbours computed for an
 * index is added, by a second exchange, which keeps a symmetric matrix symmetric. Restricted: only
 * the owner's counts, which saves that exchange and converges faster, but not for CG.
 */
public final class Schwarz implements Preconditioner {
  private final MultiVector extended;
  private final Ilu factors;
  private final boolean restricted;
  private final String name;

  private Schwarz(MultiVector extended, Ilu factors, boolean restricted, String name) {
    this.extended = extended;
    this.factors = factors;
    this.restricted = restricted;
    this.name = name;
  }

  /**
   * Factors each rank's extended block. Collective.
   *
   * @param layers the overlap; 0 is block Jacobi
   * @throws ArithmeticException if a pivot is 0, on all ranks
   */
  public static Schwarz of(
      SparseMatrix a, int layers, boolean restricted, Factorization factorization) {
    ExtendedRows extended = a.extend(layers);
    Ilu factors = Agreement.factor(a.map(), extended.matrix(), factorization);
    String name =
        "%s Schwarz, overlap %d, %s"
            .formatted(restricted ? "restricted" : "additive", layers, factorization);
    return new Schwarz(new MultiVector(extended.map(), a.type()), factors, restricted, name);
  }

  @Override
  public void apply(Op op, MultiVector r, MultiVector z) {
    if (op != Op.NONE && restricted) {
      throw new UnsupportedOperationException(
          "the adjoint of restricted Schwarz; choose the additive one");
    }
    EachVector.apply(r, z, (in, out) -> solve(op, in, out));
  }

  private void solve(Op op, MultiVector r, MultiVector z) {
    extended.copy(r);
    extended.updateHalo();
    factors.solve(op, extended.memory(), extended.memory());
    if (!restricted) {
      extended.addHalo();
    }
    if (extended.map().isOverlapping()) {
      extended.updateOverlap(restricted ? Overlap.Rule.MASTER : Overlap.Rule.SUM);
    }
    z.copy(extended);
  }

  @Override
  public void close() {
    extended.close();
  }

  @Override
  public String toString() {
    return name;
  }
}
