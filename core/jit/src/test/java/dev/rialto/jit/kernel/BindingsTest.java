package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CompilationException;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Functions that read arrays from outside by their indices, on every target. */
@Tag("gpu")
class BindingsTest {
  private static final int ROWS = 6;
  private static final int COLUMNS = 9;

  /** An array outside kernels, as functions see it. */
  @SuppressWarnings("ArrayRecordComponent") // memory, which is what it is
  private record Plane(IndexedMemory where, float[] elements) {
    static Plane of(long low, long stride) {
      float[] elements = new float[ROWS * COLUMNS];
      for (int i = 0; i < elements.length; i++) {
        elements[i] = 0.3f * i - 4;
      }
      return new Plane(
          new IndexedMemory(
              DType.F32,
              List.of(low, -1L),
              List.of((long) ROWS, (long) COLUMNS),
              List.of(stride, 1L),
              0),
          elements);
    }

    float get(long i, long j) {
      long row = i - where.low().get(0);
      long column = j - where.low().get(1);
      return elements[(int) (row * where.strides().get(0) + column)];
    }

    int size() {
      return elements.length;
    }
  }

  private interface At extends Serializable {
    double at(long i, long j);
  }

  static Stream<String> targets() {
    return KernelTargets.all();
  }

  private static @Nullable IndexedMemory memory(Object object) {
    return object instanceof Plane plane ? plane.where() : null;
  }

  private static JavaKernel kernel(String target, At f, boolean passes) {
    return KernelTargets.on(target)
        .withBlock(2, 4)
        .withBindings(new Bindings(BindingsTest::memory, null, f, passes, ""))
        .kernel(
            (Item it, F64 z, Long i0) -> {
              long at = it.global(0) * it.globalSize(1) + it.global(1);
              z.set(at, f.at(i0 + it.global(0), it.global(1)));
            });
  }

  /** Runs a function over rows and columns, and compares it with what Java computes. */
  private static void expect(JavaKernel kernel, String target, At f, long first, Object... passed) {
    int rows = ROWS - 2;
    int columns = COLUMNS - 2;
    double[] wanted =
        IntStream.range(0, rows * columns)
            .mapToDouble(i -> f.at(first + i / columns, i % columns))
            .toArray();
    ComputeClient client = KernelTargets.on(target).client();
    try (Buffer z = client.create(MemorySegment.ofArray(new double[wanted.length]))) {
      Object[] arguments = new Object[2 + passed.length];
      arguments[0] = z;
      arguments[1] = first;
      System.arraycopy(passed, 0, arguments, 2, passed.length);
      kernel.launch(Shape.of(rows, columns), arguments);
      assertThat(client.read(z).toArray(ValueLayout.JAVA_DOUBLE)).containsExactly(wanted);
    }
  }

  private static Buffer upload(String target, Plane plane) {
    return KernelTargets.on(target).client().create(MemorySegment.ofArray(plane.elements()));
  }

  @ParameterizedTest
  @MethodSource("targets")
  void neighboursAreReadFarFromTheOriginToo(String target) {
    for (long first : new long[] {0, 3, 5_000_000_000L, -2}) {
      Plane u = Plane.of(first - 1, COLUMNS);
      At f =
          (i, j) ->
              u.get(i - 1, j)
                  + u.get(i + 1, j) * 2
                  + u.get(i, j - 1)
                  - u.get(i, j + 1)
                  + u.get(i, 4);
      try (JavaKernel kernel = kernel(target, f, false);
          Buffer elements = upload(target, u)) {
        assertThat(kernel.arrays()).containsExactly(u);
        expect(kernel, target, f, first, elements);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  void placesBeyondHalfOf32BitsAreWide(String target) {
    long far = 3L << 30;
    IndexedMemory where =
        new IndexedMemory(DType.F32, List.of(-1L, 0L), List.of(2L, 40L), List.of(far, 1L), 0);
    Plane u = new Plane(where, Plane.of(0, 1).elements());
    At f = (i, j) -> u.get(j / 100 - 1, i + j);
    try (JavaKernel kernel = kernel(target, f, false);
        Buffer elements = upload(target, u)) {
      expect(kernel, target, f, 2, elements);
    }
  }

  private static At scaled(Plane u, Plane v, double a, int b) {
    return (i, j) -> a * u.get(i, j) + b * v.get(j % 3, i) + u.get(i, 0);
  }

  @ParameterizedTest
  @MethodSource("targets")
  void launchesPassArraysAndNumbers(String target) {
    Plane u = Plane.of(0, COLUMNS);
    Plane v = Plane.of(0, COLUMNS);
    v.elements()[10] = 77;
    try (JavaKernel kernel = kernel(target, scaled(u, v, 0.5, 3), true);
        Buffer first = upload(target, u);
        Buffer second = upload(target, v)) {
      assertThat(kernel.arrays()).containsExactly(u, v);
      assertThat(kernel.numbers()).as("of a, u, b and v").containsExactly(0, 2);
      expect(kernel, target, scaled(u, v, 0.5, 3), 0, first, second, 0.5, 3);
      expect(kernel, target, scaled(v, u, 0.25, -7), 0, second, first, 0.25, -7);
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  void wrongIndicesAreToldWithTheirLines(String target) {
    Plane u = Plane.of(0, COLUMNS);
    At inside = (i, j) -> u.get(i + 2, j + 1);
    At outside = (i, j) -> u.get(i + 2, j == 3 ? j + 5 : j);
    try (JavaKernel right = kernel(target, inside, false);
        JavaKernel wrong = kernel(target, outside, false);
        Buffer elements = upload(target, u);
        Buffer z = room(target)) {
      expect(right, target, inside, 0, elements);
      wrong.launch(Shape.of(4, 7), z, 0L, elements);
      assertThatThrownBy(() -> KernelTargets.on(target).client().read(z))
          .rootCause()
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining("BindingsTest.java:")
          .hasMessageContaining("reads index 8 of axis 1 of an array of F32")
          .hasMessageContaining("indices -1 to 7");
      right.launch(Shape.of(4, 7), z, 0L, elements);
    }
  }

  private static Buffer room(String target) {
    return KernelTargets.on(target).client().create(MemorySegment.ofArray(new double[28]));
  }

  @ParameterizedTest
  @MethodSource("targets")
  void otherMethodsOfArraysAreRefused(String target) {
    Plane u = Plane.of(0, COLUMNS);
    assertThatThrownBy(() -> kernel(target, (i, j) -> u.size(), false))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining("calls size of")
        .hasMessageContaining("BindingsTest.java:");
  }
}
