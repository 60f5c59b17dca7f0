package dev.rialto.sparse.precond;

import dev.rialto.array.Array;
import dev.rialto.exchange.plan.Overlap;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Resource;
import dev.rialto.sparse.ExtendedRows;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.local.Ilu;
import dev.rialto.sparse.local.Op;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/**
 * Solves with each rank's block and some layers of its neighbours', factored incompletely.
 *
 * <p>The residual of the layers comes by one exchange. Additive: what neighbours computed for an
 * index is added, by a second exchange, which keeps a symmetric matrix symmetric. Restricted: only
 * the owner's counts, which saves that exchange and converges faster, but not for CG.
 */
public final class Schwarz implements Preconditioner {
  private final IndexMap extended;
  private final Resource lent;
  private final Ilu factors;
  private final boolean restricted;
  private final String name;

  private Schwarz(IndexMap extended, Ilu factors, boolean restricted, String name) {
    this.extended = extended;
    this.lent =
        Devices.host().lend("Schwarz", Math.max(64, factors.type().bytes(extended.locals())));
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
    return new Schwarz(extended.map(), factors, restricted, name);
  }

  @Override
  public void apply(Op op, Array r, Array z) {
    if (op != Op.NONE && restricted) {
      throw new UnsupportedOperationException(
          "the adjoint of restricted Schwarz; choose the additive one");
    }
    EachVector.apply(extended, factors.type(), r, z, (in, out) -> solve(op, in, out));
  }

  private void solve(Op op, MemorySegment r, MemorySegment z) {
    DType type = factors.type();
    MemorySegment memory = lent.segment();
    long bytes = type.bytes(extended.owned());
    MemorySegment.copy(r, 0, memory, 0, bytes);
    extended.haloExchange(type, 1).run(memory, memory);
    factors.solve(op, memory, memory);
    if (!restricted) {
      extended.addingExchange(type, 1).run(memory, memory);
    }
    if (extended.isOverlapping()) {
      Overlap.Rule rule = restricted ? Overlap.Rule.MASTER : Overlap.Rule.SUM;
      extended.overlapExchange(rule, type, 1).run(memory, memory);
    }
    MemorySegment.copy(memory, 0, z, 0, bytes);
  }

  @Override
  public void close() {
    lent.close();
  }

  @Override
  public String toString() {
    return name;
  }
}
