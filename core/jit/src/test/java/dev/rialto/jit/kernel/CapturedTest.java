package dev.rialto.jit.kernel;

import static dev.rialto.jit.kernel.KernelTargets.compare;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.kernel.launch.KernelForms;
import dev.rialto.jit.lift.LiftOptions;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.data.Shape;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Captured values are constants of the code until many are seen. */
@Tag("gpu")
class CapturedTest {
  private static final CodeTarget JVM = JitBackend.targets().get("jvm");

  private static KernelForms.Form form(KernelBody body) {
    return KernelForms.of(body, JVM, new LiftOptions(Shape.of(8)), false);
  }

  private static KernelBody.Of1<F64> scale(double factor, int shift) {
    return (Item it, F64 x) -> x.set(it.global(), x.get(it.global()) * factor + shift);
  }

  @Test
  void aThousandValuesNeedThreeCompilations() {
    Set<Unit> units = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      units.add(form(scale(i * 0.5, i + 1)).unit());
    }
    assertThat(units).hasSize(3);
  }

  private static KernelBody.Of5<F64, F32, I64, I32, I8> mix(
      double d, float f, long l, int i, short s, byte b, char c, boolean z) {
    return (Item it, F64 ds, F32 fs, I64 ls, I32 is, I8 bs) -> {
      long at = it.global();
      ds.set(at, d / 3 + (z ? 1 : 2));
      fs.set(at, f * 1.1f);
      ls.set(at, l * 3 + c);
      is.set(at, i + s);
      bs.set(at, (byte) (b + 1));
    };
  }

  @Test
  void valuesThatArePassedHaveTheBitsOfConstants() {
    double[] doubles = {0.1, -0.0, Double.NaN, 1e300};
    for (int i = 0; i < 4; i++) {
      compare(
          mix(
              doubles[i],
              i * 0.3f,
              Long.MAX_VALUE / (i + 1),
              Integer.MIN_VALUE + i,
              (short) (-5 * i),
              (byte) (127 - i),
              (char) (65535 - i),
              i % 2 == 0),
          4,
          9,
          new double[9],
          new float[9],
          new long[9],
          new int[9],
          new byte[9]);
    }
  }

  private static KernelBody.Of1<I32> reversed(int length, int added) {
    return (Item it, I32 x) -> {
      int[] all = it.sharedInts(length);
      all[it.local()] = x.get(it.global());
      it.barrier();
      x.set(it.global(), all[it.blockSize() - 1 - it.local()] + added);
    };
  }

  @Test
  void theLengthOfAnArrayStaysAConstant() {
    for (int i = 0; i < 5; i++) {
      compare(reversed(8 + i, i), 8, 12, new int[12]);
    }
    assertThat(form(reversed(20, 7)).unit()).isEqualTo(form(reversed(20, 8)).unit());
    assertThat(form(reversed(20, 7)).unit()).isNotEqualTo(form(reversed(21, 7)).unit());
  }

  private record Weights(double left, double right) {}

  private static KernelBody.Of1<F64> weighted(Weights weights, double extra) {
    return (Item it, F64 x) ->
        x.set(it.global(), x.get(it.global()) * weights.left + weights.right + extra);
  }

  @Test
  void fieldsOfCapturedObjectsAreConstants() {
    for (int i = 0; i < 5; i++) {
      compare(weighted(new Weights(i, i * 0.1), -i), 8, 5, new double[] {1, 2, 3, 4, 5});
    }
  }

  @Test
  void conditionsAreConstantsWhateverTheyAre() {
    Set<Unit> units = new HashSet<>();
    for (int i = 0; i < 10; i++) {
      boolean on = i % 2 == 0;
      KernelBody.Of1<I32> body = (Item it, I32 x) -> x.set(it.global(), on ? 1 : 2);
      units.add(form(body).unit());
    }
    assertThat(units).hasSize(2);
  }
}
