import dev.rialto.array.Array;
import dev.rialto.array.ComplexArray;
import dev.rialto.array.F64Array;
import dev.rialto.array.IndexSpace;
import dev.rialto.array.Rialto;
import dev.rialto.array.Team;
import dev.rialto.fft.FourierPlan;
import dev.rialto.fft.Modes;
import dev.rialto.io.NpyFile;
import dev.rialto.sparse.MatrixBuilder;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.sparse.solve.SolveResult;
import dev.rialto.spi.data.DType;
import dev.rialto.system.Arguments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Solves the screened Poisson equation on a periodic square, from a file to a file: a kernel
 * smooths the right-hand side, then Fourier modes and conjugate gradients solve it, and both must
 * agree.
 *
 * <pre>u - c (second differences of u) = f</pre>
 *
 * <p>Arguments: a NumPy file of float64 with two axes, which is made if it is not there; a file for
 * the solution; then {@code --ranks 2}, and {@code --device opencl} or {@code --device cuda} for
 * arrays on a device, where everything is done then.
 */
final class Screened {
  private static final double C = 20;

  public static void main(String[] args) {
    Arguments words = Arguments.of(args);
    Path source = Path.of(words.word(0, "source.npy"));
    Path solution = Path.of(words.word(1, "solution.npy"));
    Rialto.run(
        args,
        team -> {
          if (!Files.exists(source)) {
            writeSource(team, source);
          }
          run(team, source, solution);
        });
  }

  private static void writeSource(Team team, Path file) throws IOException {
    // All ranks have looked whether there is a file before one of them makes it.
    team.communicator().barrier();
    try (F64Array f = team.f64(48, 64)) {
      f.set((i, j) -> (i / 8 + j / 8) % 2 == 0 ? 1 : -1);
      NpyFile.save(file, f);
    }
  }

  private static void run(Team team, Path source, Path solution) throws IOException {
    try (Array read = NpyFile.load(source, team)) {
      if (!(read instanceof F64Array f) || f.shape().rank() != 2) {
        throw new IllegalArgumentException(source + " holds no float64 of two axes");
      }
      IndexSpace square = team.space(f.shape().extents()).halo(1).periodic().star();
      try (F64Array rough = square.f64();
          F64Array smooth = square.f64();
          F64Array byModes = square.f64();
          F64Array bySolver = square.f64()) {
        rough.copy(f);
        smooth(rough, smooth);
        SolveResult result = solve(smooth, bySolver);
        transform(smooth, byModes);
        NpyFile.save(solution, bySolver);

        byModes.axpy(-1, bySolver);
        double apart = byModes.norm() / bySolver.norm();
        team.print(
            "%s points, %d ranks: %s, %.1e from the modes' solution, %s"
                .formatted(f.shape(), team.communicator().size(), result, apart, solution));
        if (!result.converged() || !(apart < 1e-8)) {
          throw new IllegalStateException("the solutions differ by " + apart);
        }
      }
    }
  }

  /** Averages each element with its neighbours. */
  private static void smooth(F64Array rough, F64Array smooth) {
    smooth.set(
        (i, j) ->
            (4 * rough.get(i, j)
                    + rough.get(i - 1, j)
                    + rough.get(i + 1, j)
                    + rough.get(i, j - 1)
                    + rough.get(i, j + 1))
                / 8,
        rough);
  }

  /** Divides each mode by what the differences make of it. */
  private static void transform(F64Array f, F64Array u) {
    Team team = f.team();
    double rows = f.shape().extent(0);
    double columns = f.shape().extent(1);
    try (FourierPlan plan = FourierPlan.real(f).build();
        ComplexArray spectrum = plan.newModes(team)) {
      plan.forward(f, spectrum);
      // On a square of edge 2π a wave's number is how often it goes round.
      Modes modes = new Modes(plan, team.communicator().rank(), 2 * Math.PI, 2 * Math.PI);
      modes.multiply(
          spectrum,
          (waves, factor) -> {
            double down = 2 - 2 * Math.cos(2 * Math.PI * waves[0] / rows);
            double across = 2 - 2 * Math.cos(2 * Math.PI * waves[1] / columns);
            factor[0] = 1 / (1 + C * (down + across));
            factor[1] = 0;
          });
      plan.inverse(spectrum, u);
    }
  }

  /** Assembles the differences and solves by conjugate gradients. */
  private static SolveResult solve(F64Array f, F64Array u) {
    IndexSpace grid = f.space();
    long rows = f.shape().extent(0);
    long columns = f.shape().extent(1);
    MatrixBuilder builder = SparseMatrix.on(grid, DType.F64);
    for (long at = 0; at < f.owned().count(); at++) {
      long row = f.elementAt(at);
      long i = grid.index(row)[0];
      long j = grid.index(row)[1];
      builder.add(row, row, 1 + 4 * C);
      builder.add(row, grid.element((i + 1) % rows, j), -C);
      builder.add(row, grid.element((i + rows - 1) % rows, j), -C);
      builder.add(row, grid.element(i, (j + 1) % columns), -C);
      builder.add(row, grid.element(i, (j + columns - 1) % columns), -C);
    }
    SparseMatrix a = builder.assemble();
    SolveOptions options = SolveOptions.standard().withTolerance(1e-10);
    return Method.CG.solve(a, Preconditioner.NONE, f, u, options);
  }
}
