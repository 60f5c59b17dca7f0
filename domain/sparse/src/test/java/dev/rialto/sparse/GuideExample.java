package dev.rialto.sparse;

import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.sparse.io.MatrixMarket;
import dev.rialto.sparse.io.MatrixMarketWriter;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.BlockJacobi;
import dev.rialto.sparse.precond.Factorization;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.sparse.solve.SolveResult;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.io.IOException;
import java.nio.file.Path;

/** The code that the guide shows. */
final class GuideExample {
  private GuideExample() {}

  static void solve(World world, Path file, Path solution) {
    world.run(comm -> solve(comm, file, solution));
  }

  static SolveResult solve(Communicator comm, Path file, Path solution) throws IOException {
    try (Exchanger exchanger = Exchanger.on(comm)) {
      SparseMatrix a = MatrixMarket.open(file).readMatrix(exchanger, DType.F64);
      a.chooseFormat();
      a.map().tune(Effort.MEASURE, DType.F64);

      try (MultiVector b = new MultiVector(a.map(), DType.F64).fill(Scalar.ONE);
          MultiVector x = b.like();
          Preconditioner m = BlockJacobi.of(a, new Factorization.Levels(0))) {
        SolveOptions options = SolveOptions.standard().withTolerance(1e-8);
        SolveResult result = Method.CG.solve(a, m, b, x, options);
        if (!result.converged()) {
          throw new ArithmeticException(result.toString());
        }
        MatrixMarketWriter.write(solution, x);
        return result;
      }
    }
  }

  /** A matrix from entries: each rank gives what it likes, also of rows that others own. */
  static SparseMatrix ring(Exchanger exchanger, long size) {
    IndexMap rows = IndexMap.even(exchanger, size).assemble();
    MatrixBuilder builder = SparseMatrix.on(rows, DType.F64);
    for (int i = 0; i < rows.owned(); i++) {
      long row = rows.global(i);
      long next = (row + 1) % size;
      builder.add(row, row, 2.5).add(row, next, -1).add(next, row, -1);
    }
    return builder.assemble();
  }

  /** A preconditioner of one's own. */
  static Preconditioner twoSweeps(LinearOperator a, MultiVector r2) {
    return new Preconditioner() {
      @Override
      public void apply(Op op, MultiVector r, MultiVector z) {
        // z = 0.3 r, and once more for what that leaves.
        z.axpby(Scalar.of(0.3), r, Scalar.ZERO);
        r2.copy(r);
        a.apply(op, Scalar.of(-1), z, Scalar.ONE, r2);
        z.axpby(Scalar.of(0.3), r2, Scalar.ONE);
      }
    };
  }
}
