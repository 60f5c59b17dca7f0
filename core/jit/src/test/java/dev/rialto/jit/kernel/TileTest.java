package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.jit.lift.LiftOptions;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.Lifter;
import dev.rialto.jit.lower.c.CPrinter;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CompilationException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Products of matrix tiles on every target, against three plain loops. */
@Tag("gpu")
final class TileTest {
  private static final Tile TILE = new Tile(32, 16, 16);
  private static final int ROWS = 64;
  private static final int COLUMNS = 48;
  private static final int DEPTH = 32;

  // --- Kernels ----------------------------------------------------------------------------------

  /** A subgroup for each tile; the factors in the arrays of the launch. */
  private static void f16(Item it, F32 c, F16 a, F16 b) {
    long tile = it.global() / 32;
    long row = tile / (COLUMNS / 16) * 32;
    long column = tile % (COLUMNS / 16) * 16;
    float[] sums = TILE.zeros(it);
    for (int k = 0; k < DEPTH; k += 16) {
      TILE.multiplyAdd(
          it, sums, a, row * DEPTH + k, DEPTH, b, (long) k * COLUMNS + column, COLUMNS);
    }
    TILE.store(it, sums, c, row * COLUMNS + column, COLUMNS);
  }

  private static void bf16(Item it, BF16 c, BF16 a, BF16 b) {
    long tile = it.global() / 32;
    long row = tile / (COLUMNS / 16) * 32;
    long column = tile % (COLUMNS / 16) * 16;
    float[] sums = TILE.zeros(it);
    for (int k = 0; k < DEPTH; k += 16) {
      TILE.multiplyAdd(
          it, sums, a, row * DEPTH + k, DEPTH, b, (long) k * COLUMNS + column, COLUMNS);
    }
    TILE.store(it, sums, c, row * COLUMNS + column, COLUMNS);
  }

  private static void tf32(Item it, F32 c, F32 a, F32 b) {
    long tile = it.global() / 32;
    long row = tile / (COLUMNS / 16) * 32;
    long column = tile % (COLUMNS / 16) * 16;
    float[] sums = TILE.zeros(it);
    TILE.load(it, sums, c, row * COLUMNS + column, COLUMNS);
    for (int k = 0; k < DEPTH; k += 16) {
      TILE.multiplyAddTf32(
          it, sums, a, row * DEPTH + k, DEPTH, b, (long) k * COLUMNS + column, COLUMNS);
    }
    TILE.store(it, sums, c, row * COLUMNS + column, COLUMNS);
  }

  private static void f64(Item it, F64 c, F64 a, F64 b) {
    long tile = it.global() / 32;
    long row = tile / (COLUMNS / 16) * 32;
    long column = tile % (COLUMNS / 16) * 16;
    double[] sums = TILE.zeroDoubles(it);
    TILE.load(it, sums, c, row * COLUMNS + column, COLUMNS);
    for (int k = 0; k < DEPTH; k += 16) {
      TILE.multiplyAdd(
          it, sums, a, row * DEPTH + k, DEPTH, b, (long) k * COLUMNS + column, COLUMNS);
    }
    TILE.store(it, sums, c, row * COLUMNS + column, COLUMNS);
  }

  /** Blocks of two subgroups, 64 by 16 sums, whose factors come to shared arrays in turns. */
  private static void shared(Item it, F16 c, F16 a, F16 b) {
    short[] left = it.sharedShorts(2 * 64 * 24);
    short[] right = it.sharedShorts(2 * 16 * 24);
    long column = it.block() * 16;
    int row = it.local() / 32 * 32;
    float[] sums = TILE.zeros(it);
    Tile.copy(it, left, 0, 24, a, 0, DEPTH, 64, 16);
    Tile.copy(it, right, 0, 24, b, column, COLUMNS, 16, 16);
    it.barrier();
    for (int k = 0; k < DEPTH; k += 16) {
      int now = k / 16 % 2;
      if (k + 16 < DEPTH) {
        Tile.copy(it, left, (1 - now) * 64 * 24, 24, a, k + 16, DEPTH, 64, 16);
        Tile.copy(
            it, right, (1 - now) * 16 * 24, 24, b, (k + 16L) * COLUMNS + column, COLUMNS, 16, 16);
      }
      TILE.multiplyAddF16(it, sums, left, now * 64 * 24 + row * 24, 24, right, now * 16 * 24, 24);
      it.barrier();
    }
    TILE.store(it, sums, c, (long) row * COLUMNS + column, COLUMNS);
  }

  private static void sharedOthers(Item it, F32 c, BF16 a, BF16 b, F32 x, F32 y) {
    short[] left = it.sharedShorts(64 * 16);
    short[] right = it.sharedShorts(16 * 16);
    float[] wide = it.sharedFloats(64 * 16);
    float[] narrow = it.sharedFloats(16 * 16);
    long column = it.block() * 16;
    int row = it.local() / 32 * 32;
    float[] sums = TILE.zeros(it);
    for (int k = 0; k < DEPTH; k += 16) {
      Tile.copy(it, left, 0, 16, a, k, DEPTH, 64, 16);
      Tile.copy(it, right, 0, 16, b, (long) k * COLUMNS + column, COLUMNS, 16, 16);
      Tile.copy(it, wide, 0, 16, x, k, DEPTH, 64, 16);
      Tile.copy(it, narrow, 0, 16, y, (long) k * COLUMNS + column, COLUMNS, 16, 16);
      it.barrier();
      TILE.multiplyAddBf16(it, sums, left, row * 16, 16, right, 0, 16);
      TILE.multiplyAddTf32(it, sums, wide, row * 16, 16, narrow, 0, 16);
      it.barrier();
    }
    TILE.store(it, sums, c, (long) row * COLUMNS + column, COLUMNS);
  }

  // --- Matrices ---------------------------------------------------------------------------------

  private static float[] random(int n, long seed) {
    Random random = new Random(seed);
    float[] numbers = new float[n];
    for (int i = 0; i < n; i++) {
      // Few bits, which every format holds.
      numbers[i] = random.nextInt(-64, 64) / 64f;
    }
    return numbers;
  }

  private static final float[] A = random(ROWS * DEPTH, 1);
  private static final float[] B = random(DEPTH * COLUMNS, 2);

  private static double[] product() {
    double[] c = new double[ROWS * COLUMNS];
    for (int i = 0; i < ROWS; i++) {
      for (int j = 0; j < COLUMNS; j++) {
        for (int k = 0; k < DEPTH; k++) {
          c[i * COLUMNS + j] += (double) A[i * DEPTH + k] * B[k * COLUMNS + j];
        }
      }
    }
    return c;
  }

  private static short[] halves(float[] x) {
    short[] bits = new short[x.length];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = Float.floatToFloat16(x[i]);
    }
    return bits;
  }

  private static short[] uppers(float[] x) {
    short[] bits = new short[x.length];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = (short) (Float.floatToRawIntBits(x[i]) >> 16);
    }
    return bits;
  }

  private static double[] doubles(float[] x) {
    double[] numbers = new double[x.length];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = x[i];
    }
    return numbers;
  }

  private static MemorySegment run(
      String target, KernelBody body, int block, long items, MemorySegment... arrays) {
    JavaKernels kernels = KernelTargets.on(target).withBlockSize(block);
    ComputeClient client = kernels.client();
    Object[] buffers = new Object[arrays.length];
    try (JavaKernel kernel = kernels.compile(body)) {
      for (int i = 0; i < arrays.length; i++) {
        buffers[i] = client.create(arrays[i]);
      }
      kernel.launch(items, buffers);
      return client.read((Buffer) buffers[0]);
    } finally {
      for (Object buffer : buffers) {
        if (buffer != null) {
          ((Buffer) buffer).close();
        }
      }
    }
  }

  private static MemorySegment of(short[] x) {
    return MemorySegment.ofArray(x);
  }

  private static MemorySegment of(float[] x) {
    return MemorySegment.ofArray(x);
  }

  private static final int SUBGROUPS = ROWS / 32 * (COLUMNS / 16);

  // --- Tests ------------------------------------------------------------------------------------

  @ParameterizedTest
  @MethodSource("dev.rialto.jit.kernel.KernelTargets#all")
  void halvesAreMultiplied(String target) {
    KernelBody.Of3<F32, F16, F16> body = TileTest::f16;
    float[] c =
        run(
                target,
                body,
                64,
                32 * SUBGROUPS,
                of(new float[ROWS * COLUMNS]),
                of(halves(A)),
                of(halves(B)))
            .toArray(ValueLayout.JAVA_FLOAT);
    assertThat(doubles(c)).containsExactly(product(), within(1e-6));
  }

  @ParameterizedTest
  @MethodSource("dev.rialto.jit.kernel.KernelTargets#all")
  void bfloatsAreMultiplied(String target) {
    KernelBody.Of3<BF16, BF16, BF16> body = TileTest::bf16;
    short[] c =
        run(
                target,
                body,
                32,
                32 * SUBGROUPS,
                of(new short[ROWS * COLUMNS]),
                of(uppers(A)),
                of(uppers(B)))
            .toArray(ValueLayout.JAVA_SHORT);
    double[] expected = product();
    for (int i = 0; i < c.length; i++) {
      double found = Float.intBitsToFloat(c[i] << 16);
      assertThat(found).isCloseTo(expected[i], within(Math.abs(expected[i]) / 256));
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rialto.jit.kernel.KernelTargets#all")
  void floatsAreMultipliedWithElevenBits(String target) {
    KernelBody.Of3<F32, F32, F32> body = TileTest::tf32;
    float[] start = random(ROWS * COLUMNS, 3);
    float[] c =
        run(target, body, 32, 32 * SUBGROUPS, of(start), of(A), of(B))
            .toArray(ValueLayout.JAVA_FLOAT);
    double[] expected = product();
    for (int i = 0; i < c.length; i++) {
      expected[i] += start[i];
    }
    assertThat(doubles(c)).containsExactly(expected, within(1e-6));
  }

  @ParameterizedTest
  @MethodSource("dev.rialto.jit.kernel.KernelTargets#all")
  void whatIsNoNumberStaysNone(String target) {
    KernelBody.Of3<F32, F32, F32> body = TileTest::tf32;
    float[] a = A.clone();
    int[] bits = {Integer.MAX_VALUE, 0x7f800001, -1, 0x7fc00000};
    for (int i = 0; i < bits.length; i++) {
      a[i * DEPTH + i] = Float.intBitsToFloat(bits[i]);
    }
    a[bits.length * DEPTH] = Float.POSITIVE_INFINITY;
    float[] c =
        run(target, body, 32, 32 * SUBGROUPS, of(new float[ROWS * COLUMNS]), of(a), of(B))
            .toArray(ValueLayout.JAVA_FLOAT);
    for (int i = 0; i < bits.length * COLUMNS; i++) {
      assertThat(c[i]).as("element %d on %s", i, target).isNaN();
    }
    assertThat(Math.abs(c[bits.length * COLUMNS])).isEqualTo(Float.POSITIVE_INFINITY);
  }

  @ParameterizedTest
  @MethodSource("dev.rialto.jit.kernel.KernelTargets#all")
  void doublesAreMultiplied(String target) {
    KernelBody.Of3<F64, F64, F64> body = TileTest::f64;
    double[] c =
        run(
                target,
                body,
                32,
                32 * SUBGROUPS,
                MemorySegment.ofArray(new double[ROWS * COLUMNS]),
                MemorySegment.ofArray(doubles(A)),
                MemorySegment.ofArray(doubles(B)))
            .toArray(ValueLayout.JAVA_DOUBLE);
    assertThat(c).containsExactly(product(), within(1e-12));
  }

  @ParameterizedTest
  @MethodSource("dev.rialto.jit.kernel.KernelTargets#all")
  void tilesOfSharedArraysAreMultiplied(String target) {
    KernelBody.Of3<F16, F16, F16> body = TileTest::shared;
    short[] c =
        run(
                target,
                body,
                64,
                64 * (COLUMNS / 16),
                of(new short[ROWS * COLUMNS]),
                of(halves(A)),
                of(halves(B)))
            .toArray(ValueLayout.JAVA_SHORT);
    double[] expected = product();
    for (int i = 0; i < c.length; i++) {
      assertThat((double) Float.float16ToFloat(c[i]))
          .isCloseTo(expected[i], within(Math.abs(expected[i]) / 2048));
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rialto.jit.kernel.KernelTargets#all")
  void sharedBfloatsAndFloatsAreMultiplied(String target) {
    KernelBody.Of5<F32, BF16, BF16, F32, F32> body = TileTest::sharedOthers;
    float[] c =
        run(
                target,
                body,
                64,
                64 * (COLUMNS / 16),
                of(new float[ROWS * COLUMNS]),
                of(uppers(A)),
                of(uppers(B)),
                of(A),
                of(B))
            .toArray(ValueLayout.JAVA_FLOAT);
    double[] expected = product();
    for (int i = 0; i < c.length; i++) {
      expected[i] *= 2;
    }
    assertThat(doubles(c)).containsExactly(expected, within(1e-6));
  }

  @Test
  void plainRunsMultiplyToo() {
    KernelBody.Of3<F16, F16, F16> body = TileTest::shared;
    short[] c = new short[ROWS * COLUMNS];
    PlainRun.of(body, 64, 64 * (COLUMNS / 16), F16.of(c), F16.of(halves(A)), F16.of(halves(B)));
    double[] expected = product();
    assertThat((double) Float.float16ToFloat(c[77]))
        .isCloseTo(expected[77], within(Math.abs(expected[77]) / 2048));
  }

  private static String text(KernelBody body, int block) {
    Lifted lifted =
        Lifter.lift("kernel", body, new LiftOptions(Shape.of(block), null, Bindings.NONE, true));
    return CPrinter.print(KernelTargets.dialect("cuda"), List.of(lifted.forDevice(true)));
  }

  @Test
  void gpusGetInstructionsForTiles() {
    KernelBody.Of3<F16, F16, F16> halves = TileTest::shared;
    assertThat(text(halves, 64))
        .contains("tile_multiply16<32, 16, 16, false, true>(a")
        .contains("tile_copy<64, 16, 64>(&s")
        .contains("tile_store<32, 16, half_store>(a")
        .contains("__shared__ __align__(16) int16_t s")
        .containsPattern("cp.async.wait_all;\" ::: \"memory\"\\);\\s+__syncthreads")
        .doesNotContain("#include");
    KernelBody.Of3<F64, F64, F64> doubles = TileTest::f64;
    assertThat(text(doubles, 32)).contains("tile_multiply_f64<32, 16, 16>(a");
    KernelBody.Of3<F32, F32, F32> floats = TileTest::tf32;
    assertThat(text(floats, 32))
        .contains("tile_multiply_tf32<32, 16, 16>(a", "tile_load<32, 16>(a");
    KernelBody.Of3<BF16, BF16, BF16> uppers = TileTest::bf16;
    assertThat(text(uppers, 32))
        .contains(
            "tile_multiply16<32, 16, 16, true, false>(a", "tile_store<32, 16, upper_store>(a");
  }

  @Test
  void shapesAreRefused() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> new Tile(24, 16, 16))
        .withMessageContaining("24 rows, 16 columns and depth 16; give multiples of 16");
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> new Tile(256, 64, 16))
        .withMessageContaining("16384 sums");
  }

  @Test
  void blocksAndSumsThatDoNotFitAreRefusedWithTheirLine() {
    KernelBody.Of3<F32, F16, F16> body = TileTest::f16;
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> Lifter.lift("kernel", Shape.of(48), body))
        .withMessageContaining("uses tiles in blocks of 48 items")
        .withMessageContaining("TileTest.java:");
    Tile other = new Tile(16, 16, 16);
    KernelBody.Of1<F32> mixed = (Item it, F32 c) -> other.store(it, TILE.zeros(it), c, 0, 16);
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> text(mixed, 32))
        .withMessageContaining("a tile of 16 by 16 with other sums")
        .withMessageContaining("TileTest.java:");
    KernelBody.Of1<F16> apart =
        (Item it, F16 a) -> {
          short[] tile = it.sharedShorts(16 * 20);
          Tile.copy(it, tile, 0, 20, a, 0, 16, 16, 16);
        };
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> text(apart, 32))
        .withMessageContaining("rows 20 elements apart")
        .withMessageContaining("TileTest.java:");
  }

  @Test
  void launchesOfPartialBlocksAreRefused() {
    KernelBody.Of3<F32, F16, F16> body = TileTest::f16;
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(
            () -> run("jvm", body, 64, 32, of(new float[64]), of(new short[64]), of(new short[64])))
        .withMessageContaining("blocks are whole ones");
  }
}
