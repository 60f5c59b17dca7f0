package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.CompilationException;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Kernels for arrays of several types, and kernels that call functions they are given. */
@Tag("gpu")
class GeneralArraysTest {
  private static final int ITEMS = 700;

  interface Function extends DoubleUnaryOperator, Serializable {}

  interface Operator extends LongBinaryOperator, Serializable {}

  private static KernelBody.Of2<Reals, Reals> applying(Function f) {
    return (Item it, Reals z, Reals x) -> z.set(it.global(), f.applyAsDouble(x.get(it.global())));
  }

  private static KernelBody.Of2<Integers, Integers> combining(Operator op) {
    return (Item it, Integers z, Integers x) ->
        z.set(it.global(), op.applyAsLong(z.get(it.global()), x.get(it.global())));
  }

  private static void compare(String target, DType type, KernelBody body) {
    byte[] z = new byte[ITEMS * type.size()];
    byte[] x = z.clone();
    Random random = new Random(type.size());
    for (int i = 0; i < ITEMS; i++) {
      put(MemorySegment.ofArray(x), type, i, random.nextInt(-100, 100));
      put(MemorySegment.ofArray(z), type, i, random.nextInt(-100, 100));
    }
    MemorySegment plainZ = MemorySegment.ofArray(z.clone());
    MemorySegment plainX = MemorySegment.ofArray(x);
    boolean real = type.kind() == DType.Kind.FLOAT;
    PlainRun.of(
        body,
        64,
        ITEMS,
        real ? Reals.of(plainZ, type) : Integers.of(plainZ, type),
        real ? Reals.of(plainX, type) : Integers.of(plainX, type));
    JavaKernels kernels = KernelTargets.on(target).withBlockSize(64).withElements(type);
    ComputeClient client = kernels.client();
    try (JavaKernel kernel = kernels.compile(body);
        Buffer zs = client.create(MemorySegment.ofArray(z));
        Buffer xs = client.create(MemorySegment.ofArray(x))) {
      kernel.launch(ITEMS, zs, xs);
      assertThat(values(client.read(zs), type))
          .as(type + " on " + target)
          .isEqualTo(values(plainZ, type));
    }
  }

  /** Returns elements as their bits; NaN is one value, whose bits Java leaves to the machine. */
  private static long[] values(MemorySegment memory, DType type) {
    return LongStream.range(0, ITEMS)
        .map(
            i ->
                switch (type) {
                  case F64 ->
                      Double.doubleToLongBits(
                          memory.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, i));
                  case F32 ->
                      Float.floatToIntBits(memory.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i));
                  case I64 -> memory.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i);
                  case I32 -> memory.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i);
                  case I16 -> memory.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i);
                  default -> memory.get(ValueLayout.JAVA_BYTE, i);
                })
        .toArray();
  }

  private static void put(MemorySegment memory, DType type, long index, int value) {
    switch (type) {
      case F64 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index, value / 8.0);
      case F32 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index, value / 8f);
      case I64 -> memory.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, index, value);
      case I32 -> memory.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index, value);
      case I16 -> memory.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, index, (short) value);
      default -> memory.set(ValueLayout.JAVA_BYTE, index, (byte) value);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rialto.jit.kernel.KernelTargets#all")
  void functionsThatAreGivenAreCompiledIntoKernelsOfEveryType(String target) {
    double factor = 1.0 / 3;
    for (DType type : new DType[] {DType.F64, DType.F32}) {
      compare(target, type, applying(x -> x < 0 ? -x : x * factor));
      compare(target, type, applying(Math::sqrt));
      compare(target, type, applying(GeneralArraysTest::cubed));
    }
    long mask = 0x5a5a5a5a5aL;
    for (DType type : new DType[] {DType.I64, DType.I32, DType.I16, DType.I8}) {
      compare(target, type, combining((a, b) -> a * 77 + (b ^ mask)));
      compare(target, type, combining(Math::max));
    }
  }

  private static double cubed(double x) {
    return x * x * x;
  }

  @Test
  void equalFunctionsAreTold() {
    assertThat(JavaKernels.identity(times(2))).isEqualTo(JavaKernels.identity(times(2)));
    assertThat(JavaKernels.identity(times(2))).isNotEqualTo(JavaKernels.identity(times(3)));
    Function other = x -> x * 2;
    assertThat(JavaKernels.identity(times(2))).isNotEqualTo(JavaKernels.identity(other));
  }

  private static Function times(double factor) {
    return x -> x * factor;
  }

  @Test
  void aFunctionThatCannotBeReadIsRefused() {
    DoubleUnaryOperator hidden = x -> x + 1;
    JavaKernels kernels = JavaKernels.on(Devices.open("cpu:0"));
    KernelBody.Of1<F64> body =
        (Item it, F64 z) -> z.set(it.global(), hidden.applyAsDouble(z.get(it.global())));
    assertThatThrownBy(() -> kernels.kernel(body))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining("applyAsDouble")
        .hasMessageContaining("Serializable");
  }

  @Test
  void arraysOfAnyTypeNeedOne() {
    JavaKernels kernels = JavaKernels.on(Devices.open("cpu:0"));
    KernelBody.Of1<Reals> body = (Item it, Reals z) -> z.set(it.global(), 1);
    assertThatThrownBy(() -> kernels.kernel(body))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining("withElements");
    assertThatThrownBy(() -> kernels.withElements(DType.I32).kernel(body))
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining("Reals made for I32");
  }
}
