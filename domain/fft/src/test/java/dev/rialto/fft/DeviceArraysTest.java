package dev.rialto.fft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.array.Array;
import dev.rialto.array.Complex;
import dev.rialto.array.ComplexArray;
import dev.rialto.array.F32Array;
import dev.rialto.array.F64Array;
import dev.rialto.array.IndexSpace;
import dev.rialto.array.Team;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeDevice;
import dev.rialto.spi.World;
import dev.rialto.spi.device.Device;
import dev.rialto.tck.TestDevices;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plans from arrays on a device transform there what plans of the host do. */
@Tag("gpu")
class DeviceArraysTest {
  private interface Body {
    void run(Team team, ComputeClient client);
  }

  private static void on(String name, Body body) {
    for (int ranks : new int[] {1, 3}) {
      List<Device> devices = TestDevices.get(name, ranks);
      List<ComputeDevice> opened = devices.stream().distinct().map(ComputeDevice::open).toList();
      try (World world = World.local(ranks)) {
        world.run(
            comm -> {
              ComputeClient client = opened.get(comm.rank() % opened.size()).client();
              try (Team team = Team.on(comm)) {
                body.run(team, client);
              }
            });
      }
      for (ComputeDevice each : opened) {
        assertThat(each.client().memoryUsage().used()).isZero();
        each.close();
      }
    }
  }

  private static void requireClose(Array there, Array here) {
    try (Array back = here.like()) {
      back.copy(there);
      switch (back) {
        case F64Array real -> {
          real.axpy(-1, (F64Array) here);
          assertThat(real.norm()).isLessThan(1e-10);
        }
        case ComplexArray complex -> {
          complex.axpy(new Complex(-1, 0), (ComplexArray) here);
          assertThat(complex.norm()).isLessThan(1e-10);
        }
        default -> throw new AssertionError(back);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "cuda", "cuda-connected", "opencl"})
  void realFieldsAndTheirModesMatchTheHosts(String name) {
    on(
        name,
        (team, client) -> {
          for (int halo = 0; halo < 3; halo++) {
            IndexSpace space = team.space(7, 6, 8).halo(halo);
            try (F64Array here = space.f64();
                F64Array there = space.on(client).f64();
                FourierPlan plain = FourierPlan.real(here).build();
                FourierPlan plan = FourierPlan.real(there).build();
                ComplexArray modes = plain.newModes(team);
                ComplexArray modesThere = plan.newModes(team);
                Array back = plan.newInput(team)) {
              assertThat(modesThere.isOnDevice()).isTrue();
              here.set((i, j, k) -> Math.sin(i + 2.0 * j) + 0.1 * k);
              there.copy(here);
              for (int again = 0; again < 2; again++) {
                plain.forward(here, modes);
                plan.forward(there, modesThere);
                requireClose(modesThere, modes);
                plan.inverse(modesThere, back);
                requireClose(back, here);
                plan.inverse(modesThere, there);
                requireClose(there, here);
              }
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "cuda", "opencl"})
  void complexFieldsAreTransformedInPlace(String name) {
    on(
        name,
        (team, client) -> {
          for (int halo = 0; halo < 2; halo++) {
            IndexSpace space = team.space(6, 10).halo(halo);
            try (ComplexArray here = space.c128();
                ComplexArray there = space.on(client).c128();
                ComplexArray dense = team.space(6, 10).c128();
                ComplexArray modes = team.space(6, 10).c128();
                FourierPlan plain = FourierPlan.complex(here).build();
                FourierPlan plan = FourierPlan.complex(there).build()) {
              dense.set((i, j) -> new Complex(i - j, i * j % 3));
              here.copy(dense);
              there.copy(dense);
              plain.forward(dense, modes);
              plain.forward(here, here);
              plan.forward(there, there);
              requireClose(here, modes);
              requireClose(there, modes);
              plain.inverse(here, here);
              plan.inverse(there, there);
              requireClose(here, dense);
              requireClose(there, dense);
            }
          }
        });
  }

  /** Every operation on modes, for the host and a device. */
  private static void change(Modes modes, ComplexArray array, ComplexArray other) {
    modes.differentiate(array, 1, 3);
    modes.solvePoisson(array);
    modes.dealias(array);
    double shift = 0.25;
    modes.multiply(
        array,
        (waves, factor) -> {
          factor[0] = waves[0] - shift;
          factor[1] = Math.sqrt(waves[1] * waves[1] + 1.0);
        });
    other.copy(array);
    modes.convolve(array, other);
    modes.convolve(other, other);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cuda", "opencl"})
  void modesAreMultipliedOnTheDevice(String name) {
    on(
        name,
        (team, client) -> {
          int rank = team.communicator().rank();
          for (int halo = 0; halo < 2; halo++) {
            IndexSpace space = team.space(9, 6, 8).halo(halo);
            try (ComplexArray here = space.c128();
                ComplexArray otherHere = here.like();
                ComplexArray there = space.on(client).c128();
                ComplexArray otherThere = there.like();
                FourierPlan plain = FourierPlan.complex(here).build();
                FourierPlan plan = FourierPlan.complex(there).build()) {
              here.set((i, j, k) -> new Complex(i - j, i * k % 5));
              there.copy(here);
              change(new Modes(plain, rank, 3, 2, 7), here, otherHere);
              change(new Modes(plan, rank, 3, 2, 7), there, otherThere);
              requireClose(there, here);
              requireClose(otherThere, otherHere);
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"cuda", "opencl"})
  void transposedModesOfFloatsAreMultipliedOnTheDevice(String name) {
    on(
        name,
        (team, client) -> {
          try (F32Array here = team.f32(9, 10);
              F32Array there = team.space(9, 10).on(client).f32();
              FourierPlan plain = FourierPlan.real(here).transposedOutput().build();
              FourierPlan plan = FourierPlan.real(there).transposedOutput().build();
              ComplexArray modes = plain.newModes(team);
              ComplexArray modesThere = plan.newModes(team)) {
            here.set((i, j) -> Math.sin(i + 2.0 * j));
            there.copy(here);
            plain.forward(here, modes);
            plan.startForward(there, modesThere);
            plan.await();
            new Modes(plain, team.communicator().rank(), 1, 1).solvePoisson(modes);
            new Modes(plan, team.communicator().rank(), 1, 1).solvePoisson(modesThere);
            try (ComplexArray back = modes.like()) {
              back.copy(modesThere);
              back.axpy(-1, modes);
              assertThat(back.norm()).isLessThan(1e-6);
            }
          }
        });
  }

  @Test
  void arraysElsewhereAreRefused() {
    on(
        "plain",
        (team, client) -> {
          try (F64Array here = team.f64(4, 6);
              F64Array there = team.space(4, 6).on(client).f64();
              FourierPlan plain = FourierPlan.real(here).build();
              FourierPlan plan = FourierPlan.real(there).build();
              ComplexArray modes = plain.newModes(team);
              ComplexArray modesThere = plan.newModes(team)) {
            assertThatThrownBy(() -> plan.forward(here, modesThere))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("on the host for a plan of plain:0");
            assertThatThrownBy(() -> plain.forward(here, modesThere))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("on plain:0 for a plan of the host");
            plain.forward(here, modes);
            plan.forward(there, modesThere);
          }
        });
  }
}
