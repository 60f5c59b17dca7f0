package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.array.F64Array;
import dev.rialto.array.IndexSpace;
import dev.rialto.array.Team;
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
    try (Team team = Team.on(comm)) {
      SparseMatrix a = MatrixMarket.open(file).readMatrix(team, DType.F64);
      a.chooseFormat();
      a.map().tune(Effort.MEASURE, DType.F64);

      try (F64Array b = team.f64(a.map().size());
          F64Array x = b.like();
          Preconditioner m = BlockJacobi.of(a, new Factorization.Levels(0))) {
        b.fill(1);
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
  static SparseMatrix ring(F64Array x) {
    long size = x.shape().count();
    MatrixBuilder builder = SparseMatrix.on(x.space(), DType.F64);
    x.forEach(
        (row, value) -> {
          long next = (row + 1) % size;
          builder.add(row, row, 2.5).add(row, next, -1).add(next, row, -1);
        });
    return builder.assemble();
  }

  /** Unknowns at the points of a grid. */
  static SolveResult plate(Team team, int n) {
    IndexSpace grid = team.space(n, n);
    MatrixBuilder rows = SparseMatrix.on(grid, DType.F64);
    try (F64Array b = grid.f64();
        F64Array x = grid.f64()) {
      b.set((i, j) -> i == j ? 1 : 0);
      b.forEach(
          (row, value) -> {
            long i = grid.index(row)[0];
            long j = grid.index(row)[1];
            rows.add(row, row, 4);
            if (i + 1 < n) {
              rows.add(row, grid.element(i + 1, j), -1).add(grid.element(i + 1, j), row, -1);
            }
            if (j + 1 < n) {
              rows.add(row, grid.element(i, j + 1), -1).add(grid.element(i, j + 1), row, -1);
            }
          });
      return Method.CG.solve(rows.assemble(), Preconditioner.NONE, b, x, SolveOptions.standard());
    }
  }

  /** A solve with arrays on a device, to which the matrix follows them. */
  static SolveResult onDevice(SparseMatrix a, F64Array b, F64Array x, SolveOptions options) {
    SolveResult result = Method.CG.solve(a, Preconditioner.NONE, b, x, options);
    return result;
  }

  /** Sums of the copies that ranks have of others' elements of two vectors. */
  static double[] copies(IndexMap map, F64Array x, F64Array y) {
    try (F64Array ofX = map.haloSpace(1).f64();
        F64Array ofY = ofX.like();
        Vectors v = Vectors.of(map, x)) {
      StartedUpdate first = v.startHalo(x, ofX);
      StartedUpdate second = v.startHalo(y, ofY);
      x.fill(0);
      first.await();
      second.await();
      return new double[] {ofX.sum(), ofY.sum()};
    }
  }

  /** A preconditioner of one's own. */
  static Preconditioner twoSweeps(LinearOperator a, F64Array r2) {
    return new Preconditioner() {
      @Override
      public void apply(Op op, Array r, Array z) {
        // z = 0.3 r, and once more for what that leaves.
        try (Vectors v = Vectors.of(a.map(), r)) {
          v.axpby(Scalar.of(0.3), r, Scalar.ZERO, z);
          v.copy(r, r2);
          a.apply(op, Scalar.of(-1), z, Scalar.ONE, r2);
          v.axpby(Scalar.of(0.3), r2, Scalar.ONE, z);
        }
      }
    };
  }
}
