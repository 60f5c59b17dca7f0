import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.Subgroup;
import dev.rialto.runtime.Devices;
import dev.rialto.system.Arguments;

/**
 * Products of a sparse matrix and a vector, by compressed rows: the items of a subgroup share a
 * row, each takes every 32nd of its entries, and their sums are added without a barrier. The matrix
 * is the star of five points on a square, of which the products with waves are known.
 *
 * <p>Arguments: points along an edge; then {@code --device cuda:0}.
 */
final class SparseProduct {
  public static void main(String[] args) {
    Arguments words = Arguments.of(args);
    int n = words.number(0, 256);
    String device = words.option("--device", "cpu:0");
    int[] starts = new int[n * n + 1];
    int[] columns = new int[5 * n * n];
    double[] values = new double[5 * n * n];
    double[] x = new double[n * n];
    star(n, starts, columns, values);
    for (int i = 0; i < x.length; i++) {
      x[i] = wave(i / n, n) * wave(i % n, n);
    }
    double[] y = new double[n * n];
    try (JavaKernel product =
        JavaKernels.on(Devices.open(device))
            .kernel(
                (Item it, F64 to, I32 starting, I32 column, F64 value, F64 from) ->
                    product(it, to, starting, column, value, from))) {
      product.launch(32L * n * n, y, starts, columns, values, x);
    }
    double factor = 8 * Math.pow(Math.sin(Math.PI / (2 * (n + 1))), 2);
    double error = 0;
    for (int i = 0; i < x.length; i++) {
      error = Math.max(error, Math.abs(y[i] - factor * x[i]));
    }
    System.out.printf(
        "%d rows, %d entries on %s: within %.1e of the eigenvector%n",
        n * n, starts[n * n], device, error);
    if (!(error < 1e-12)) {
      throw new IllegalStateException("the error is " + error);
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

  /** Each point has four neighbours, but those at the edge. */
  private static void star(int n, int[] starts, int[] columns, double[] values) {
    int count = 0;
    for (int i = 0; i < n * n; i++) {
      int[][] around = {{i, 4}, {i - n, -1}, {i + n, -1}, {i - 1, -1}, {i + 1, -1}};
      for (int[] each : around) {
        boolean beside = each[0] / n == i / n || each[0] % n == i % n;
        if (each[0] >= 0 && each[0] < n * n && beside) {
          columns[count] = each[0];
          values[count++] = each[1];
        }
      }
      starts[i + 1] = count;
    }
  }

  private static double wave(int index, int n) {
    return Math.sin(Math.PI * (index + 1) / (n + 1));
  }
}
