package dev.rialto.fft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.array.Array;
import dev.rialto.array.Complex;
import dev.rialto.array.ComplexArray;
import dev.rialto.array.Decomposition;
import dev.rialto.array.F64Array;
import dev.rialto.array.Team;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.util.function.DoubleBinaryOperator;
import org.junit.jupiter.api.Test;

/** Operations on modes, compared with fields whose answer is known. */
class ModesTest {
  private static final int NY = 12;
  private static final int NX = 10;

  private interface Change {
    void apply(Modes modes, ComplexArray array);
  }

  /** Checks on 1 and 3 ranks, with real and with complex fields, that a change turns f into g. */
  private static void check(DoubleBinaryOperator f, DoubleBinaryOperator g, Change change) {
    for (int ranks : new int[] {1, 3}) {
      try (World world = World.local(ranks)) {
        world.run(
            comm -> {
              check(comm, FourierPlan.real(DType.F64, NY, NX), f, g, change);
              check(comm, FourierPlan.complex(DType.F64, NY, NX).transposedOutput(), f, g, change);
            });
      }
    }
  }

  private static void check(
      Communicator comm,
      FourierPlanBuilder builder,
      DoubleBinaryOperator f,
      DoubleBinaryOperator g,
      Change change) {
    try (Team team = Team.on(comm);
        FourierPlan plan = builder.on(comm).build();
        Array field = plan.newInput(team);
        ComplexArray modes = plan.newModes(team)) {
      Grid grid = plan.inputGrid();
      WholeArray.scatter(sampled(f), grid, comm.rank(), plan.inputType(), field.local());
      plan.forward(field, modes);
      change.apply(new Modes(plan, comm.rank(), 3, 2), modes);
      plan.inverse(modes, field);
      assertThat(
              WholeArray.difference(sampled(g), grid, comm.rank(), plan.inputType(), field.local()))
          .isLessThan(1e-11);
    }
  }

  /** Samples on a box of 3 by 2. */
  private static double[] sampled(DoubleBinaryOperator f) {
    double[] pairs = new double[2 * NY * NX];
    for (int y = 0; y < NY; y++) {
      for (int x = 0; x < NX; x++) {
        pairs[2 * (y * NX + x)] = f.applyAsDouble(3.0 * y / NY, 2.0 * x / NX);
      }
    }
    return pairs;
  }

  private static final double KY = 2 * Math.PI / 3;
  private static final double KX = 2 * Math.PI / 2 * 2;

  @Test
  void derivativesAreThoseOfTheField() {
    check(
        (y, x) -> Math.sin(KY * y) * Math.cos(KX * x),
        (y, x) -> KY * Math.cos(KY * y) * Math.cos(KX * x),
        (modes, memory) -> modes.differentiate(memory, 0, 1));
    check(
        (y, x) -> Math.sin(KY * y) * Math.cos(KX * x),
        (y, x) -> KX * KX * KX * Math.sin(KY * y) * Math.sin(KX * x),
        (modes, memory) -> modes.differentiate(memory, 1, 3));
  }

  @Test
  void poissonsEquationIsSolvedUpToTheMean() {
    check(
        (y, x) -> -(KY * KY + KX * KX) * Math.sin(KY * y) * Math.cos(KX * x) + 5,
        (y, x) -> Math.sin(KY * y) * Math.cos(KX * x),
        (modes, memory) -> modes.solvePoisson(memory));
  }

  @Test
  void dealiasingRemovesTheFinestThird() {
    // 5 of 12 points' worth of waves is above a third; 2 of 10 is not.
    check(
        (y, x) -> Math.cos(5 * KY * y) + Math.cos(KX * x),
        (_, x) -> Math.cos(KX * x),
        (modes, memory) -> modes.dealias(memory));
  }

  @Test
  void convolvingWithItselfMatchesTheSumOverAllShifts() {
    DoubleBinaryOperator f = (y, x) -> y + Math.sin(3 * x) + (y > 1 ? x : 0);
    double[] samples = sampled(f);
    double[] expected = new double[NY * NX];
    for (int i = 0; i < NY * NX; i++) {
      for (int j = 0; j < NY * NX; j++) {
        int y = Math.floorMod(i / NX - j / NX, NY);
        int x = Math.floorMod(i % NX - j % NX, NX);
        expected[i] += samples[2 * j] * samples[2 * (y * NX + x)];
      }
    }
    check(
        f,
        (y, x) -> expected[(int) Math.round(y * NY / 3) * NX + (int) Math.round(x * NX / 2)],
        (modes, memory) -> {
          try (ComplexArray others = memory.like()) {
            others.copy(memory);
            modes.convolve(memory, others);
          }
        });
  }

  @Test
  void arraysThatAreNotLikeThePlansResultsAreRefused() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                F64Array field = team.f64(NY, NX);
                FourierPlan plan = FourierPlan.real(field).build();
                ComplexArray dealt =
                    team.space(NY, NX / 2 + 1).divided(Decomposition.cyclic(2)).c128();
                ComplexArray floats = team.space(NY, NX / 2 + 1).c64();
                ComplexArray fits = plan.newModes(team)) {
              Modes modes = new Modes(plan, comm.rank(), 3, 2);
              assertThatIllegalArgumentException()
                  .isThrownBy(() -> modes.solvePoisson(dealt))
                  .withMessageContaining("cyclic")
                  .withMessageContaining("newOutput");
              assertThatIllegalArgumentException()
                  .isThrownBy(() -> modes.convolve(fits, floats))
                  .withMessageContaining("C64");
              modes.solvePoisson(fits);
            }
          });
    }
  }

  @Test
  void modesWithAHaloAreTheSameAsWithout() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                ComplexArray dense = team.c128(NY, NX);
                ComplexArray padded = team.space(NY, NX).halo(1).periodic().c128();
                FourierPlan plan = FourierPlan.complex(dense).build()) {
              dense.set((i, j) -> new Complex(i - j, i * j % 3));
              padded.copy(dense);
              padded.updateHalo();
              Modes modes = new Modes(plan, comm.rank(), 3, 2);
              Modes.Factor factor =
                  (waves, f) -> {
                    f[0] = waves[0] + 2;
                    f[1] = waves[1];
                  };
              modes.multiply(dense, factor);
              modes.multiply(padded, factor);
              dense.axpy(-1, padded);
              assertThat(dense.norm()).isZero();
            }
          });
    }
  }

  @Test
  void frequenciesAreInTheOrderOfResults() {
    assertThat(Frequencies.of(5, 0.1))
        .containsExactly(new double[] {0, 2, 4, -4, -2}, within(1e-14));
    assertThat(Frequencies.of(4, 1)).containsExactly(0, 0.25, -0.5, -0.25);
    assertThat(Frequencies.ofHalf(4, 1)).containsExactly(0, 0.25, 0.5);
    for (int n : new int[] {4, 5}) {
      for (int j = 0; j < n; j++) {
        assertThat(Frequencies.shifted(n, Math.floorMod(j - n / 2, n))).isEqualTo(j);
        assertThat(Frequencies.unshifted(n, Frequencies.shifted(n, j))).isEqualTo(j);
      }
    }
  }
}
