package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.Lifter;
import dev.rialto.jit.lower.c.CPrinter;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CompilationException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps that read or write several elements, of every type and width on every target. */
@Tag("gpu")
class LanesTest {
  private static final int ITEMS = 70;

  static Stream<String> targets() {
    return KernelTargets.all();
  }

  private static KernelBody doubles(int width, int shift) {
    return (KernelBody.Of2<F64, F64>)
        (Item it, F64 to, F64 from) -> {
          double[] lanes = new double[width];
          from.load(it.global() * width + shift, lanes);
          for (int k = 0; k < width; k++) {
            lanes[k] = lanes[k] * 3 + lanes[width - 1];
          }
          to.store(it.global() * width + shift, lanes);
        };
  }

  private static KernelBody floats(int width, int shift) {
    return (KernelBody.Of2<F32, F32>)
        (Item it, F32 to, F32 from) -> {
          float[] lanes = new float[width];
          from.load(it.global() * width + shift, lanes);
          for (int k = 0; k < width; k++) {
            lanes[k] = lanes[k] * 3 + lanes[width - 1];
          }
          to.store(it.global() * width + shift, lanes);
        };
  }

  private static KernelBody halves(int width, int shift) {
    return (KernelBody.Of2<F16, F16>)
        (Item it, F16 to, F16 from) -> {
          float[] lanes = new float[width];
          from.load(it.global() * width + shift, lanes);
          for (int k = 0; k < width; k++) {
            lanes[k] = lanes[k] * 3 + lanes[width - 1];
          }
          to.store(it.global() * width + shift, lanes);
        };
  }

  private static KernelBody upperHalves(int width, int shift) {
    return (KernelBody.Of2<BF16, BF16>)
        (Item it, BF16 to, BF16 from) -> {
          float[] lanes = new float[width];
          from.load(it.global() * width + shift, lanes);
          for (int k = 0; k < width; k++) {
            lanes[k] = lanes[k] * 3 + lanes[width - 1];
          }
          to.store(it.global() * width + shift, lanes);
        };
  }

  private static KernelBody longs(int width, int shift) {
    return (KernelBody.Of2<I64, I64>)
        (Item it, I64 to, I64 from) -> {
          long[] lanes = new long[width];
          from.load(it.global() * width + shift, lanes);
          for (int k = 0; k < width; k++) {
            lanes[k] = lanes[k] * 3 + lanes[width - 1];
          }
          to.store(it.global() * width + shift, lanes);
        };
  }

  private static KernelBody ints(int width, int shift) {
    return (KernelBody.Of2<I32, I32>)
        (Item it, I32 to, I32 from) -> {
          int[] lanes = new int[width];
          from.load(it.global() * width + shift, lanes);
          for (int k = 0; k < width; k++) {
            lanes[k] = lanes[k] * 3 + lanes[width - 1];
          }
          to.store(it.global() * width + shift, lanes);
        };
  }

  private static KernelBody shorts(int width, int shift) {
    return (KernelBody.Of2<I16, I16>)
        (Item it, I16 to, I16 from) -> {
          short[] lanes = new short[width];
          from.load(it.global() * width + shift, lanes);
          for (int k = 0; k < width; k++) {
            lanes[k] = (short) (lanes[k] * 3 + lanes[width - 1]);
          }
          to.store(it.global() * width + shift, lanes);
        };
  }

  private static KernelBody bytes(int width, int shift) {
    return (KernelBody.Of2<I8, I8>)
        (Item it, I8 to, I8 from) -> {
          byte[] lanes = new byte[width];
          from.load(it.global() * width + shift, lanes);
          for (int k = 0; k < width; k++) {
            lanes[k] = (byte) (lanes[k] * 3 + lanes[width - 1]);
          }
          to.store(it.global() * width + shift, lanes);
        };
  }

  private static KernelBody reals(int width, int shift) {
    return (KernelBody.Of2<Reals, Reals>)
        (Item it, Reals to, Reals from) -> {
          double[] lanes = new double[width];
          from.load(it.global() * width + shift, lanes);
          for (int k = 0; k < width; k++) {
            lanes[k] = lanes[k] * 3 + lanes[width - 1];
          }
          to.store(it.global() * width + shift, lanes);
        };
  }

  private static KernelBody integers(int width, int shift) {
    return (KernelBody.Of2<Integers, Integers>)
        (Item it, Integers to, Integers from) -> {
          long[] lanes = new long[width];
          from.load(it.global() * width + shift, lanes);
          for (int k = 0; k < width; k++) {
            lanes[k] = lanes[k] * 3 + lanes[width - 1];
          }
          to.store(it.global() * width + shift, lanes);
        };
  }

  private static KernelBody body(DType type, int width, int shift) {
    return switch (type) {
      case F64 -> doubles(width, shift);
      case F32 -> floats(width, shift);
      case F16 -> halves(width, shift);
      case BF16 -> upperHalves(width, shift);
      case I64 -> longs(width, shift);
      case I32 -> ints(width, shift);
      case I16 -> shorts(width, shift);
      default -> bytes(width, shift);
    };
  }

  private static final List<DType> TYPES =
      List.of(
          DType.F64, DType.F32, DType.F16, DType.BF16, DType.I64, DType.I32, DType.I16, DType.I8);

  /** The types with each of their widths. */
  static Stream<Arguments> widths() {
    List<Arguments> all = new ArrayList<>();
    for (DType type : TYPES) {
      for (int width = 2; width <= Math.min(16, 32 / type.size()); width *= 2) {
        all.add(Arguments.of(type, width));
      }
    }
    return all.stream();
  }

  /** Small numbers, so that 16-bit results are finite. */
  private static Object numbers(DType type, int count) {
    Random random = new Random(type.size());
    double[] doubles = random.ints(count, -50, 50).asDoubleStream().toArray();
    float[] floats = new float[count];
    short[] shorts = new short[count];
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      floats[i] = (float) doubles[i];
      bytes[i] = (byte) doubles[i];
      shorts[i] =
          switch (type) {
            case F16 -> Float.floatToFloat16(floats[i]);
            case BF16 -> (short) (Float.floatToRawIntBits(floats[i]) >>> 16);
            default -> (short) random.nextInt();
          };
    }
    return switch (type) {
      case F64 -> doubles;
      case F32 -> floats;
      case I64 -> random.longs(count).toArray();
      case I32 -> random.ints(count).toArray();
      case I8 -> bytes;
      default -> shorts;
    };
  }

  @ParameterizedTest
  @MethodSource("widths")
  void allTargetsMoveWhatPlainJavaDoes(DType type, int width) {
    // Loads of every other width begin behind one element, so that they are not aligned.
    int shift = Integer.numberOfTrailingZeros(width) % 2;
    int count = ITEMS * width + shift;
    KernelTargets.compare(
        body(type, width, shift), 32, ITEMS, numbers(type, count), numbers(type, count));
  }

  @ParameterizedTest
  @MethodSource("targets")
  void arraysOfAnyTypeHaveThem(String target) {
    for (DType type : TYPES) {
      int width = 32 / type.size() > 4 ? 8 : 4;
      int count = ITEMS * width + 1;
      boolean isReal = type.kind() == DType.Kind.FLOAT;
      KernelBody body = isReal ? reals(width, 1) : integers(width, 1);
      MemorySegment from = memory(numbers(type, count));
      MemorySegment plain = memory(numbers(type, count));
      PlainRun.of(
          body,
          32,
          ITEMS,
          isReal ? Reals.of(plain, type) : Integers.of(plain, type),
          isReal ? Reals.of(from, type) : Integers.of(from, type));
      JavaKernels kernels = KernelTargets.on(target).withBlockSize(32).withElements(type);
      ComputeClient client = kernels.client();
      try (JavaKernel kernel = kernels.compile(body);
          Buffer to = client.create(memory(numbers(type, count)));
          Buffer in = client.create(from)) {
        kernel.launch(ITEMS, to, in);
        assertThat(client.read(to).toArray(ValueLayout.JAVA_BYTE))
            .as(type + " on " + target)
            .isEqualTo(plain.toArray(ValueLayout.JAVA_BYTE));
      }
    }
  }

  private static MemorySegment memory(Object array) {
    return switch (array) {
      case double[] a -> MemorySegment.ofArray(a);
      case float[] a -> MemorySegment.ofArray(a);
      case long[] a -> MemorySegment.ofArray(a);
      case int[] a -> MemorySegment.ofArray(a);
      case short[] a -> MemorySegment.ofArray(a);
      default -> MemorySegment.ofArray((byte[]) array);
    };
  }

  @ParameterizedTest
  @MethodSource("targets")
  void memoryThatBeginsAnywhereIsMoved(String target) {
    float[] numbers = (float[]) numbers(DType.F32, 4 * ITEMS + 1);
    JavaKernels kernels = KernelTargets.on(target);
    ComputeClient client = kernels.client();
    try (JavaKernel kernel = kernels.compile(floats(4, 0));
        Buffer from = client.create(MemorySegment.ofArray(numbers));
        Buffer to = client.empty(4L * numbers.length)) {
      long bytes = 16L * ITEMS;
      kernel.launch(ITEMS, to.slice(4, bytes), from.slice(4, bytes));
      float[] moved = client.read(to).toArray(ValueLayout.JAVA_FLOAT);
      for (int i = 1; i < numbers.length; i++) {
        assertThat(moved[i]).isEqualTo(numbers[i] * 3 + numbers[(i - 1) / 4 * 4 + 4]);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  void oneThatEndsBehindTheArrayIsTold(String target) {
    try (JavaKernel kernel = KernelTargets.on(target).compile(floats(4, 2))) {
      assertThatThrownBy(() -> kernel.launch(3, new float[20], new float[12]))
          .rootCause()
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining("LanesTest.java:")
          .hasMessageContaining("item 2 reads index 13 of argument 2, which has indices 0 to 11");
    }
  }

  @Test
  void plainJavaThrows() {
    KernelBody past = floats(4, 2);
    assertThatThrownBy(() -> PlainRun.of(past, 32, 3, F32.of(new float[20]), F32.of(new float[12])))
        .isInstanceOf(IndexOutOfBoundsException.class);
    KernelBody odd = floats(3, 0);
    assertThatThrownBy(() -> PlainRun.of(odd, 32, 1, F32.of(new float[9]), F32.of(new float[9])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3 elements of 4 bytes; give an array of 2, 4, 8 or 16");
  }

  @Test
  void itemsThatUseOneElementAreToldByEach() {
    KernelBody.Of1<I32> body =
        (Item it, I32 x) -> {
          int[] lanes = new int[4];
          x.store(2 * it.global(), lanes);
        };
    try (JavaKernel kernel = KernelTargets.on("jvm").withChecks(Checks.RACES).compile(body)) {
      assertThatThrownBy(() -> kernel.launch(2, new int[6]))
          .hasMessageContaining("LanesTest.java:")
          .hasMessageContaining("item 1 writes index 2 of 'x'");
    }
  }

  /** The line of a kernel that refuses what its third line does. */
  private static void refuses(KernelBody body, String reason) {
    assertThatThrownBy(() -> Lifter.lift("k", Shape.of(32), body))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining("LanesTest.java:")
        .hasMessageContaining(reason);
  }

  @Test
  void otherWidthsAreRefused() {
    refuses(floats(3, 0), "loads 3 elements of 4 bytes in one step");
    refuses(floats(16, 0), "loads 16 elements of 4 bytes in one step");
    refuses(doubles(8, 0), "loads 8 elements of 8 bytes in one step");
    refuses(bytes(1, 0), "loads 1 elements of 1 bytes in one step");
    refuses(bytes(32, 0), "give an array of 2, 4, 8 or 16 elements that has at most 32");
    float[] table = new float[4];
    KernelBody.Of1<F32> outside = (Item it, F32 x) -> x.load(it.global(), table);
    refuses(outside, "loads elements of an array that the kernel does not make");
  }

  @Test
  void refusalsTellTheLineOfTheKernel() {
    int line = new Throwable().getStackTrace()[0].getLineNumber() + 1;
    KernelBody.Of1<F16> body = (Item it, F16 x) -> x.load(it.global(), new float[3]);
    assertThatThrownBy(() -> Lifter.lift("k", Shape.of(32), body))
        .hasMessageContaining("LanesTest.java:" + line + ": ")
        .hasMessageContaining("loads 3 elements of 2 bytes");
  }

  private static String text(String target, KernelBody body) {
    Lifted lifted = Lifter.lift("k", Shape.of(32), body);
    return CPrinter.print(KernelTargets.dialect(target), List.of(lifted.forDevice(true)));
  }

  @ParameterizedTest
  @MethodSource("widths")
  void textsOfGpusHaveOneStepForAll(DType type, int width) {
    KernelBody body = body(type, width, 0);
    assertThat(text("cuda", body))
        .contains("load_lanes<" + width + ">(", "store_lanes<" + width + ">(");
    assertThat(text("opencl", body))
        .containsPattern("vstore%1$d\\(vload%1$d\\(0, p2_".formatted(width))
        .containsPattern("vstore%1$d\\(vload%1$d\\(0, a[0-9]+_.* p1_".formatted(width));
  }

  @Test
  void textsOfCudaHaveAccessesOfSixteenBytes() {
    assertThat(text("cuda", floats(4, 0)))
        .contains("if ((uint64_t)from % SIZE == 0)", "word_t all = *(const word_t *)(from + i);");
  }
}
