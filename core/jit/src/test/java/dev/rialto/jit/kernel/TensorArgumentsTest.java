package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CompilationException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Arrays with a shape and strides. */
@Tag("gpu")
class TensorArgumentsTest {
  static Stream<String> targets() {
    return KernelTargets.all();
  }

  private static final KernelBody.Of3<F64, F64, I8> BLUR =
      (Item it, F64 to, F64 from, I8 cube) -> {
        long i = it.global(0);
        long j = it.global(1);
        double sum = cube.get(i % 2, j % 3, 1);
        for (long k = Math.max(0, j - 1); k < Math.min(from.extent(1), j + 2); k++) {
          sum += from.get(i, k);
        }
        to.set(i, j, sum + to.extent(0));
      };

  private static final Shape SHAPE = Shape.of(5, 37);

  private static Tensor tensor(ComputeClient client, double[] memory, Layout layout) {
    return new Tensor(client.create(MemorySegment.ofArray(memory)), SHAPE, layout);
  }

  /** Dense rows, rows with gaps, and columns that are neighbours, backwards. */
  @ParameterizedTest
  @MethodSource("targets")
  void elementsAreFoundByTheirStrides(String name) {
    JavaKernels kernels = KernelTargets.on(name).withBlock(2, 32);
    ComputeClient client = kernels.client();
    double[] memory = new Random(8).doubles(300).toArray();
    byte[] cube = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    Layout[] layouts = {
      Layout.contiguous(DType.F64, SHAPE.count()),
      Layout.pitched(DType.F64, SHAPE, 40),
      Layout.strided(DType.F64, SHAPE, new long[] {1, -6}, 220)
    };
    try (JavaKernel blur = kernels.compile(BLUR);
        Tensor small =
            new Tensor(
                client.create(MemorySegment.ofArray(cube)),
                Shape.of(2, 3, 2),
                Layout.contiguous(DType.I8, 12))) {
      for (Layout layout : layouts) {
        double[] expected = new double[300];
        F64 from = F64.of(memory.clone());
        F64 to = F64.of(expected);
        boolean strided = layout instanceof Layout.Strided;
        long offset = strided ? ((Layout.Strided) layout).offset() : 0;
        long[] strides = strided ? ((Layout.Strided) layout).strides() : SHAPE.strides();
        PlainRun.of(
            BLUR,
            Shape.of(2, 32),
            SHAPE,
            to.strided(SHAPE, offset, strides),
            from.strided(SHAPE, offset, strides),
            I8.of(cube).shaped(2, 3, 2));
        try (Tensor there = tensor(client, memory, layout);
            Tensor result = tensor(client, new double[300], layout)) {
          blur.launch(SHAPE, result, there, small);
          assertThat(client.read(result.buffer()).toArray(ValueLayout.JAVA_DOUBLE))
              .isEqualTo(expected);
        }
      }
    }
  }

  /** Arrays of 16-bit numbers are objects around their bits. */
  @ParameterizedTest
  @MethodSource("targets")
  void halvesHaveAxesToo(String name) {
    KernelBody.Of2<F16, BF16> body =
        (Item it, F16 x, BF16 y) -> {
          long i = it.global();
          x.set(i, 1, x.get(i, 0) + y.get(1, i) + x.extent(1));
        };
    short[] x = {Float.floatToFloat16(1.5f), 0, Float.floatToFloat16(-2), 0};
    short[] y = {0, 0, (short) (Float.floatToRawIntBits(4) >> 16), 0};
    short[] expected = x.clone();
    PlainRun.of(body, 2, 2, F16.of(expected).shaped(2, 2), BF16.of(y).shaped(2, 2));
    JavaKernels kernels = KernelTargets.on(name).withBlockSize(2);
    ComputeClient client = kernels.client();
    Shape square = Shape.of(2, 2);
    try (JavaKernel kernel = kernels.compile(body);
        Buffer there = client.create(MemorySegment.ofArray(x));
        Buffer other = client.create(MemorySegment.ofArray(y))) {
      kernel.launch(
          2,
          new Tensor(there, square, Layout.contiguous(DType.F16, 4)),
          new Tensor(other, square, Layout.contiguous(DType.BF16, 4)));
      assertThat(client.read(there).toArray(ValueLayout.JAVA_SHORT)).isEqualTo(expected);
    }
  }

  @Test
  void anArgumentHasTheAxesThatTheKernelUses() {
    JavaKernels kernels = KernelTargets.on("jvm").withBlock(2, 32);
    ComputeClient client = kernels.client();
    try (JavaKernel blur = kernels.compile(BLUR);
        Tensor x = tensor(client, new double[185], Layout.contiguous(DType.F64, 185));
        Buffer y = client.create(MemorySegment.ofArray(new double[185]))) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> blur.launch(SHAPE, y, x, x))
          .withMessageContaining("argument 3 of the kernel is a Buffer or Tensor of I8 elements");
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> blur.launch(SHAPE, y, x, y))
          .withMessageContaining("argument 1 of the kernel is a Tensor of 2 axes");
    }
    KernelBody.Of1<F32> both = (Item it, F32 x) -> x.set(0, x.get(1, 2) + x.get(1, 2, 3));
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> kernels.compile(both))
        .withMessageContaining("uses argument 1 with 3 axes here and 2 elsewhere");
  }
}
