import dev.rialto.array.F64Array;
import dev.rialto.array.Rialto;
import dev.rialto.array.Team;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.io.MatrixMarket;
import dev.rialto.sparse.io.MatrixMarketWriter;
import dev.rialto.sparse.precond.BlockJacobi;
import dev.rialto.sparse.precond.Factorization;
import dev.rialto.sparse.precond.Jacobi;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.sparse.solve.SolveResult;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.system.Arguments;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Solves A x = b with a matrix from a Matrix Market file, which all ranks read together, each some
 * of its lines. The right-hand side is A times ones, so the answer is known.
 *
 * <p>Arguments: a file ({@code .mtx} or {@code .mtx.gz}), a file for the solution; then {@code
 * --ranks 2} or {@code --device cuda:0}. Without a file one is made: a plate of 40 x 40 points that
 * is held at its edge.
 */
final class Solve {
  public static void main(String[] args) {
    Arguments words = Arguments.of(args);
    Path matrix = Path.of(words.word(0, "plate.mtx"));
    Path solution = Path.of(words.word(1, "solution.mtx"));
    Rialto.run(
        args,
        team -> {
          if (team.rank() == 0 && !Files.exists(matrix)) {
            writePlate(matrix, 40);
          }
          team.communicator().barrier();
          solve(team, matrix, solution);
        });
  }

  private static void solve(Team team, Path file, Path solution) throws IOException {
    SparseMatrix a = MatrixMarket.open(file).readMatrix(team, DType.F64);
    try (F64Array ones = team.f64(a.map().size());
        F64Array b = ones.like();
        F64Array x = ones.like();
        Preconditioner m = prepare(a, x)) {
      ones.fill(1);
      a.multiply(ones, b);
      SolveOptions options = SolveOptions.standard().withTolerance(1e-10);
      SolveResult result = Method.CG.solve(a, m, b, x, options);
      MatrixMarketWriter.write(solution, x);
      double error = x.reduce(ones, (mine, one) -> Math.abs(mine - one), ReduceOp.MAX);
      team.print(
          "%,d rows, %d ranks, %s, %s: %s, error %.1e, %s"
              .formatted(a.map().size(), team.size(), how(a, x), m, result, error, solution));
      if (!result.converged() || error > 1e-6) {
        throw new IllegalStateException("not solved: " + result + ", error " + error);
      }
    }
  }

  /**
   * Returns a preconditioner for where the arrays are: a matrix follows them to a device, factors
   * stay on the host. There the fastest format and scheme of halos are found by timing.
   */
  private static Preconditioner prepare(SparseMatrix a, F64Array x) {
    if (x.isOnDevice()) {
      return Jacobi.of(a);
    }
    a.chooseFormat();
    if (x.team().size() > 1) {
      a.map().tune(Effort.MEASURE, DType.F64);
    }
    return BlockJacobi.of(a, new Factorization.Levels(0));
  }

  private static String how(SparseMatrix a, F64Array x) {
    return x.isOnDevice()
        ? "format %s on %s"
            .formatted(a.copyTo(x.space()).format(), x.space().client().device().name())
        : "format %s, halos by %s"
            .formatted(a.format(), a.map().haloExchange(DType.F64, 1).scheme());
  }

  /** Writes the differences of a plate, of which a symmetric file has the lower half. */
  private static void writePlate(Path file, int n) throws IOException {
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
      out.println("%%MatrixMarket matrix coordinate real symmetric");
      out.println(n * n + " " + n * n + " " + (n * n + 2 * n * (n - 1)));
      for (int row = 0; row < n * n; row++) {
        out.println((row + 1) + " " + (row + 1) + " 4");
        if (row % n > 0) {
          out.println((row + 1) + " " + row + " -1");
        }
        if (row >= n) {
          out.println((row + 1) + " " + (row + 1 - n) + " -1");
        }
      }
    }
  }
}
