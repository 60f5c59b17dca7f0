package dev.rialto.cli.demo;

import dev.rialto.array.Array;
import dev.rialto.array.Decomposition;
import dev.rialto.array.Team;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.exchange.tune.Tuned;
import dev.rialto.exchange.tune.Tuner;
import dev.rialto.sparse.DeviceMatrix;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.MatrixBuilder;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.sparse.solve.SolveResult;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Solves the second-order differences of Poisson's equation on a periodic cube by conjugate
 * gradients with halo exchange.
 *
 * <p>Rows are distributed as the field is, whatever the grid of ranks, so that both solvers work on
 * the same memory. The matrix is singular, as constants have no differences; with a right-hand side
 * of mean 0 conjugate gradients stay away from them.
 */
final class Iterative {
  private static final Duration TUNING = Duration.ofMillis(1500);

  private final Team team;
  private final Communicator comm;
  private final SparseMatrix matrix;

  /** The copy of the matrix on the device that arrays are on; null if that is the host. */
  private final @Nullable DeviceMatrix there;

  private @Nullable Tuned tuned;
  private double seconds;

  private Iterative(Team team, SparseMatrix matrix, @Nullable DeviceMatrix there) {
    this.team = team;
    this.comm = team.communicator();
    this.matrix = matrix;
    this.there = there;
  }

  /**
   * Assembles the system and chooses its format, on the host by timing; it is solved where the
   * team's arrays are. Collective.
   */
  static Iterative assemble(Team team, Grid grid, PhaseListener phases) {
    phases.step("set up the matrix", 0, 2, "assembling");
    SparseMatrix matrix = matrix(team, grid);
    phases.step("set up the matrix", 1, 2, "choosing a format");
    boolean away = !team.client().device().isHostAccessible();
    if (!away) {
      var _ = matrix.chooseFormat();
    }
    DeviceMatrix there = away ? matrix.copyTo(matrix.map().space()) : null;
    phases.step("set up the matrix", 2, 2, "");
    return new Iterative(team, matrix, there);
  }

  private static SparseMatrix matrix(Team team, Grid grid) {
    long n = grid.shape().extent(0);
    IndexMap rows = IndexMap.of(team.space(n, n, n).divided(Decomposition.of(grid))).assemble();
    MatrixBuilder builder = SparseMatrix.on(rows, DType.F64);
    double square = (double) n * n;
    for (int i = 0; i < rows.owned(); i++) {
      long row = rows.global(i);
      builder.add(row, row, 6 * square);
      for (long stride = 1; stride < n * n * n; stride *= n) {
        long place = row / stride % n;
        // Beyond the last point comes the first.
        builder.add(row, row + ((place + 1) % n - place) * stride, -square);
        builder.add(row, row + ((place + n - 1) % n - place) * stride, -square);
      }
    }
    return builder.assemble();
  }

  /** Sends halos by a scheme. */
  void scheme(String text) {
    matrix.map().scheme(text);
  }

  /** Finds the fastest scheme for halos. Collective. */
  void tune(Effort effort, PhaseListener phases) {
    tuned =
        matrix
            .map()
            .tune(
                new Tuner(team.exchanger())
                    .effort(effort)
                    .limit(TUNING)
                    .progress((done, total, what) -> phases.step("tune halos", done, total, what)),
                DType.F64);
  }

  /** Returns what was tried for halos, best first. */
  List<Tuned.Candidate> candidates() {
    return tuned == null ? List.of() : tuned.candidates();
  }

  /** Returns how halos travel. */
  String scheme() {
    return there == null
        ? matrix.map().haloExchange(DType.F64, 1).scheme().toString()
        : matrix.map().scheme().map(Object::toString).orElse("as the device can");
  }

  /** Returns how this rank stores the matrix. */
  String format() {
    return (there == null ? matrix.format() : there.format()).name();
  }

  /** Sets u to the solution for f. Collective. */
  SolveResult solve(Field f, Field u, double tolerance, PhaseListener phases, Stop stop) {
    try (Array b = matrix.map().space().array(DType.F64);
        Array x = b.like()) {
      b.copyFrom(f.memory());
      double decades = -Math.log10(tolerance);
      SolveOptions options =
          SolveOptions.standard()
              .withTolerance(tolerance)
              .withMaxIterations(20_000)
              .withCancellation(stop.cancellation())
              .withMonitor(
                  (iteration, residual) ->
                      phases.step(
                          "solve by CG",
                          // How many of a hundred parts of the way down the residual has gone.
                          (long) Math.clamp(-100 * Math.log10(residual) / decades, 0, 100),
                          100,
                          String.format(
                              Locale.ROOT, "iteration %d, residual %.1e", iteration, residual)));
      comm.barrier();
      long start = System.nanoTime();
      SolveResult result = Method.CG.solve(matrix, Preconditioner.NONE, b, x, options);
      comm.barrier();
      seconds = (System.nanoTime() - start) * 1e-9;
      x.copyTo(u.memory());
      return result;
    }
  }

  /** Returns how long {@link #solve} took. */
  double seconds() {
    return seconds;
  }

  /**
   * Returns the bytes that an iteration of all ranks moves at least: those of the product and eight
   * passes over vectors. Collective.
   */
  long bytesPerIteration() {
    long product = there == null ? matrix.bytesPerProduct() : there.bytesPerProduct();
    return comm.sum(product + 64L * matrix.map().owned());
  }

  /** Returns the operations of an iteration: two for each entry and ten for each row. */
  double operationsPerIteration() {
    return 24.0 * matrix.map().size();
  }

  /** Returns the bytes that all ranks send in an iteration. Collective. */
  long haloBytes() {
    return comm.sum(matrix.map().statistics().bytesSent(DType.F64));
  }
}
