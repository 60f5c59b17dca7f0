package dev.rialto.bench;

import static java.util.Objects.requireNonNull;

import dev.rialto.array.Array;
import dev.rialto.array.F64Array;
import dev.rialto.array.Team;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.LinearOperator;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.Vectors;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.BlockJacobi;
import dev.rialto.sparse.precond.Factorization;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.problem.Grids;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Products and solves of one problem, as all ranks run them; times are milliseconds. */
final class SparseCases {
  /** The cases. */
  static final String SPMV = "spmv";

  static final String BEST = "spmv-best";
  static final String CG = "cg";
  static final String CG_BEST = "cg-best";
  static final String ILU = "cg-ilu0";

  /** Added to a case, the milliseconds that its bytes take at the bandwidth measured here. */
  static final String FLOOR = "/floor";

  private static final int PRODUCTS = 40;
  private static final int ITERATIONS = 60;

  private SparseCases() {}

  /**
   * Runs as a rank, at first a small problem to warm up.
   *
   * @param args the backend, the file and the points along an edge
   */
  public static void main(String[] args) {
    RankJobs.main(args, SparseCases::measure);
  }

  /** Measures all cases once, in threads of this process or in processes. */
  static List<RankJobs.Line> round(
      String comm, int ranks, int n, Path folder, Suite.Progress progress) {
    return RankJobs.round(
        comm,
        ranks,
        SparseCases.class,
        SparseCases::measure,
        List.of("" + n),
        false,
        folder,
        progress);
  }

  private static List<RankJobs.Line> measure(
      Communicator comm, List<String> arguments, boolean fresh, Suite.Progress progress) {
    int n = Integer.parseInt(arguments.getFirst());
    if (fresh) {
      var _ = run(comm, Math.min(n, 40), progress);
    }
    List<RankJobs.Line> lines = new ArrayList<>();
    run(comm, n, progress).forEach((name, time) -> lines.add(new RankJobs.Line(name, time, 0)));
    return lines;
  }

  /**
   * Runs all cases of the 7-point problem with {@code n} points along an edge, until it is time to
   * stop.
   */
  private static Map<String, Double> run(Communicator comm, int n, Suite.Progress progress) {
    Map<String, Double> times = new LinkedHashMap<>();
    try (Team team = Team.on(comm)) {
      Grids.Equation problem = Grids.poisson3d(n);
      IndexMap rows = IndexMap.even(team, problem.size()).assemble();
      SparseMatrix a = problem.matrix(rows, DType.F64, Format.CSR);
      double bytesPerMilli = bandwidth(team) / 1e3;
      try (Array b = problem.rightHandSide(a.map(), DType.F64);
          Array x = b.like()) {
        progress.check();
        times.put(SPMV, product(comm, a, b, x));
        progress.check();
        times.put(CG, iteration(comm, a, Preconditioner.NONE, b, x));
        floors(comm, a, SPMV, CG, bytesPerMilli, times);
        try (BlockJacobi m = BlockJacobi.of(a, new Factorization.Levels(0))) {
          progress.check();
          times.put(ILU, iteration(comm, a, m, b, x));
          double bytes = comm.sum(m.bytesPerApplication());
          times.put(ILU + FLOOR, requireNonNull(times.get(CG + FLOOR)) + bytes / bytesPerMilli);
        }
        a.chooseFormat();
        progress.check();
        times.put(BEST, product(comm, a, b, x));
        progress.check();
        times.put(CG_BEST, iteration(comm, a, Preconditioner.NONE, b, x));
        floors(comm, a, BEST, CG_BEST, bytesPerMilli, times);
      }
    }
    return times;
  }

  private static void floors(
      Communicator comm,
      SparseMatrix a,
      String product,
      String iteration,
      double bytesPerMilli,
      Map<String, Double> times) {
    double bytes = comm.sum(a.bytesPerProduct());
    times.put(product + FLOOR, bytes / bytesPerMilli);
    // The product reads p and writes q; the updates read r, q, then x, r, p and write r, x, p.
    times.put(iteration + FLOOR, (bytes + 64.0 * a.map().size()) / bytesPerMilli);
  }

  private static double product(Communicator comm, LinearOperator a, Array x, Array y) {
    double[] times = new double[PRODUCTS];
    for (int i = -10; i < PRODUCTS; i++) {
      comm.barrier();
      long start = System.nanoTime();
      a.multiply(x, y);
      comm.barrier();
      if (i >= 0) {
        times[i] = (System.nanoTime() - start) / 1e6;
      }
    }
    Arrays.sort(times);
    return times[PRODUCTS / 2];
  }

  private static double iteration(
      Communicator comm, LinearOperator a, Preconditioner m, Array b, Array x) {
    SolveOptions endless = SolveOptions.standard().withTolerance(0).withMaxIterations(ITERATIONS);
    double[] times = new double[3];
    for (int i = 0; i < times.length; i++) {
      ((F64Array) x).fill(0);
      comm.barrier();
      long start = System.nanoTime();
      int iterations = Method.CG.solve(a, m, b, x, endless).iterations();
      times[i] = (System.nanoTime() - start) / 1e6 / iterations;
    }
    Arrays.sort(times);
    return times[times.length / 2];
  }

  /** Returns bytes per second of all ranks in a plain loop over vectors that no cache holds. */
  private static double bandwidth(Team team) {
    Communicator comm = team.communicator();
    int length = 1 << 22;
    IndexMap map = IndexMap.blocks(team, length).assemble();
    try (Array x = map.space().array(DType.F64);
        Array y = x.like();
        Vectors vectors = Vectors.of(map, x)) {
      double best = 0;
      for (int pass = 0; pass < 12; pass++) {
        comm.barrier();
        long start = System.nanoTime();
        vectors.axpby(Scalar.ONE, x, Scalar.of(0.5), y);
        comm.barrier();
        best = Math.max(best, 24e9 * length * comm.size() / (System.nanoTime() - start));
      }
      return best;
    }
  }
}
