package dev.rialto.jit.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.jit.kernel.Bindings;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.KernelTargets;
import dev.rialto.jit.kernel.Philox;
import dev.rialto.jit.kernel.Tile;
import dev.rialto.jit.kernel.Tunable;
import dev.rialto.jit.lift.LiftOptions;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.Lifter;
import dev.rialto.jit.lower.c.CPrinter;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.system.files.TuningCache;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The library on every target and device against plain loops, bit for bit. */
@Tag("gpu")
class KernelLibraryTest {
  private static final List<DType> FLOATS = List.of(DType.F64, DType.F32, DType.F16, DType.BF16);

  private static final Map<String, KernelLibrary> LIBRARIES = new HashMap<>();

  private final List<Buffer> buffers = new ArrayList<>();

  /** All but the interpreter, which takes minutes. */
  static Stream<String> targets() {
    return KernelTargets.all().filter(name -> !name.equals("interpreter"));
  }

  @AfterEach
  void close() {
    buffers.forEach(Buffer::close);
  }

  /** Kept for all tests, because compiling takes longer than the rest. */
  private static KernelLibrary library(String target) {
    return LIBRARIES.computeIfAbsent(
        target, _ -> new KernelLibrary(KernelTargets.on(target), TuningCache.none()));
  }

  @AfterAll
  static void closeLibraries() {
    LIBRARIES.values().forEach(KernelLibrary::close);
    LIBRARIES.clear();
  }

  // --- Elements
  // ------------------------------------------------------------------------------------

  /** Runs with the first candidates alone, because compiling them all takes too long. */
  private static void tuned(boolean on, Runnable work) {
    if (on) {
      work.run();
      return;
    }
    System.setProperty("rialto.tuning", "off");
    try {
      work.run();
    } finally {
      System.clearProperty("rialto.tuning");
    }
  }

  /** A tensor and its elements as they are once stored. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Data(Tensor tensor, double[] values) {
    long extent(int axis) {
      return tensor.shape().extent(axis);
    }
  }

  private static long store(MemorySegment memory, DType type, long i, double value) {
    switch (type) {
      case F64 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, i, value);
      case F32 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, (float) value);
      case F16 ->
          memory.setAtIndex(
              ValueLayout.JAVA_SHORT_UNALIGNED, i, Float.floatToFloat16((float) value));
      case BF16 -> memory.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i, upperHalf((float) value));
      case I64 -> memory.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, (long) value);
      case I32 -> memory.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i, (int) value);
      default -> memory.set(ValueLayout.JAVA_BYTE, i, (byte) value);
    }
    return i;
  }

  private static short upperHalf(float value) {
    int bits = Float.floatToRawIntBits(value);
    return (short) ((bits + 0x7fff + (bits >>> 16 & 1)) >>> 16);
  }

  private static double load(MemorySegment memory, DType type, long i) {
    return switch (type) {
      case F64 -> memory.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, i);
      case F32 -> memory.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i);
      case F16 -> Float.float16ToFloat(memory.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i));
      case BF16 ->
          Float.intBitsToFloat(memory.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i) << 16);
      case I64 -> memory.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i);
      case I32 -> memory.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i);
      default -> memory.get(ValueLayout.JAVA_BYTE, i);
    };
  }

  /** Rounds a number to a type. */
  private static double rounded(DType type, double value) {
    MemorySegment one = MemorySegment.ofArray(new long[1]);
    return load(one, type, store(one, type, 0, value));
  }

  private Data random(ComputeClient client, DType type, long... extents) {
    return random(client, type, Layout.contiguous(type, Shape.of(extents).count()), extents);
  }

  /** A tensor of random numbers; what is between its elements is random too. */
  private Data random(ComputeClient client, DType type, Layout layout, long... extents) {
    Random random = new Random(Arrays.hashCode(extents));
    long span = layout.span() / type.size();
    MemorySegment memory = MemorySegment.ofArray(new long[(int) (layout.span() + 7) / 8 + 1]);
    for (long i = 0; i < span; i++) {
      double number = random.nextDouble(-2, 2);
      store(memory, type, i, type.kind() == DType.Kind.FLOAT ? number : 50 * number);
    }
    Buffer buffer = client.create(memory.asSlice(0, layout.span()));
    buffers.add(buffer);
    Tensor tensor = new Tensor(buffer, Shape.of(extents), layout);
    return new Data(tensor, values(client, tensor));
  }

  private static double[] values(ComputeClient client, Tensor tensor) {
    DType type = tensor.layout().type();
    MemorySegment read = client.read(tensor);
    double[] values = new double[(int) tensor.shape().count()];
    Arrays.setAll(values, i -> load(read, type, i));
    return values;
  }

  private static double farthest(double[] actual, double[] expected) {
    assertThat(actual).hasSameSizeAs(expected);
    double farthest = 0;
    for (int i = 0; i < actual.length; i++) {
      farthest = Math.max(farthest, Math.abs(actual[i] - expected[i]));
    }
    return farthest;
  }

  private static Data transposed(ComputeClient client, Data data) {
    Tensor view = KernelLibrary.transposed(data.tensor());
    return new Data(view, values(client, view));
  }

  // --- Products
  // ------------------------------------------------------------------------------------

  private static double fused(DType type, double a, double b, double sum) {
    return type == DType.F64 ? Math.fma(a, b, sum) : Math.fma((float) a, (float) b, (float) sum);
  }

  /** Rows by columns, for each of a batch. */
  private static double[] product(DType type, Data a, Data b, int batch) {
    int axes = a.tensor().shape().rank();
    int rows = (int) a.extent(axes - 2);
    int summed = (int) a.extent(axes - 1);
    int columns = (int) b.extent(b.tensor().shape().rank() - 1);
    double[] c = new double[batch * rows * columns];
    for (int n = 0; n < batch; n++) {
      int left = axes == 3 ? n * rows * summed : 0;
      int right = b.tensor().shape().rank() == 3 ? n * summed * columns : 0;
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
          double sum = 0;
          for (int k = 0; k < summed; k++) {
            sum =
                fused(
                    type,
                    a.values()[left + i * summed + k],
                    b.values()[right + k * columns + j],
                    sum);
          }
          c[(n * rows + i) * columns + j] = rounded(type, sum);
        }
      }
    }
    return c;
  }

  @ParameterizedTest
  @MethodSource("targets")
  void productsOfOddAndEmptyMatrices(String target) {
    KernelLibrary library = library(target);
    ComputeClient client = KernelTargets.on(target).client();
    int[][] sizes = {{1, 1, 1}, {3, 5, 7}, {65, 17, 33}, {130, 70, 37}, {0, 3, 4}, {3, 4, 0}};
    for (DType type : FLOATS) {
      for (int[] size : sizes) {
        Data a = random(client, type, size[0], size[2]);
        Data b = random(client, type, size[2], size[1]);
        Data c = random(client, type, size[0], size[1]);
        tuned(type.size() >= 4, () -> library.product(c.tensor(), a.tensor(), b.tensor()));
        assertThat(values(client, c.tensor()))
            .as("%s %s on %s", type, Arrays.toString(size), target)
            .containsExactly(product(type, a, b, 1));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  void productsOfTransposedAndPaddedMatricesInBatches(String target) {
    KernelLibrary library = library(target);
    ComputeClient client = KernelTargets.on(target).client();
    for (DType type : FLOATS) {
      Data a = transposed(client, random(client, type, 3, 20, 19));
      Data b = transposed(client, random(client, type, 18, 20));
      Layout apart = Layout.strided(type, Shape.of(3, 19, 18), new long[] {500, 1, 21}, 7);
      Data c = random(client, type, apart, 3, 19, 18);
      tuned(type == DType.F32, () -> library.product(c.tensor(), a.tensor(), b.tensor()));
      assertThat(values(client, c.tensor()))
          .as("%s on %s", type, target)
          .containsExactly(product(type, a, b, 3));
      Layout backwards = Layout.strided(type, Shape.of(20, 18), new long[] {-18, 1}, 342);
      Data d = random(client, type, backwards, 20, 18);
      tuned(type == DType.F32, () -> library.product(c.tensor(), a.tensor(), d.tensor()));
      assertThat(values(client, c.tensor()))
          .as("%s on %s", type, target)
          .containsExactly(product(type, a, d, 3));
    }
  }

  /** Whole blocks, blocks that are cut off, and panels that are; factors in both orders. */
  @ParameterizedTest
  @MethodSource("targets")
  void allCandidatesForProductsHaveTheBitsOfThePlainOne(String target) {
    JavaKernels on = KernelTargets.on(target);
    int candidates = on.vectorBits() > 0 ? 2 : 5;
    for (DType type : List.of(DType.F64, DType.F32)) {
      try (Tunable products = ProductKernels.of(on, type).withCache(TuningCache.none())) {
        for (int[] e : new int[][] {{256, 64, 256}, {131, 65, 133}, {9, 150, 300}}) {
          for (boolean isTransposed : new boolean[] {false, true}) {
            Shape size = Shape.of(isTransposed ? 1 : 2, e[0], e[1]);
            long[] numbers = numbers(e[0], e[1], e[2], isTransposed);
            products.launch(
                size,
                numbers(type, 2 * e[0] * e[1]),
                numbers(type, 2 * e[0] * e[2]),
                numbers(type, e[2] * e[1]),
                numbers);
            assertThat(products.answer(size).orElseThrow().millis())
                .as("%s %s on %s", type, size, target)
                .hasSize(candidates);
          }
        }
      }
    }
  }

  /** The extents and places of matrices, with columns or rows side by side. */
  private static long[] numbers(long rows, long columns, long summed, boolean isTransposed) {
    return isTransposed
        ? new long[] {rows, columns, summed, 0, 0, 1, rows, 0, 0, 1, rows, 0, 0, 1, summed}
        : new long[] {
          rows,
          columns,
          summed,
          0,
          rows * columns,
          columns,
          1,
          0,
          rows * summed,
          summed,
          1,
          0,
          0,
          columns,
          1
        };
  }

  private static Object numbers(DType type, int count) {
    double[] numbers = new Random(count).doubles(count, -1, 1).toArray();
    float[] floats = new float[count];
    for (int i = 0; i < count; i++) {
      floats[i] = (float) numbers[i];
    }
    return type == DType.F64 ? numbers : floats;
  }

  @ParameterizedTest
  @MethodSource("targets")
  void productsOfHalvesAreCloseToThoseInOrder(String target) {
    KernelLibrary library = library(target);
    ComputeClient client = KernelTargets.on(target).client();
    for (DType type : List.of(DType.F16, DType.BF16)) {
      Data a = random(client, type, 2, 136, 72);
      Data b = transposed(client, random(client, type, 264, 72));
      Data c = random(client, type, 2, 136, 264);
      library.product(c.tensor(), a.tensor(), b.tensor());
      double farthest = farthest(values(client, c.tensor()), product(type, a, b, 2));
      assertThat(farthest).as("%s on %s", type, target).isLessThan(type == DType.F16 ? 0.02 : 0.2);
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  void productsOfWholeTilesAreCloseToThoseInOrder(String target) {
    JavaKernels on = KernelTargets.on(target);
    ComputeClient client = on.client();
    // They differ by how an element is read, which one target shows.
    List<DType> types = target.equals("jvm") ? List.of(DType.F16, DType.BF16) : List.of(DType.F16);
    for (DType type : types) {
      Data a = random(client, type, 2, 128, 64);
      Data b = random(client, type, 64, 256);
      Data c = random(client, type, 2, 128, 256);
      long[] numbers = {128, 256, 64, 0, 32_768, 256, 1, 0, 8192, 64, 1, 0, 0, 256, 1};
      assertThat(HalfProductKernels.fits(type, numbers)).isTrue();
      try (Tunable tiles = HalfProductKernels.of(on, type).withCache(TuningCache.none())) {
        tiles.launch(
            Shape.of(2, 128, 256),
            c.tensor().buffer(),
            a.tensor().buffer(),
            b.tensor().buffer(),
            numbers);
        assertThat(tiles.answer(Shape.of(2, 128, 256)).orElseThrow().millis()).hasSize(2);
      }
      double farthest = farthest(values(client, c.tensor()), product(type, a, b, 2));
      assertThat(farthest).as("%s on %s", type, target).isLessThan(type == DType.F16 ? 0.02 : 0.2);
    }
    assertThat(HalfProductKernels.fits(DType.F16, new long[] {128, 130, 64})).isFalse();
  }

  @Test
  void gpusGetInstructionsForWholeTiles() {
    JavaKernels on = KernelTargets.on("jvm");
    Tile tile = new Tile(64, 64, 32);
    for (DType type : List.of(DType.F16, DType.BF16)) {
      Tunable.Candidate each = HalfProductKernels.candidate(on, type, tile);
      Shape block = each.settings().block();
      Lifted lifted =
          Lifter.lift("kernel", each.body(), new LiftOptions(block, null, Bindings.NONE, true));
      assertThat(CPrinter.print(KernelTargets.dialect("cuda"), List.of(lifted.forDevice(true))))
          .contains("tile_multiply16<64, 64, 32, " + (type == DType.BF16) + ", true>(a")
          .contains("tile_copy<128, 32, 128>(&s")
          .contains("tile_copy<32, 128, 128>(&s")
          .contains("tile_store<64, 64, ");
    }
  }

  @Test
  void gpusKeepTheSumsOfATileInRegisters() {
    Tunable.Candidate each =
        new ProductKernels.Tile(64, 64, 16, 4, 4).candidate(KernelTargets.on("jvm"), DType.F32);
    Shape block = each.settings().block();
    Lifted lifted =
        Lifter.lift("kernel", each.body(), new LiftOptions(block, null, Bindings.NONE, true));
    String text = CPrinter.print(KernelTargets.dialect("cuda"), List.of(lifted.forDevice(true)));
    // Those over products, rows and columns, and over rows and columns that are stored.
    assertThat(text.split("#pragma unroll\\n *for \\(;;\\)", -1)).hasSize(6);
  }

  @ParameterizedTest
  @MethodSource("targets")
  void noCandidateIsDropped(String target) {
    JavaKernels on = KernelTargets.on(target);
    long n = 40;
    long[] numbers = {n, n, n, 0, 0, n, 1, 0, 0, n, 1, 0, 0, n, 1};
    float[] x = new float[1600];
    try (Tunable products = ProductKernels.of(on, DType.F32).withCache(TuningCache.none());
        Tunable transposes = TransposeKernels.of(on, 4).withCache(TuningCache.none())) {
      products.launch(Shape.of(1, n, n), new float[1600], x, x, numbers);
      int candidates = on.vectorBits() > 0 ? 2 : 5;
      assertThat(products.answer(Shape.of(1, n, n)).orElseThrow().millis()).hasSize(candidates);
      long[] places = {n, n, 0, 0, n, 1, 0, 0, n, 1};
      transposes.launch(Shape.of(1, n, n), new int[1600], new int[1600], places);
      assertThat(transposes.answer(Shape.of(1, n, n)).orElseThrow().millis()).hasSize(2);
    }
  }

  // --- Transposes and convolutions
  // -----------------------------------------------------------------

  @ParameterizedTest
  @MethodSource("targets")
  void transposesOfEveryTypeAreMovedBitForBit(String target) {
    KernelLibrary library = library(target);
    ComputeClient client = KernelTargets.on(target).client();
    for (DType type : List.of(DType.F64, DType.F32, DType.BF16, DType.I8)) {
      for (long[] size : new long[][] {{1, 1, 1}, {2, 33, 70}, {1, 100, 3}, {3, 0, 5}}) {
        Data from = random(client, type, size);
        Data to = random(client, type, size[0], size[2], size[1]);
        tuned(type == DType.F32, () -> library.transpose(to.tensor(), from.tensor()));
        assertThat(values(client, to.tensor()))
            .as("%s %s on %s", type, Arrays.toString(size), target)
            .containsExactly(transposed(client, from).values());
      }
    }
  }

  private static double[] convolved(
      DType type, Shape to, Data from, Data weights, int stride, int padding) {
    double[] all = new double[(int) to.count()];
    int[] f = Arrays.stream(from.tensor().shape().extents()).mapToInt(Math::toIntExact).toArray();
    int[] w =
        Arrays.stream(weights.tensor().shape().extents()).mapToInt(Math::toIntExact).toArray();
    int next = 0;
    for (int b = 0; b < to.extent(0); b++) {
      for (int o = 0; o < to.extent(1); o++) {
        for (int y = 0; y < to.extent(2); y++) {
          for (int x = 0; x < to.extent(3); x++) {
            double sum = 0;
            for (int c = 0; c < w[1]; c++) {
              for (int r = 0; r < w[2]; r++) {
                for (int s = 0; s < w[3]; s++) {
                  int row = y * stride + r - padding;
                  int column = x * stride + s - padding;
                  if (row >= 0 && row < f[2] && column >= 0 && column < f[3]) {
                    double value = from.values()[((b * f[1] + c) * f[2] + row) * f[3] + column];
                    double weight = weights.values()[((o * w[1] + c) * w[2] + r) * w[3] + s];
                    sum = fused(type, value, weight, sum);
                  }
                }
              }
            }
            all[next++] = rounded(type, sum);
          }
        }
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("targets")
  void convolutionsOfImages(String target) {
    KernelLibrary library = library(target);
    ComputeClient client = KernelTargets.on(target).client();
    for (DType type : FLOATS) {
      Data from = random(client, type, 2, 3, 11, 13);
      Data weights = random(client, type, 5, 3, 3, 2);
      for (int[] how : new int[][] {{1, 0}, {2, 1}}) {
        long rows = (11 + 2L * how[1] - 3) / how[0] + 1;
        long columns = (13 + 2L * how[1] - 2) / how[0] + 1;
        Data to = random(client, type, 2, 5, rows, columns);
        tuned(
            type == DType.F32,
            () -> library.convolve(to.tensor(), from.tensor(), weights.tensor(), how[0], how[1]));
        assertThat(values(client, to.tensor()))
            .as("%s %s on %s", type, Arrays.toString(how), target)
            .containsExactly(convolved(type, to.tensor().shape(), from, weights, how[0], how[1]));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  void aConvolutionOfSignalsIsOneOfImagesWithOneRow(String target) {
    KernelLibrary library = library(target);
    ComputeClient client = KernelTargets.on(target).client();
    Data from = random(client, DType.F32, 2, 1, 100);
    Data weights = random(client, DType.F32, 4, 1, 9);
    Data to = random(client, DType.F32, 2, 4, 100);
    library.convolve(to.tensor(), from.tensor(), weights.tensor(), 1, 4);
    double[] expected = new double[800];
    for (int place = 0; place < 800; place++) {
      double sum = 0;
      for (int s = 0; s < 9; s++) {
        int column = place % 100 + s - 4;
        if (column >= 0 && column < 100) {
          double value = from.values()[place / 400 * 100 + column];
          sum = fused(DType.F32, value, weights.values()[place / 100 % 4 * 9 + s], sum);
        }
      }
      expected[place] = sum;
    }
    assertThat(values(client, to.tensor())).containsExactly(expected);
  }

  // --- Segments and random numbers
  // -----------------------------------------------------------------

  @ParameterizedTest
  @MethodSource("targets")
  void reductionsOfShortLongAndEmptySegments(String target) {
    KernelLibrary library = library(target);
    ComputeClient client = KernelTargets.on(target).client();
    long[] starts = {0, 0, 1, 6, 37, 69, 69, 400, 1000, 1000};
    Buffer buffer = client.create(MemorySegment.ofArray(starts));
    buffers.add(buffer);
    Tensor places = new Tensor(buffer, Shape.of(10), Layout.contiguous(DType.I64, 10));
    for (DType type : List.of(DType.F64, DType.F32, DType.I64, DType.I32, DType.I8)) {
      Data from = random(client, type, 1000);
      Data to = random(client, type, 9);
      for (Reduction op : type.size() == 8 ? Reduction.values() : new Reduction[] {Reduction.SUM}) {
        boolean all = type.size() == 8 && op == Reduction.SUM;
        tuned(all, () -> library.reduceSegments(to.tensor(), from.tensor(), places, op));
        double[] expected = new double[9];
        for (int i = 0; i < 9; i++) {
          double[] part = Arrays.copyOfRange(from.values(), (int) starts[i], (int) starts[i + 1]);
          expected[i] =
              type.kind() == DType.Kind.FLOAT
                  ? rounded(type, reals(op, part))
                  : integers(op, type, part);
        }
        assertThat(values(client, to.tensor()))
            .as("%s of %s on %s", op, type, target)
            .containsExactly(expected);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  void segmentsEndWhereTheElementsDo(String target) {
    KernelLibrary library = library(target);
    ComputeClient client = KernelTargets.on(target).client();
    long[] starts = {Long.MIN_VALUE, 3, 1L << 40, Long.MAX_VALUE, -5, 10};
    Tensor places = tensor(client, MemorySegment.ofArray(starts), DType.I64, Shape.of(6));
    for (DType type : List.of(DType.F64, DType.I64)) {
      Data from = random(client, type, 40);
      Data to = random(client, type, 5);
      for (boolean all : new boolean[] {false, true}) {
        tuned(all, () -> library.reduceSegments(to.tensor(), from.tensor(), places, Reduction.SUM));
        double[] x = from.values();
        double[] expected = new double[5];
        int[][] ends = {{0, 3}, {3, 40}, {40, 40}, {40, 0}, {0, 10}};
        for (int i = 0; i < 5; i++) {
          double[] part = Arrays.copyOfRange(x, ends[i][0], Math.max(ends[i][0], ends[i][1]));
          expected[i] =
              type == DType.F64 ? reals(Reduction.SUM, part) : integers(Reduction.SUM, type, part);
        }
        assertThat(values(client, to.tensor()))
            .as("%s on %s", type, target)
            .containsExactly(expected);
      }
    }
  }

  private Tensor tensor(ComputeClient client, MemorySegment elements, DType type, Shape shape) {
    Buffer buffer = client.create(elements);
    buffers.add(buffer);
    return new Tensor(buffer, shape, Layout.contiguous(type, shape.count()));
  }

  @Test
  void resultsWithSeveralElementsAtOnePlaceAreRefused() {
    KernelLibrary library = library("jvm");
    ComputeClient client = KernelTargets.on("jvm").client();
    Tensor a = random(client, DType.F64, 3, 3).tensor();
    Tensor b = random(client, DType.F64, 3, 3).tensor();
    Tensor image = random(client, DType.F64, 3, 3, 3).tensor();
    Tensor weights = random(client, DType.F64, 3, 3, 1).tensor();
    Buffer room = random(client, DType.F64, 27).tensor().buffer();
    Shape square = Shape.of(3, 3);
    Tensor rows = new Tensor(room, square, Layout.strided(DType.F64, square, new long[] {0, 1}, 0));
    Shape cube = Shape.of(3, 3, 3);
    long[] strides = {9, 1, 1};
    Tensor signals = new Tensor(room, cube, Layout.strided(DType.F64, cube, strides, 0));
    refused(() -> library.product(rows, a, b), "several at one place");
    refused(() -> library.transpose(rows, a), "several at one place");
    refused(() -> library.convolve(signals, image, weights, 1, 0), "several at one place");
    library.product(a, rows, b);
  }

  private static void refused(ThrowingCallable call, String words) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }

  @Test
  void aHistogramThatIsRefusedLeavesTheCounts() {
    ComputeClient client = KernelTargets.on("jvm").client();
    long[] before = {7, 8, 9, 10};
    Tensor all = tensor(client, MemorySegment.ofArray(before), DType.I64, Shape.of(4));
    refused(() -> library("jvm").histogram(all, all, 0, 1), "overlap");
    assertThat(client.read(all.buffer()).toArray(ValueLayout.JAVA_LONG)).containsExactly(before);
  }

  @Test
  void aClosedLibraryIsRefusedByName() {
    JavaKernels on = KernelTargets.on("jvm");
    KernelLibrary library = new KernelLibrary(on, TuningCache.none());
    Tensor numbers = random(on.client(), DType.F64, 8).tensor();
    Tensor square = random(on.client(), DType.F64, 2, 2).tensor();
    Tensor other = random(on.client(), DType.F64, 2, 2).tensor();
    library.close();
    library.close();
    for (Runnable use :
        List.<Runnable>of(
            () -> library.uniform(numbers, 1),
            () -> library.sort(numbers),
            () -> library.transpose(square, other))) {
      assertThatThrownBy(use::run)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
    }
  }

  private static double reals(Reduction op, double[] part) {
    double[] lanes = new double[32];
    Arrays.fill(lanes, op.neutral());
    for (int i = 0; i < part.length; i++) {
      lanes[i % 32] = op.combine(lanes[i % 32], part[i]);
    }
    for (int far = 16; far > 0; far /= 2) {
      for (int lane = 0; lane < far; lane++) {
        lanes[lane] = op.combine(lanes[lane], lanes[lane + far]);
      }
    }
    return lanes[0];
  }

  private static double integers(Reduction op, DType type, double[] part) {
    long all = op.neutral(type.size());
    for (double each : part) {
      all = op.combine(all, (long) each);
    }
    return switch (type) {
      case I64 -> all;
      case I32 -> (int) all;
      default -> (byte) all;
    };
  }

  @ParameterizedTest
  @MethodSource("targets")
  void randomNumbersBelongToTheirIndex(String target) {
    KernelLibrary library = library(target);
    ComputeClient client = KernelTargets.on(target).client();
    Data doubles = random(client, DType.F64, 10_000);
    library.uniform(doubles.tensor(), 2026);
    double[] expected = new double[10_000];
    Arrays.setAll(expected, i -> Philox.uniformDouble(2026, i));
    assertThat(values(client, doubles.tensor())).containsExactly(expected);
    Data floats = random(client, DType.F32, 10_000);
    library.normal(floats.tensor(), 2026);
    double[] normal = values(client, floats.tensor());
    assertThat(Arrays.stream(normal).average().orElseThrow()).isCloseTo(0, within(0.05));
    assertThat(Arrays.stream(normal).map(x -> x * x).average().orElseThrow())
        .isCloseTo(1, within(0.05));
    library.normal(doubles.tensor(), 2026);
    assertThat(values(client, doubles.tensor())[77]).isCloseTo(normal[77], within(1e-6));
  }

  @Test
  void whatDoesNotFitIsRefusedWithItsShapes() {
    KernelLibrary library = library("jvm");
    ComputeClient client = KernelTargets.on("jvm").client();
    Tensor a = random(client, DType.F64, 3, 4).tensor();
    Tensor b = random(client, DType.F64, 5, 3).tensor();
    Tensor c = random(client, DType.F64, 3, 3).tensor();
    assertThatThrownBy(() -> library.product(c, a, b))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a product of shape 3x3 of shapes 3x4 and 5x3");
    assertThatThrownBy(() -> library.transpose(c, a))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a transpose of shape 3x3 of shape 3x4");
    assertThatThrownBy(() -> library.product(c, c, KernelLibrary.transposed(c)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("overlap");
  }
}
