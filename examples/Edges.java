import dev.rialto.array.Array;
import dev.rialto.array.F64Array;
import dev.rialto.array.IndexSpace;
import dev.rialto.array.Rialto;
import dev.rialto.array.Team;
import dev.rialto.io.Canvas;
import dev.rialto.io.Colors;
import dev.rialto.io.NpyFile;
import dev.rialto.jit.Program;
import dev.rialto.jit.run.Compiled;
import dev.rialto.jit.run.Context;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.jit.run.Routine;
import dev.rialto.spi.data.Shape;
import dev.rialto.system.Arguments;
import dev.rialto.system.files.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/**
 * Finds edges in an image with a kernel: it is smoothed, its slopes along both axes are taken, and
 * their size is what is drawn. The program below is compiled to machine code for the device that is
 * named; each rank runs it on the rows that it has of the image, in place, and on two more on each
 * side, which are copies of its neighbours'. The result is compared with the same written as plain
 * loops.
 *
 * <p>Arguments: an image (a NumPy file of float64 with two axes), or the size of one that is made;
 * a file for the picture; then {@code --ranks}, {@code --comm}, {@code --device opencl:0}, and for
 * the host's cores {@code --target cc}.
 */
final class Edges {
  private static final double[] SMOOTH = {1, 2, 1, 2, 4, 2, 1, 2, 1};

  private static final String KERNEL =
      """
      input image f64[%1$d, %2$d]
      input weights f64[3, 3]
      smooth[i, j] += pad(image[i+k-1, j+l-1]) * weights[k, l] + 0 * image[i, j]
      across[i, j] = pad(smooth[i, j+1]) - pad(smooth[i, j-1]) + 0 * image[i, j]
      down[i, j] = pad(smooth[i+1, j]) - pad(smooth[i-1, j]) + 0 * image[i, j]
      output edges[i, j] = sqrt(across[i, j] * across[i, j] + down[i, j] * down[i, j])
      """;

  public static void main(String[] args) {
    Arguments words = Arguments.of(args);
    String source = words.word(0, "256");
    Path picture = Path.of(words.word(1, "edges.png"));
    String target = words.option("--target", "jvm");
    Rialto.run(args, team -> run(team, source, picture, target));
  }

  private static void run(Team team, String source, Path picture, String target)
      throws IOException {
    try (JitBackend machine = JitBackend.on(team.client(), target);
        F64Array image = image(team, source);
        F64Array edges = filter(machine, image)) {
      double[] pixels = image.gather(0);
      double[] found = edges.gather(0);
      if (team.rank() == 0) {
        show(pixels, found, (int) image.shape().extent(1), picture, machine.name());
      }
    }
  }

  /** Reads an image, or makes rings of two brightnesses. */
  private static F64Array image(Team team, String source) throws IOException {
    if (source.endsWith(".npy")) {
      Array read = NpyFile.load(Path.of(source), team);
      if (read instanceof F64Array image && image.shape().rank() == 2) {
        return image;
      }
      throw new IllegalArgumentException(source + " is no float64 image of two axes");
    }
    int n = Integer.parseInt(source);
    F64Array image = team.f64(n, n);
    image.set((i, j) -> Math.hypot(i - n / 2.0, j - n / 3.0) / n * 12 % 2 < 1 ? 1 : 0.2);
    return image;
  }

  /** Runs the kernel on this rank's part of an image, and of the edges. */
  private static F64Array filter(JitBackend machine, F64Array image) {
    IndexSpace space = image.space().halo(2);
    F64Array edges = space.f64();
    try (F64Array padded = space.f64()) {
      padded.copy(image);
      padded.updateHalo();
      Shape part = padded.localShape();
      Program program = Program.parse("edges", KERNEL.formatted(part.extent(0), part.extent(1)));
      try (Compiled compiled = machine.compile(program);
          Context root = machine.newDevice(space.client()).context();
          Context arrays =
              root.with(Map.of(program.node("image"), padded, program.node("edges"), edges));
          Routine routine = machine.link(arrays, compiled);
          Context context = routine.context()) {
        context.write(program.node("weights"), SMOOTH);
        routine.run();
        context.device().await();
      }
    }
    return edges;
  }

  private static void show(double[] image, double[] edges, int columns, Path picture, String target)
      throws IOException {
    int rows = image.length / columns;
    double error = compare(image, rows, columns, edges);
    draw(picture, image, edges, rows, columns);
    System.out.printf(
        "%d x %d pixels by %s: within %.1e of plain loops, %s%n",
        rows, columns, target, error, picture);
    if (!(error < 1e-9)) {
      throw new IllegalStateException("the kernel differs by " + error);
    }
  }

  /** Returns the largest difference from plain loops, of the largest edge. */
  private static double compare(double[] image, int rows, int columns, double[] edges) {
    double difference = 0;
    double largest = 0;
    for (int i = 0; i < image.length; i++) {
      int row = i / columns;
      int column = i % columns;
      double across =
          smooth(image, rows, columns, row, column + 1)
              - smooth(image, rows, columns, row, column - 1);
      double down =
          smooth(image, rows, columns, row + 1, column)
              - smooth(image, rows, columns, row - 1, column);
      difference = Math.max(difference, Math.abs(Math.hypot(across, down) - edges[i]));
      largest = Math.max(largest, Math.hypot(across, down));
    }
    return difference / largest;
  }

  private static double smooth(double[] image, int rows, int columns, int row, int column) {
    double sum = 0;
    for (int k = 0; k < 9; k++) {
      sum += SMOOTH[k] * pixel(image, rows, columns, row + k / 3 - 1, column + k % 3 - 1);
    }
    return sum;
  }

  /** Outside of the image all is dark. */
  private static double pixel(double[] image, int rows, int columns, int row, int column) {
    boolean inside = row >= 0 && row < rows && column >= 0 && column < columns;
    return inside ? image[row * columns + column] : 0;
  }

  private static void draw(Path file, double[] image, double[] edges, int rows, int columns)
      throws IOException {
    Canvas canvas = new Canvas(2 * columns + 8, rows);
    canvas.map(0, 0, columns, rows, image, columns, 0, 1, Colors.HEAT);
    double most = Arrays.stream(edges).max().orElse(1);
    canvas.map(columns + 8, 0, columns, rows, edges, columns, 0, most, Colors.HEAT);
    WholeFile.write(file, canvas.png());
  }
}
