package dev.rialto.jit.kernel;

import static dev.rialto.jit.kernel.KernelTargets.compare;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.jit.lift.Lifter;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CompilationException;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Arrays from outside that kernels read, and the JDK's functions that are computed by such. */
@Tag("gpu")
class TablesTest {
  private static final double[] WEIGHTS = {0.25, -0.5, 3, 1e300};
  private static final char[] LETTERS = {'a', '\uffff', 'c', 0};
  private static final boolean[] FLAGS = {true, false, false, true};

  private static final float[] SHARED = new float[1];

  private final float[] offsets = {1, 2, 4, 8};

  @Test
  void tablesAreReadAtAnyIndex() {
    long[] captured = {1L << 40, -7, 0, 99};
    byte[] bytes = {1, -128, 127, 0};
    short[] shorts = {1, -1, 300, -300};
    KernelBody.Of2<F64, I32> body =
        (Item it, F64 y, I32 which) -> {
          long i = it.global();
          int k = which.get(i) & 3;
          double sum = WEIGHTS[k] + captured[k] + offsets[k] + LETTERS[k] + bytes[k] + shorts[k];
          y.set(i, FLAGS[k] ? sum : sum * WEIGHTS.length + captured[1]);
        };
    compare(body, 16, 37, new double[37], new Random(1).ints(37).toArray());
    assertThat(Lifter.lift("kernel", Shape.of(16), body).tables()).hasSize(7);
  }

  /** An element of a table at a constant index is a constant, and costs no memory. */
  @Test
  void anElementAtAConstantIndexIsAConstant() {
    KernelBody.Of1<F64> body = (Item it, F64 y) -> y.set(it.global(), WEIGHTS[2] * LETTERS[0]);
    compare(body, 4, 5, new double[5]);
    assertThat(Lifter.lift("kernel", Shape.of(4), body).tables()).isEmpty();
    KernelBody.Of1<F64> wrong = (Item it, F64 y) -> y.set(it.global(), WEIGHTS[4]);
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> Lifter.lift("kernel", Shape.of(4), wrong))
        .withMessageContaining("reads index 4 of an array of 4 elements");
  }

  @Test
  void theElementsAreThoseOfWhenTheKernelIsMade() {
    int[] table = {5, 6, 7, 8};
    int[] y = new int[4];
    try (JavaKernel kernel =
        KernelTargets.on("jvm")
            .kernel((Item it, I32 to) -> to.set(it.global(), table[(int) it.global()]))) {
      table[1] = 60;
      kernel.launch(4, y);
    }
    assertThat(y).containsExactly(5, 6, 7, 8);
  }

  /** The code, and what proves that its indices are right, must have read the same elements. */
  @Test
  void anElementThatChangesBeforeTheFirstLaunchIsNotSeen() {
    int[] turns = {1_000_000};
    int[] y = new int[8];
    try (JavaKernel kernel =
        KernelTargets.on("jvm")
            .kernel(
                (Item it, I32 to) -> {
                  for (int i = 0; i < turns[0]; i++) {
                    to.set(i, i);
                  }
                })) {
      turns[0] = 8;
      assertThat(kernel.isCurrent()).isFalse();
      assertThatThrownBy(() -> kernel.launch(1, y))
          .hasStackTraceContaining("item 0 writes index 8 of argument 1");
    }
  }

  @Test
  void aKernelThatIsMadeAnewReadsTheElementsOfThen() {
    KernelBody.Of1<F32> body = (Item it, F32 y) -> y.set(it.global(), SHARED[0]);
    for (float value : new float[] {1, 2, Float.NaN}) {
      SHARED[0] = value;
      float[] y = new float[1];
      try (JavaKernel kernel = KernelTargets.on("jvm").kernel(body)) {
        kernel.launch(1, y);
      }
      assertThat(y).containsExactly(value);
    }
  }

  @Test
  void strictFunctionsThatUseTablesHaveTheBitsOfTheJvm() {
    KernelBody.Of1<F64> body =
        (Item it, F64 x) -> {
          double a = x.get(it.global());
          x.set(it.global(), a < 0 ? StrictMath.exp(a / 1e7) : StrictMath.cos(a));
        };
    double[] x = new Random(5).doubles(40, -1e8, 1e8).toArray();
    double[] special = {0, -0.0, Double.NaN, Double.POSITIVE_INFINITY, 1e22, -1e300, 0.5, 2};
    System.arraycopy(special, 0, x, 0, special.length);
    compare(body, 16, x.length, x);
  }

  private interface Strict extends DoubleUnaryOperator, Serializable {}

  /** On the target that needs no compiler; the others take the same loops. */
  @Test
  void everyStrictFunctionIsOne() {
    List<Strict> functions =
        List.of(
            StrictMath::sin,
            StrictMath::cos,
            StrictMath::tan,
            StrictMath::asin,
            StrictMath::acos,
            StrictMath::atan,
            StrictMath::sinh,
            StrictMath::cosh,
            StrictMath::tanh,
            StrictMath::exp,
            StrictMath::expm1,
            StrictMath::log,
            StrictMath::log10,
            StrictMath::log1p,
            StrictMath::cbrt,
            x -> StrictMath.pow(x, 2.5),
            x -> StrictMath.atan2(x, 3),
            x -> StrictMath.hypot(x, 4));
    double[] x = {0.3, -0.7, 2.5, 1e9, -0.0, Double.NaN, 700, 1e-300};
    for (Strict function : functions) {
      double[] expected = Arrays.stream(x).map(function).toArray();
      double[] y = x.clone();
      try (JavaKernel kernel =
          KernelTargets.on("jvm")
              .kernel(
                  (Item it, F64 a) ->
                      a.set(it.global(), function.applyAsDouble(a.get(it.global()))))) {
        kernel.launch(x.length, y);
      }
      assertThat(y).isEqualTo(expected);
    }
  }
}
