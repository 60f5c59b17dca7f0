package dev.rialto.jit.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.jit.kernel.KernelTargets;
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
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Sorts, histograms and selections of the library, on every target and device, against the JDK. */
@Tag("gpu")
class KeyAlgorithmsTest {
  private static final Map<String, KernelLibrary> LIBRARIES = new HashMap<>();
  private static final int[] SIZES = {0, 1, 2, 4095, 4096, 10_001};

  private final List<Buffer> buffers = new ArrayList<>();

  /** All but the interpreter, which takes minutes. */
  static Stream<String> targets() {
    return KernelTargets.all().filter(name -> !name.equals("interpreter"));
  }

  private static KernelLibrary library(String target) {
    return LIBRARIES.computeIfAbsent(
        target, _ -> new KernelLibrary(KernelTargets.on(target), TuningCache.none()));
  }

  @AfterAll
  static void closeLibraries() {
    LIBRARIES.values().forEach(KernelLibrary::close);
    LIBRARIES.clear();
  }

  @AfterEach
  void close() {
    buffers.forEach(Buffer::close);
  }

  private Tensor tensor(String target, DType type, MemorySegment elements) {
    Buffer buffer = KernelTargets.on(target).client().create(elements);
    buffers.add(buffer);
    long count = elements.byteSize() / type.size();
    return new Tensor(buffer, Shape.of(count), Layout.contiguous(type, count));
  }

  private static MemorySegment read(String target, Tensor tensor) {
    return KernelTargets.on(target).client().read(tensor);
  }

  private static double[] doubles(int n) {
    double[] x = new Random(n).doubles(n, -1e10, 1e10).toArray();
    double[] special = {Double.NaN, -0.0, 0.0, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, -1};
    for (int i = 0; i < special.length && 3 * i < n; i++) {
      x[3 * i] = special[i];
    }
    return x;
  }

  @ParameterizedTest
  @MethodSource("targets")
  void sortsOfReals(String target) {
    for (int n : SIZES) {
      double[] wide = doubles(n);
      Tensor keys = tensor(target, DType.F64, MemorySegment.ofArray(wide));
      library(target).sort(keys);
      Arrays.sort(wide);
      assertThat(read(target, keys).toArray(ValueLayout.JAVA_DOUBLE))
          .as("%d on %s", n, target)
          .containsExactly(wide);
      float[] narrow = new float[n];
      for (int i = 0; i < n; i++) {
        narrow[i] = (float) wide[(int) (i * 7919L % n)];
      }
      Tensor floats = tensor(target, DType.F32, MemorySegment.ofArray(narrow));
      library(target).sort(floats);
      Arrays.sort(narrow);
      assertThat(read(target, floats).toArray(ValueLayout.JAVA_FLOAT))
          .as("%d on %s", n, target)
          .containsExactly(narrow);
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  void sortsOfIntegersMoveValuesAndKeepTheirOrder(String target) {
    for (int n : SIZES) {
      int[] keys = new Random(n).ints(n, -50, 50).toArray();
      int[] order =
          IntStream.range(0, n)
              .boxed()
              .sorted(Comparator.comparingInt(i -> keys[i]))
              .mapToInt(i -> i)
              .toArray();
      Tensor ints = tensor(target, DType.I32, MemorySegment.ofArray(keys));
      Tensor numbers =
          tensor(target, DType.I32, MemorySegment.ofArray(IntStream.range(0, n).toArray()));
      library(target).sort(ints, numbers);
      assertThat(read(target, numbers).toArray(ValueLayout.JAVA_INT))
          .as("%d on %s", n, target)
          .containsExactly(order);
      long[] longs = Arrays.stream(keys).mapToLong(k -> k * 0x123456789abL).toArray();
      Tensor wide = tensor(target, DType.I64, MemorySegment.ofArray(longs));
      Tensor values = tensor(target, DType.I64, MemorySegment.ofArray(longs));
      library(target).sort(wide, values);
      Arrays.sort(longs);
      assertThat(read(target, wide).toArray(ValueLayout.JAVA_LONG)).containsExactly(longs);
      assertThat(read(target, values).toArray(ValueLayout.JAVA_LONG)).containsExactly(longs);
    }
  }

  /** So many tiles that blocks look back at several which are under way at the same time. */
  @ParameterizedTest
  @MethodSource("targets")
  void longSortsKeepTheOrderOfEqualKeys(String target) {
    int n = 1_000_003;
    int[] keys = new Random(n).ints(n, -5_000, 5_000).toArray();
    Tensor ints = tensor(target, DType.I32, MemorySegment.ofArray(keys));
    Tensor numbers =
        tensor(target, DType.I32, MemorySegment.ofArray(IntStream.range(0, n).toArray()));
    library(target).sort(ints, numbers);
    // The number of an element is below all keys' bits, so that this order is the only one.
    long[] expected =
        IntStream.range(0, n).mapToLong(i -> ((long) keys[i] << 32) | i).sorted().toArray();
    int[] sorted = read(target, ints).toArray(ValueLayout.JAVA_INT);
    int[] from = read(target, numbers).toArray(ValueLayout.JAVA_INT);
    long[] found =
        IntStream.range(0, n).mapToLong(i -> ((long) sorted[i] << 32) | from[i]).toArray();
    assertThat(found).as(target).isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("targets")
  void histogramsCountWhatIsInside(String target) {
    for (int n : SIZES) {
      for (int intervals : new int[] {1, 10, 5000}) {
        double[] x = new Random(n).doubles(n, -0.1, 1.1).toArray();
        long[] expected = new long[intervals];
        for (double each : x) {
          int at = Intervals.of(each, 0, 1, intervals);
          if (at >= 0) {
            expected[at]++;
          }
        }
        Tensor counts = tensor(target, DType.I64, MemorySegment.ofArray(new long[intervals]));
        Tensor from = tensor(target, DType.F64, MemorySegment.ofArray(x));
        library(target).histogram(counts, from, 0, 1);
        library(target).histogram(counts, from, 0, 1);
        assertThat(read(target, counts).toArray(ValueLayout.JAVA_LONG))
            .as("%d in %d on %s", n, intervals, target)
            .containsExactly(expected);
      }
    }
  }

  /**
   * Numbers at borders and beside them, in intervals that floats tell apart and that they do not.
   */
  @ParameterizedTest
  @MethodSource("targets")
  void histogramsOfFloatsAreThoseOfDoubles(String target) {
    double[][] ranges = {
      {0, 1}, {-0.3, 0.1}, {16_777_216, 16_777_300}, {1e-40, 3e-40}, {-3e38, 3e38}
    };
    for (double[] range : ranges) {
      for (int intervals : new int[] {1, 7, 256}) {
        float[] x = new float[5 * intervals + 9];
        for (int i = 0; i <= intervals; i++) {
          float border = (float) Intervals.border(i, range[0], range[1], intervals);
          x[5 * i] = border;
          x[5 * i + 1] = Math.nextUp(border);
          x[5 * i + 2] = Math.nextDown(border);
          x[5 * i + 3] = (float) (range[0] + (i + 0.7) * (range[1] - range[0]) / intervals);
        }
        x[4] = Float.NaN;
        x[5 * intervals + 5] = Float.POSITIVE_INFINITY;
        x[5 * intervals + 6] = Float.NEGATIVE_INFINITY;
        long[] expected = new long[intervals];
        for (float each : x) {
          int at = Intervals.of(each, range[0], range[1], intervals);
          if (at >= 0) {
            expected[at]++;
          }
        }
        Tensor counts = tensor(target, DType.I64, MemorySegment.ofArray(new long[intervals]));
        Tensor from = tensor(target, DType.F32, MemorySegment.ofArray(x));
        library(target).histogram(counts, from, range[0], range[1]);
        assertThat(read(target, counts).toArray(ValueLayout.JAVA_LONG))
            .as("%d from %s on %s", intervals, range[0], target)
            .containsExactly(expected);
      }
    }
  }

  @Test
  void bordersAreOfTheIntervalThatBeginsThere() {
    for (int i = 0; i < 10; i++) {
      assertThat(Intervals.of(0.1 + i * (0.9 - 0.1) / 10, 0.1, 0.9, 10)).isEqualTo(i);
    }
    assertThat(Intervals.of(0.9, 0.1, 0.9, 10)).isEqualTo(9);
    assertThat(Intervals.of(Double.NaN, 0, 1, 10)).isEqualTo(-1);
  }

  @ParameterizedTest
  @MethodSource("targets")
  void selectionsKeepTheOrderAndWhatIsBehind(String target) {
    ComputeClient client = KernelTargets.on(target).client();
    for (int n : SIZES) {
      float[] x = new float[n];
      byte[] marks = new byte[n];
      float[] expected = new float[n];
      Arrays.fill(expected, -1);
      Random random = new Random(n);
      int count = 0;
      for (int i = 0; i < n; i++) {
        x[i] = random.nextFloat();
        marks[i] = (byte) random.nextInt(-1, 2);
        if (marks[i] != 0) {
          expected[count++] = x[i];
        }
      }
      float[] before = new float[n];
      Arrays.fill(before, -1);
      Tensor to = tensor(target, DType.F32, MemorySegment.ofArray(before));
      Tensor found = tensor(target, DType.I64, MemorySegment.ofArray(new long[] {-1}));
      library(target)
          .compact(
              to,
              found,
              tensor(target, DType.F32, MemorySegment.ofArray(x)),
              tensor(target, DType.I8, MemorySegment.ofArray(marks)));
      assertThat(client.read(found).get(ValueLayout.JAVA_LONG, 0)).isEqualTo(count);
      assertThat(read(target, to).toArray(ValueLayout.JAVA_FLOAT))
          .as("%d on %s", n, target)
          .containsExactly(expected);
    }
  }

  @Test
  void whatHasNoOrderIsRefused() {
    Tensor bytes = tensor("jvm", DType.I8, MemorySegment.ofArray(new byte[3]));
    Tensor longs = tensor("jvm", DType.I64, MemorySegment.ofArray(new long[2]));
    assertThatThrownBy(() -> library("jvm").sort(bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a sort of I8");
    assertThatThrownBy(() -> library("jvm").sort(longs, bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a sort of 2 keys with 3 values of I8");
    assertThatThrownBy(() -> library("jvm").histogram(longs, longs, 1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 intervals from 1.0 to 1.0");
  }
}
