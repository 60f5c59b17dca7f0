package dev.rialto.fft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.array.Complex;
import dev.rialto.array.ComplexArray;
import dev.rialto.array.Decomposition;
import dev.rialto.array.F32Array;
import dev.rialto.array.F64Array;
import dev.rialto.array.RealArray;
import dev.rialto.array.Team;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plans on arrays, with halos and without. */
class ArrayTransformsTest {
  private static final int NY = 6;
  private static final int NX = 8;

  private static void onTeams(int ranks, Consumer<Team> body) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              body.accept(team);
            }
          });
    }
  }

  /** A wave along each axis, whose modes are known. */
  private static double wave(long y, long x) {
    return 3 + Math.cos(2 * Math.PI * (y / (double) NY + 2 * x / (double) NX));
  }

  private static Complex mode(long ky, long kx) {
    double value = ky == 0 && kx == 0 ? 3 : ky == 1 && kx == 2 ? 0.5 : 0;
    return new Complex(value * NY * NX, 0);
  }

  private static double distance(ComplexArray modes) {
    ComplexArray expected = modes.like();
    try (expected) {
      expected.set((ky, kx) -> mode(ky, kx));
      expected.axpy(new Complex(-1, 0), modes);
      return expected.norm();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void haloesDoNotEnterATransform(int ranks) {
    onTeams(
        ranks,
        team -> {
          for (int width = 0; width < 3; width++) {
            try (F64Array field = team.space(NY, NX).halo(width).periodic().f64();
                FourierPlan plan = FourierPlan.real(field).build();
                ComplexArray modes = plan.newModes(team);
                F64Array back = field.like()) {
              field.local().fill((byte) -1);
              field.set((y, x) -> wave(y, x));
              plan.forward(field, modes);
              assertThat(distance(modes)).isLessThan(1e-12);
              plan.inverse(modes, back);
              back.axpy(-1, field);
              assertThat(back.norm()).isLessThan(1e-13);
            }
          }
        });
  }

  @Test
  void floatsAndComplexNumbersInTheirPlace() {
    onTeams(
        2,
        team -> {
          try (F32Array field = team.f32(NY, NX);
              FourierPlan plan = FourierPlan.real((RealArray) field).transposedOutput().build();
              ComplexArray modes = plan.newModes(team)) {
            field.set((y, x) -> wave(y, x));
            plan.forward(field, modes);
            assertThat(modes.type()).isEqualTo(DType.C64);
            assertThat(distance(modes)).isLessThan(1e-4);
          }
          try (ComplexArray field = team.c128(NY, NX);
              FourierPlan plan = FourierPlan.complex(field).build()) {
            field.set((y, x) -> new Complex(wave(y, x), 0));
            plan.forward(field, field);
            plan.inverse(field, field);
            field.map(z -> z.minus(new Complex(3, 0)));
            assertThat(field.sum().squaredAbs()).isLessThan(1e-20);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void fieldsThatAreStartedArriveWhenTheyAreAwaited(int halo) {
    onTeams(
        3,
        team -> {
          try (F64Array field = team.space(NY, NX).halo(halo).f64();
              F64Array backA = field.like();
              F64Array backB = field.like();
              FourierPlan a = FourierPlan.real(field).build();
              FourierPlan b = FourierPlan.real(field).build();
              ComplexArray modesA = a.newModes(team);
              ComplexArray modesB = b.newModes(team)) {
            field.set((y, x) -> wave(y, x));
            a.startForward(field, modesA);
            b.startForward(field, modesB);
            assertThatIllegalStateException()
                .isThrownBy(() -> a.forward(field, modesA))
                .withMessageContaining("under way");
            a.await();
            b.await();
            assertThat(distance(modesA) + distance(modesB)).isLessThan(1e-12);
            a.startInverse(modesA, backA);
            b.startInverse(modesB, backB);
            a.await();
            b.await();
            backA.axpy(-1, field);
            backB.axpy(-1, field);
            assertThat(backA.norm() + backB.norm()).isLessThan(1e-12);
          }
        });
  }

  @Test
  void cosinesAreTransformedToOneElement() {
    onTeams(
        3,
        team -> {
          try (F64Array field = team.f64(NY, NX);
              FourierPlan plan = FourierPlan.realToReal(field, Kind.DCT2).build();
              F64Array result = field.like()) {
            // The cosine of index 2 along x, the same along y.
            field.set((_, x) -> Math.cos(Math.PI * (x + 0.5) * 2 / NX));
            plan.forward(field, result);
            double size = 2 * NY * NX;
            result.set(result, value -> Math.abs(value) < 1e-12 ? 0 : value);
            assertThat(result.sum()).isCloseTo(size, within(1e-11));
            assertThat(result.find(value -> value != 0)).hasValue(2);
            plan.inverse(result, result);
            result.axpy(-1, field);
            assertThat(result.norm()).isLessThan(1e-13);
          }
        });
  }

  @Test
  void arraysThatDoNotFitAreRefused() {
    onTeams(
        2,
        team -> {
          try (F64Array field = team.f64(NY, NX);
              F32Array floats = team.f32(NY, NX);
              F64Array dealt = team.space(NY, NX).divided(Decomposition.cyclic(2)).f64();
              FourierPlan plan = FourierPlan.real(field).build();
              ComplexArray modes = plan.newModes(team)) {
            assertThatIllegalArgumentException()
                .isThrownBy(() -> plan.forward(floats, modes))
                .withMessageContaining("F32")
                .withMessageContaining("newInput");
            assertThatIllegalArgumentException()
                .isThrownBy(() -> plan.forward(dealt, modes))
                .withMessageContaining("cyclic");
            assertThatIllegalArgumentException()
                .isThrownBy(() -> plan.forward(field, field))
                .withMessageContaining("newOutput");
            plan.forward(field, modes);
          }
        });
  }
}
