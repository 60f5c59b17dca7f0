package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Functions of Math are the target's own and near those of the JVM; those of StrictMath have their
 * bits everywhere.
 */
@Tag("gpu")
class FunctionsTest {
  private static final int ULPS = 3;

  static void math(Item it, F64 y, F64 x) {
    long i = it.global();
    double v = x.get(i);
    double p = Math.abs(v);
    double s = v / (1 + p);
    long n = x.length();
    y.set(i, Math.sin(v));
    y.set(n + i, Math.cos(v));
    y.set(2 * n + i, Math.tan(s));
    y.set(3 * n + i, Math.asin(s));
    y.set(4 * n + i, Math.acos(s));
    y.set(5 * n + i, Math.atan(v));
    y.set(6 * n + i, Math.sinh(s));
    y.set(7 * n + i, Math.cosh(s));
    y.set(8 * n + i, Math.tanh(v));
    y.set(9 * n + i, Math.exp(v));
    y.set(10 * n + i, Math.expm1(s));
    y.set(11 * n + i, Math.log(p));
    y.set(12 * n + i, Math.log10(p));
    y.set(13 * n + i, Math.log1p(p));
    y.set(14 * n + i, Math.cbrt(v));
    y.set(15 * n + i, Math.pow(p, s));
    y.set(16 * n + i, Math.atan2(v, s + 0.5));
    y.set(17 * n + i, Math.hypot(v, s));
  }

  static void strict(Item it, F64 y, F64 x) {
    long i = it.global();
    double v = x.get(i);
    double p = Math.abs(v);
    double s = v / (1 + p);
    double sum = StrictMath.log(p) + StrictMath.log1p(p) + StrictMath.cbrt(v) + StrictMath.asin(s);
    y.set(i, sum + StrictMath.tanh(v) + StrictMath.hypot(v, s) + StrictMath.expm1(s));
  }

  static void singles(Item it, F32 y) {
    long i = it.global();
    y.set(i, (float) Math.sin(y.get(i)) + (float) Math.exp(-y.get(i) * y.get(i)));
  }

  private static double[] values() {
    Random random = new Random(7);
    double[] x = new double[200];
    for (int i = 0; i < x.length; i++) {
      x[i] = random.nextGaussian() * Math.scalb(1.0, i % 12 - 6);
    }
    x[0] = 0;
    x[1] = -0.0;
    return x;
  }

  static Stream<String> targets() {
    return KernelTargets.all();
  }

  @ParameterizedTest
  @MethodSource("targets")
  void functionsOfMathAreNearThoseOfTheJvm(String target) {
    double[] x = values();
    double[] expected = new double[18 * x.length];
    KernelBody.Of2<F64, F64> body = FunctionsTest::math;
    PlainRun.of(body, 16, x.length, F64.of(expected), F64.of(x));
    JavaKernels kernels = KernelTargets.on(target);
    ComputeClient client = kernels.client();
    try (JavaKernel kernel = kernels.kernel(body);
        Buffer in = client.create(MemorySegment.ofArray(x));
        Buffer out = client.create(MemorySegment.ofArray(new double[expected.length]))) {
      kernel.launch(x.length, out, in);
      double[] actual = client.read(out).toArray(ValueLayout.JAVA_DOUBLE);
      for (int i = 0; i < expected.length; i++) {
        double error = target.equals("jvm") ? 0 : ULPS * Math.ulp(expected[i]);
        if (Double.isFinite(expected[i])) {
          assertThat(Math.abs(actual[i] - expected[i]))
              .as("function %d of %s: %s", i / x.length, x[i % x.length], expected[i])
              .isLessThanOrEqualTo(error);
        } else {
          assertThat(actual[i]).isEqualTo(expected[i]);
        }
      }
    }
  }

  @Test
  void functionsOfStrictMathHaveTheirBitsEverywhere() {
    KernelBody.Of2<F64, F64> body = FunctionsTest::strict;
    double[] x = values();
    KernelTargets.compare(body, 32, x.length, new double[x.length], x);
  }

  @ParameterizedTest
  @MethodSource("targets")
  void fastKernelsComputeSinglesInSinglePrecision(String target) {
    float[] x = new float[100];
    for (int i = 0; i < x.length; i++) {
      x[i] = i * 0.05f - 2;
    }
    JavaKernels kernels = KernelTargets.on(target).withFast(true);
    ComputeClient client = kernels.client();
    KernelBody.Of1<F32> body = FunctionsTest::singles;
    try (JavaKernel kernel = kernels.kernel(body);
        Buffer y = client.create(MemorySegment.ofArray(x))) {
      kernel.launch(x.length, y);
      float[] actual = client.read(y).toArray(ValueLayout.JAVA_FLOAT);
      for (int i = 0; i < x.length; i++) {
        double expected = Math.sin(x[i]) + Math.exp(-(double) x[i] * x[i]);
        assertThat((double) actual[i])
            .isCloseTo(expected, org.assertj.core.data.Offset.offset(1e-6));
      }
    }
  }

  @Test
  void wordsOfPhiloxAreThoseThatWerePublished() {
    assertThat(Philox.of(0, 0, 0)).isEqualTo(words(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
    assertThat(Philox.of(-1, -1, -1))
        .isEqualTo(words(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
    assertThat(Philox.of(0x299f31d0a4093822L, 0x85a308d3243f6a88L, 0x0370734413198a2eL))
        .isEqualTo(words(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
  }

  private static Philox words(int first, int second, int third, int fourth) {
    return new Philox(first, second, third, fourth);
  }

  @Test
  void kernelsGetTheSameRandomNumbersEverywhere() {
    KernelBody.Of3<F64, F32, I32> body =
        (Item it, F64 doubles, F32 floats, I32 ints) -> {
          long i = it.global();
          doubles.set(i, Philox.uniformDouble(42, i + (1L << 40)));
          floats.set(i, Philox.uniformFloat(-3, i));
          ints.set(i, Philox.of(i, 5, 6).fourth());
        };
    KernelTargets.compare(body, 16, 50, new double[50], new float[50], new int[50]);
  }
}
