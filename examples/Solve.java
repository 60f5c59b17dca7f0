import dev.rialto.array.F64Array;
import dev.rialto.array.Rialto;
import dev.rialto.array.Team;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.io.MatrixMarket;
import dev.rialto.sparse.io.MatrixMarketWriter;
import dev.rialto.sparse.precond.BlockJacobi;
import dev.rialto.sparse.precond.Factorization;
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
 * --ranks 2}. Without a file one is made: a plate of 40 x 40 points that is held at its edge.
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
    // What is fastest here is found by timing: how rows are stored, and how halos travel.
    a.chooseFormat();
    if (team.size() > 1) {
      a.map().tune(Effort.MEASURE, DType.F64);
    }
    try (F64Array ones = team.f64(a.map().size());
        F64Array b = ones.like();
        F64Array x = ones.like();
        Preconditioner m = BlockJacobi.of(a, new Factorization.Levels(0))) {
      ones.fill(1);
      a.multiply(ones, b);
      SolveOptions options = SolveOptions.standard().withTolerance(1e-10);
      SolveResult result = Method.CG.solve(a, m, b, x, options);
      MatrixMarketWriter.write(solution, x);
      double error = x.reduce(ones, (mine, one) -> Math.abs(mine - one), ReduceOp.MAX);
      if (team.rank() == 0) {
        System.out.printf(
            "%,d rows, %d ranks, format %s, halos by %s: %s, error %.1e, %s%n",
            a.map().size(),
            team.size(),
            a.format(),
            a.map().haloExchange(DType.F64, 1).scheme(),
            result,
            error,
            solution);
      }
      if (!result.converged() || error > 1e-6) {
        throw new IllegalStateException("not solved: " + result + ", error " + error);
      }
    }
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
