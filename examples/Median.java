import dev.rialto.io.Canvas;
import dev.rialto.io.Colors;
import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.kernel.PlainRun;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.data.Shape;
import dev.rialto.system.Arguments;
import dev.rialto.system.files.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

/**
 * Takes the noise out of an image: a pixel becomes the median of the nine around it. The kernel is
 * the method below, on the device that is named, and the result is compared with the same method
 * run as plain Java.
 *
 * <p>Arguments: the size of the image, a file for the picture; then {@code --device cuda:0}.
 */
final class Median {
  public static void main(String[] args) throws IOException {
    Arguments words = Arguments.of(args);
    int n = words.number(0, 256);
    Path picture = Path.of(words.word(1, "median.png"));
    String device = words.option("--device", "cpu:0");
    double[] image = rings(n);
    double[] clean = new double[n * n];
    KernelBody.Of2<F64, F64> median = (Item it, F64 to, F64 from) -> median(it, to, from);
    try (JavaKernel kernel =
        JavaKernels.on(Devices.open(device)).withBlock(8, 32).compile(median)) {
      kernel.launch(Shape.of(n, n), clean, image);
    }
    double[] expected = new double[n * n];
    PlainRun.of(median, Shape.of(8, 32), Shape.of(n, n), F64.of(expected), F64.of(image));
    Canvas canvas = new Canvas(2 * n + 8, n);
    canvas.map(0, 0, n, n, image, n, 0, 1, Colors.HEAT);
    canvas.map(n + 8, 0, n, n, clean, n, 0, 1, Colors.HEAT);
    WholeFile.write(picture, canvas.png());
    if (!Arrays.equals(clean, expected)) {
      throw new IllegalStateException("the kernel differs from plain Java");
    }
    System.out.printf("%d x %d pixels on %s, as plain Java has them, %s%n", n, n, device, picture);
  }

  /** What an item does: it sorts nine pixels, those at the edge again where there are none. */
  private static void median(Item it, F64 to, F64 from) {
    long rows = it.globalSize(0);
    long columns = it.globalSize(1);
    double[] around = new double[9];
    for (int k = 0; k < 9; k++) {
      long row = Math.clamp(it.global(0) + k / 3 - 1, 0, rows - 1);
      long column = Math.clamp(it.global(1) + k % 3 - 1, 0, columns - 1);
      double pixel = from.get(row * columns + column);
      int place = k;
      while (place > 0 && around[place - 1] > pixel) {
        around[place] = around[place - 1];
        place--;
      }
      around[place] = pixel;
    }
    to.set(it.global(), around[4]);
  }

  /** Rings of two brightnesses, a tenth of whose pixels are black or white. */
  private static double[] rings(int n) {
    Random random = new Random(1);
    double[] image = new double[n * n];
    for (int i = 0; i < image.length; i++) {
      boolean light = Math.hypot(i / n - n / 2.0, i % n - n / 3.0) / n * 12 % 2 < 1;
      image[i] = random.nextInt(10) == 0 ? random.nextInt(2) : light ? 0.8 : 0.2;
    }
    return image;
  }
}
