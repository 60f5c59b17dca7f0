import dev.rialto.array.F64Array;
import dev.rialto.array.Rialto;
import dev.rialto.array.Team;
import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.Subgroup;
import dev.rialto.system.Arguments;

/**
 * Products of a sparse matrix and a vector, by compressed rows: the items of a subgroup share a
 * row, each takes every 32nd of its entries, and their sums are added without a barrier. The matrix
 * is the star of five points on a square, of which the products with waves are known. Each rank has
 * the points of some rows of the square, and copies of those beside them.
 *
 * <p>Arguments: points along an edge; then {@code --ranks}, {@code --comm}, and {@code --device
 * cuda:0}.
 */
final class SparseProduct {
  public static void main(String[] args) {
    int n = Arguments.of(args).number(0, 256);
    Rialto.run(args, team -> run(team, n));
  }

  private static void run(Team team, int n) {
    try (F64Array x = team.space(n, n).halo(1).f64();
        F64Array y = team.f64(n, n);
        JavaKernel product =
            team.kernels()
                .kernel(
                    (Item it, F64 to, I32 starting, I32 column, F64 value, F64 from) ->
                        product(it, to, starting, column, value, from))) {
      x.set((i, j) -> wave(i, n) * wave(j, n));
      x.updateHalo();
      int points = (int) y.owned().count();
      int first = points == 0 ? 0 : (int) y.elementAt(0);
      int[] starts = new int[points + 1];
      int[] columns = new int[5 * points];
      double[] values = new double[5 * points];
      star(n, first, points, starts, columns, values);
      product.launch(32L * points, y, starts, columns, values, x.withHalo());
      double factor = 8 * Math.pow(Math.sin(Math.PI / (2 * (n + 1))), 2);
      y.axpy(-factor, x);
      double error = y.norm();
      long entries = team.communicator().sum((long) starts[points]);
      team.print(
          "%d rows, %d entries on %s: within %.1e of the eigenvector"
              .formatted(n * n, entries, team.client().device().name(), error));
      if (!(error < 1e-11)) {
        throw new IllegalStateException("the error is " + error);
      }
    }
  }

  private static void product(Item it, F64 y, I32 starts, I32 columns, F64 values, F64 x) {
    long row = it.global() / Item.SUBGROUP;
    int end = starts.get(row + 1);
    double sum = 0;
    for (int k = starts.get(row) + it.lane(); k < end; k += Item.SUBGROUP) {
      sum += values.get(k) * x.get(columns.get(k));
    }
    double all = Subgroup.sum(it, sum);
    if (it.lane() == 0) {
      y.set(row, all);
    }
  }

  /** Each point has four neighbours, but those at the edge. Columns are places among the halo. */
  private static void star(
      int n, int first, int points, int[] starts, int[] columns, double[] values) {
    int count = 0;
    for (int point = 0; point < points; point++) {
      int i = first + point;
      int[][] around = {{i, 4}, {i - n, -1}, {i + n, -1}, {i - 1, -1}, {i + 1, -1}};
      for (int[] each : around) {
        boolean beside = each[0] / n == i / n || each[0] % n == i % n;
        if (each[0] >= 0 && each[0] < n * n && beside) {
          int row = each[0] / n - first / n + 1;
          columns[count] = row * (n + 2) + each[0] % n + 1;
          values[count++] = each[1];
        }
      }
      starts[point + 1] = count;
    }
  }

  private static double wave(long index, int n) {
    return Math.sin(Math.PI * (index + 1) / (n + 1));
  }
}
