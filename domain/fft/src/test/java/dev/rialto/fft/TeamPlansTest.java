package dev.rialto.fft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.array.Complex;
import dev.rialto.array.ComplexArray;
import dev.rialto.array.F64Array;
import dev.rialto.array.Team;
import dev.rialto.spi.World;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Plans that are made from arrays move them with the exchanger of their team. */
class TeamPlansTest {
  private static final int N = 4;
  private static final int M = 6;

  private static void onTeams(Consumer<Team> body) {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              body.accept(team);
            }
          });
    }
  }

  private static ComplexArray field(Team team, int parts) {
    return team.space(N, M, N).over(1, 1, parts).c128();
  }

  private static void check(FourierPlan plan, ComplexArray x, ComplexArray y) {
    check(plan, x, y, true);
  }

  /** The transform of an impulse is a wave, along the axes that are transformed. */
  static void check(FourierPlan plan, ComplexArray x, ComplexArray y, boolean allAxes) {
    x.set((i, j, k) -> new Complex(i == 1 && j == 2 && k == 3 ? 1 : 0, 0));
    plan.forward(x, y);
    try (ComplexArray expected = y.like()) {
      expected.set(
          (i, j, k) -> {
            double ij = allAxes ? i / (double) N + 2 * j / (double) M : 0;
            double angle = -2 * Math.PI * (ij + 3 * k / (double) N);
            return allAxes || (i == 1 && j == 2)
                ? new Complex(Math.cos(angle), Math.sin(angle))
                : new Complex(0, 0);
          });
      expected.axpy(new Complex(-1, 0), y);
      assertThat(expected.norm()).isLessThan(1e-12);
    }
    plan.inverse(y, x);
    try (ComplexArray back = x.like()) {
      back.set((i, j, k) -> new Complex(i == 1 && j == 2 && k == 3 ? 1 : 0, 0));
      back.axpy(new Complex(-1, 0), x);
      assertThat(back.norm()).isLessThan(1e-12);
    }
  }

  @Test
  void severalPlansShareTheExchangerAndLeaveItUsable() {
    onTeams(
        team -> {
          try (ComplexArray x = field(team, 2)) {
            assertThatThrownBy(() -> FourierPlan.complex(x).scheme("all-to-all/fused").build())
                .isInstanceOf(UnsupportedOperationException.class);
            try (FourierPlan pulled = FourierPlan.complex(x).build();
                FourierPlan sent = FourierPlan.complex(x).scheme("all-to-all").build();
                ComplexArray y = (ComplexArray) pulled.newOutput(team)) {
              check(pulled, x, y);
              check(sent, x, y);
              check(pulled, x, y);
            }
            try (FourierPlan again = FourierPlan.complex(x).build();
                ComplexArray y = (ComplexArray) again.newOutput(team)) {
              check(again, x, y);
            }
          }
        });
  }

  @Test
  void aPlanMayBeClosedAfterItsTeam() {
    FourierPlan[] plans = new FourierPlan[2];
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                ComplexArray x = field(team, 2)) {
              FourierPlan plan = FourierPlan.complex(x).scheme("point-to-point").build();
              plans[comm.rank()] = plan;
              try (ComplexArray y = (ComplexArray) plan.newOutput(team)) {
                check(plan, x, y);
              }
            }
            plans[comm.rank()].close();
          });
    }
  }

  @Test
  void buffersOfMessagesAndOfArraysWithoutHalosAreTold() {
    onTeams(
        team -> {
          try (F64Array plain = team.f64(N, M);
              F64Array framed = team.space(N, M).halo(1).f64();
              FourierPlan plan = FourierPlan.real(plain).scheme("all-to-all").build();
              ComplexArray modes = plan.newModes(team)) {
            assertThat(plan.bufferBytes()).isZero();
            plan.forward(plain, modes);
            plan.inverse(modes, plain);
            long messages = plan.bufferBytes();
            assertThat(messages).isPositive();
            plan.forward(framed, modes);
            assertThat(plan.bufferBytes()).isEqualTo(messages + 8 * N * M / 2);
            assertThat(plan.explain()).contains("buffers now %,d".formatted(plan.bufferBytes()));
          }
        });
  }
}
