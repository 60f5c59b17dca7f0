package dev.rialto.bench.language;

import static dev.rialto.bench.language.LanguageKernels.BLOCK;
import static dev.rialto.bench.language.LanguageKernels.CHUNK;
import static dev.rialto.bench.language.LanguageKernels.DIGITS;
import static dev.rialto.bench.language.LanguageKernels.PER_ITEM;
import static dev.rialto.bench.language.LanguageKernels.TILE;

import dev.rialto.jit.kernel.F32;
import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * A kernel in Java with what it is launched on. Arguments are arrays of Java's, which each side
 * copies for itself, and numbers, which the peers get as arrays of one element.
 *
 * @param name also the peer's function
 * @param body the kernel
 * @param block the items of a block
 * @param items all items
 * @param results how many of the first arguments are compared
 * @param apart the part of the results that may differ: numbers of turns depend on the last bit
 * @param arguments what a launch passes
 */
public record LanguageCase(
    String name,
    KernelBody body,
    Shape block,
    Shape items,
    int results,
    double apart,
    List<Object> arguments) {
  private static final int MOST = 200;
  static final int SHIFT = 8;
  private static final int ROW = 16;

  /** A case that is made when its turn comes, for its arrays are large. */
  public record Maker(String name, int size, int gpuSize, Function<Integer, LanguageCase> maker) {
    LanguageCase make(boolean gpu) {
      return maker.apply(size(gpu));
    }

    int size(boolean gpu) {
      return gpu ? gpuSize : size;
    }
  }

  public static List<Maker> all() {
    return List.of(
        new Maker("saxpy", 1 << 24, 1 << 26, LanguageCase::saxpy),
        new Maker("stencil5", 4096, 8192, LanguageCase::stencil5),
        new Maker("stencil7", 256, 512, LanguageCase::stencil7),
        new Maker("bodies", 1 << 11, 1 << 15, LanguageCase::bodies),
        new Maker("mandelbrot", 512, 4096, LanguageCase::mandelbrot),
        new Maker("histogram", 1 << 23, 1 << 26, LanguageCase::histogram),
        new Maker("scan", 1 << 23, 1 << 26, LanguageCase::scan),
        new Maker("csr", 1 << 17, 1 << 21, LanguageCase::csr),
        new Maker("product", 512, 2048, LanguageCase::product),
        new Maker("batched", 1 << 16, 1 << 19, LanguageCase::batched),
        new Maker("radix", 1 << 22, 1 << 25, LanguageCase::radix));
  }

  /** Returns the sizes, which the peers have as constants too. */
  public static Map<String, Integer> constants(boolean gpu) {
    Map<String, Integer> constants = new LinkedHashMap<>();
    for (Maker each : all()) {
      constants.put(each.name().toUpperCase(Locale.ROOT), each.size(gpu));
    }
    constants.put("MOST", MOST);
    constants.put("SHIFT", SHIFT);
    return constants;
  }

  private static LanguageCase exact(
      String name, KernelBody body, Shape block, Shape items, int results, Object... arguments) {
    return new LanguageCase(name, body, block, items, results, 0, List.of(arguments));
  }

  private static LanguageCase saxpy(int n) {
    KernelBody.Of3<F32, F32, Float> body =
        (Item it, F32 y, F32 x, Float a) -> LanguageKernels.saxpy(it, y, x, a);
    return exact("saxpy", body, Shape.of(BLOCK), Shape.of(n), 1, floats(n), floats(n), 3f);
  }

  private static LanguageCase stencil5(int n) {
    KernelBody.Of2<F32, F32> body =
        (Item it, F32 b, F32 a) -> LanguageKernels.stencil5(it, b, a, n);
    Shape inside = Shape.of(n - 2, n - 2);
    return exact("stencil5", body, Shape.of(1, BLOCK), inside, 1, new float[n * n], floats(n * n));
  }

  private static LanguageCase stencil7(int n) {
    KernelBody.Of2<F32, F32> body =
        (Item it, F32 b, F32 a) -> LanguageKernels.stencil7(it, b, a, n);
    int cube = n * n * n;
    Shape inside = Shape.of(n - 2, n - 2, n - 2);
    return exact("stencil7", body, Shape.of(1, 4, 64), inside, 1, new float[cube], floats(cube));
  }

  private static LanguageCase bodies(int n) {
    KernelBody.Of7<F32, F32, F32, F32, F32, F32, F32> body = LanguageKernels::bodies;
    return exact(
        "bodies",
        body,
        Shape.of(BLOCK),
        Shape.of(n),
        3,
        new float[n],
        new float[n],
        new float[n],
        floats(n),
        floats(n),
        floats(n),
        floats(n));
  }

  private static LanguageCase mandelbrot(int n) {
    KernelBody.Of1<I32> body =
        (Item it, I32 counts) -> LanguageKernels.mandelbrot(it, counts, n, MOST);
    return new LanguageCase(
        "mandelbrot", body, Shape.of(1, BLOCK), Shape.of(n, n), 1, 0.01, List.of(new int[n * n]));
  }

  private static LanguageCase histogram(int n) {
    KernelBody.Of2<I32, I32> body = LanguageKernels::histogram;
    return exact(
        "histogram",
        body,
        Shape.of(BLOCK),
        Shape.of((long) n / CHUNK * BLOCK),
        1,
        new int[BLOCK],
        ints(n));
  }

  private static LanguageCase scan(int n) {
    KernelBody.Of2<I32, I32> body = LanguageKernels::scan;
    return exact("scan", body, Shape.of(BLOCK), Shape.of(n / PER_ITEM), 1, new int[n], ints(n));
  }

  private static LanguageCase csr(int n) {
    KernelBody.Of5<F64, I32, I32, F64, F64> body = LanguageKernels::csr;
    SplittableRandom random = new SplittableRandom(2);
    int[] starts = new int[n + 1];
    for (int row = 0; row < n; row++) {
      starts[row + 1] = starts[row] + random.nextInt(ROW / 2, ROW * 3 / 2);
    }
    int[] columns = new int[starts[n]];
    double[] values = new double[starts[n]];
    for (int row = 0; row < n; row++) {
      for (int k = starts[row]; k < starts[row + 1]; k++) {
        // Near the diagonal, as grids number their points.
        columns[k] = Math.floorMod(row + random.nextInt(-1000, 1000), n);
        values[k] = random.nextDouble();
      }
    }
    double[] x = random.doubles(n).toArray();
    return exact(
        "csr", body, Shape.of(BLOCK), Shape.of(n), 1, new double[n], starts, columns, values, x);
  }

  private static LanguageCase product(int n) {
    KernelBody.Of3<F32, F32, F32> body =
        (Item it, F32 c, F32 a, F32 b) -> LanguageKernels.product(it, c, a, b, n);
    return exact(
        "product",
        body,
        Shape.of(TILE, TILE),
        Shape.of(n, n),
        1,
        new float[n * n],
        floats(n * n),
        floats(n * n));
  }

  private static LanguageCase batched(int n) {
    KernelBody.Of3<F32, F32, F32> body = LanguageKernels::batched;
    return exact(
        "batched",
        body,
        Shape.of(4, 8, 8),
        Shape.of(n, 8, 8),
        1,
        new float[64 * n],
        floats(64 * n),
        floats(64 * n));
  }

  private static LanguageCase radix(int n) {
    KernelBody.Of3<I32, I32, I32> body =
        (Item it, I32 out, I32 keys, I32 starts) ->
            LanguageKernels.radix(it, out, keys, starts, SHIFT);
    int[] keys = ints(n);
    int perBlock = BLOCK * PER_ITEM;
    int blocks = n / perBlock;
    int[] starts = new int[DIGITS * blocks];
    for (int i = 0; i < n; i++) {
      starts[(keys[i] >>> SHIFT & (DIGITS - 1)) * blocks + i / perBlock]++;
    }
    int place = 0;
    for (int i = 0; i < starts.length; i++) {
      int count = starts[i];
      starts[i] = place;
      place += count;
    }
    return exact(
        "radix", body, Shape.of(BLOCK), Shape.of(n / PER_ITEM), 1, new int[n], keys, starts);
  }

  private static float[] floats(int n) {
    SplittableRandom random = new SplittableRandom(n);
    float[] numbers = new float[n];
    for (int i = 0; i < n; i++) {
      numbers[i] = (float) random.nextDouble();
    }
    return numbers;
  }

  private static int[] ints(int n) {
    return new SplittableRandom(n).ints(n).toArray();
  }

  /** Returns an argument as memory: an array's, or that of a number. */
  public static MemorySegment memory(Object argument) {
    return switch (argument) {
      case double[] a -> MemorySegment.ofArray(a);
      case float[] a -> MemorySegment.ofArray(a);
      case int[] a -> MemorySegment.ofArray(a);
      case Float f -> MemorySegment.ofArray(new float[] {f});
      default -> throw new IllegalArgumentException("no argument of a peer: " + argument);
    };
  }
}
