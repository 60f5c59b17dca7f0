package dev.rialto.sparse;

import dev.rialto.array.F64Array;
import dev.rialto.array.Team;
import dev.rialto.exchange.plan.Overlap;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.BlockJacobi;
import dev.rialto.sparse.precond.Factorization;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.precond.Schwarz;
import dev.rialto.sparse.problem.Grids;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.sparse.solve.SolveResult;
import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** The program of each process: maps, products, preconditioners and solves, with known results. */
final class SolveProgram {
  /** Of {@link #N} points an edge, as ranks that are threads need them too. */
  static final int ITERATIONS = 39;

  private static final int N = 12;

  private SolveProgram() {}

  /**
   * Runs as one rank.
   *
   * @param args the backend
   */
  public static void main(String[] args) {
    try (World world = Backends.get(args[0]).openWorld(0)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              run(team);
            }
          });
    }
  }

  static void run(Team team) {
    overlaps(team);
    Grids.Equation problem = Grids.poisson3d(N);
    IndexMap rows = IndexMap.even(team, problem.size()).assemble();
    SparseMatrix a = problem.matrix(rows, DType.F64, Format.CSR);
    try (TestVector b = new TestVector(a.map(), problem.rightHandSide(a.map(), DType.F64));
        TestVector x = b.like()) {
      for (String scheme :
          List.of("point-to-point", "neighbor", "all-to-all", "rma-pull", "rma-push", "shared")) {
        a.map().scheme(scheme);
        x.fill(Scalar.ZERO);
        SolveResult result =
            Method.CG.solve(a, Preconditioner.NONE, b.array(), x.array(), SolveOptions.standard());
        check(result.iterations() == ITERATIONS, scheme + ": " + result);
        startedUpdates(a);
      }
      a.chooseFormat();
      for (Preconditioner m :
          List.of(
              BlockJacobi.of(a, new Factorization.Levels(0)),
              Schwarz.of(a, 1, false, new Factorization.Levels(0)))) {
        x.fill(Scalar.ZERO);
        SolveResult result = Method.CG.solve(a, m, b.array(), x.array(), SolveOptions.standard());
        check(result.converged() && result.iterations() < ITERATIONS / 2, m + ": " + result);
        m.close();
      }
      // The matrix is symmetric, so both products are the same but for rounding.
      try (TestVector y = b.like();
          TestVector z = b.like()) {
        a.multiply(x.array(), y.array());
        a.apply(Op.TRANSPOSE, Scalar.ONE, x.array(), Scalar.ZERO, z.array());
        z.axpby(Scalar.of(-1), y, Scalar.ONE);
        check(z.normInf() <= 1e-9 * y.normInf(), "the transposed product is off " + z.normInf());
      }
    }
  }

  private static void overlaps(Team team) {
    int rank = team.rank();
    int ranks = team.size();
    long from = Math.max(0, 4L * rank - 1);
    long to = Math.min(4L * ranks, 4L * rank + 5);
    IndexMap map =
        IndexMap.lists(team, 4L * ranks, LongStream.range(from, to).toArray()).assemble();
    try (TestVector x = new TestVector(map, DType.F64).fill(Scalar.of(rank + 1))) {
      x.updateOverlap(Overlap.Rule.AVERAGE);
      boolean shared = rank > 0;
      check(x.get(0).re() == (shared ? rank + 0.5 : 1), "the average is " + x.get(0));
    }
  }

  /** Several updates under way at once, which ranks await in opposite orders. */
  private static void startedUpdates(SparseMatrix a) {
    IndexMap map = a.map();
    boolean odd = map.comm().rank() % 2 == 1;
    try (F64Array x = map.space().f64();
        F64Array y = map.space().f64();
        F64Array haloOfX = map.haloSpace(1).f64();
        F64Array haloOfY = haloOfX.like();
        Vectors v = Vectors.of(map, x)) {
      double copies = haloOfX.shape().count();
      for (int round = 0; round < 6; round++) {
        x.fill(1);
        y.fill(2);
        List<StartedUpdate> updates =
            new ArrayList<>(List.of(v.startHalo(x, haloOfX), v.startHalo(y, haloOfY)));
        y.fill(5);
        haloOfY.fill(round);
        updates.add(v.startAddHalo(haloOfY, y));
        a.multiply(y, x);
        (odd ? updates.reversed() : updates).forEach(StartedUpdate::await);
        check(haloOfX.sum() == copies, "the first halo is " + haloOfX.sum());
        check(haloOfY.sum() == 2 * copies, "the second halo is " + haloOfY.sum());
        check(y.sum() == 5.0 * map.size() + round * copies, "with copies it is " + y.sum());
      }
    }
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
