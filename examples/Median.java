import dev.rialto.array.F64Array;
import dev.rialto.array.Rialto;
import dev.rialto.array.Team;
import dev.rialto.io.Canvas;
import dev.rialto.io.Colors;
import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.Philox;
import dev.rialto.spi.data.Shape;
import dev.rialto.system.Arguments;
import dev.rialto.system.files.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Takes the noise out of an image: a pixel becomes the median of the nine around it. Each rank has
 * some rows of the image and, around them, copies of its neighbours' rows; the kernel is the method
 * below, on the device that is named. The result is compared with plain loops that sort.
 *
 * <p>Arguments: the size of the image, a file for the picture; then {@code --ranks}, {@code
 * --comm}, and {@code --device cuda:0}.
 */
final class Median {
  public static void main(String[] args) {
    Arguments words = Arguments.of(args);
    int n = words.number(0, 256);
    Path picture = Path.of(words.word(1, "median.png"));
    Rialto.run(args, team -> run(team, n, picture));
  }

  private static void run(Team team, int n, Path picture) throws IOException {
    try (F64Array image = team.space(n, n).halo(1).f64();
        F64Array clean = team.f64(n, n);
        JavaKernel kernel =
            team.kernels()
                .withBlock(8, 32)
                .kernel(
                    (Item it, F64 to, F64 from, Long first, Integer size) ->
                        median(it, to, from, first, size))) {
      image.set((i, j) -> pixel(i, j, n));
      image.updateHalo();
      long rows = clean.owned().count() / n;
      long first = rows == 0 ? 0 : clean.elementAt(0) / n;
      kernel.launch(Shape.of(rows, n), clean, image.withHalo(), first, n);
      double[] before = image.gather(0);
      double[] after = clean.gather(0);
      if (team.rank() == 0) {
        check(before, after, n);
        Canvas canvas = new Canvas(2 * n + 8, n);
        canvas.map(0, 0, n, n, before, n, 0, 1, Colors.HEAT);
        canvas.map(n + 8, 0, n, n, after, n, 0, 1, Colors.HEAT);
        WholeFile.write(picture, canvas.png());
      }
      String device = team.client().device().name();
      team.print(
          "%d x %d pixels on %s, as plain Java has them, %s".formatted(n, n, device, picture));
    }
  }

  /**
   * An item's work: it sorts nine pixels, those at the edge again where there are none. The halo is
   * one pixel wide, so that pixel (0, 0) of the rank lies at (1, 1).
   */
  private static void median(Item it, F64 to, F64 from, long first, int size) {
    double[] around = new double[9];
    for (int k = 0; k < 9; k++) {
      long row = Math.clamp(first + it.global(0) + k / 3 - 1, 0, size - 1) - first;
      long column = Math.clamp(it.global(1) + k % 3 - 1, 0, size - 1);
      double pixel = from.get(row + 1, column + 1);
      int place = k;
      while (place > 0 && around[place - 1] > pixel) {
        around[place] = around[place - 1];
        place--;
      }
      around[place] = pixel;
    }
    to.set(it.global(0), it.global(1), around[4]);
  }

  /** Rings of two brightnesses, a tenth of whose pixels are black or white. */
  private static double pixel(long i, long j, int n) {
    double noise = Philox.uniformDouble(1, i * n + j);
    boolean light = Math.hypot(i - n / 2.0, j - n / 3.0) / n * 12 % 2 < 1;
    return noise < 0.05 ? 0 : noise < 0.1 ? 1 : light ? 0.8 : 0.2;
  }

  private static void check(double[] image, double[] clean, int n) {
    double[] around = new double[9];
    for (int i = 0; i < n * n; i++) {
      for (int k = 0; k < 9; k++) {
        int row = Math.clamp(i / n + k / 3 - 1, 0, n - 1);
        around[k] = image[row * n + Math.clamp(i % n + k % 3 - 1, 0, n - 1)];
      }
      Arrays.sort(around);
      if (clean[i] != around[4]) {
        throw new IllegalStateException("pixel %d is %s".formatted(i, clean[i]));
      }
    }
  }
}
