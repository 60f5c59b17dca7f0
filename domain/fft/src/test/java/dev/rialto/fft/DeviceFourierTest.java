package dev.rialto.fft;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rialto.exchange.tune.Effort;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Profile;
import dev.rialto.runtime.Resource;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.tck.TestDevices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transforms in a device's memory are those of the host's; what is not here is skipped. */
@Tag("gpu")
class DeviceFourierTest {
  private static FourierPlanBuilder builder(boolean real, long... shape) {
    return real ? FourierPlan.real(DType.F64, shape) : FourierPlan.complex(DType.F64, shape);
  }

  private static void compare(
      Communicator comm, Device device, boolean real, boolean inPlace, long... shape) {
    try (FourierPlan plain = builder(real, shape).on(comm).build();
        FourierPlan there = builder(real, shape).on(comm).device(device).build();
        Arena arena = Arena.ofShared();
        Allocation field = device.memory().allocate(bytes(plain));
        Allocation modes = device.memory().allocate(bytes(plain))) {
      MemorySegment in = plain.allocateInput(arena);
      MemorySegment wanted = plain.allocateOutput(arena);
      MemorySegment got = plain.allocateOutput(arena);
      MemorySegment back = plain.allocateInput(arena);
      for (long i = 0; i < in.byteSize() / 8; i++) {
        in.setAtIndex(JAVA_DOUBLE, i, Math.sin(i + 1.0 + 1000 * comm.rank()));
      }
      plain.forward(in, wanted);
      device.transfer().copy(in, field.segment(), in.byteSize());
      MemorySegment out = inPlace ? field.segment() : modes.segment();
      there.forward(field.segment(), out);
      device.transfer().copy(out, got, got.byteSize());
      requireClose(got, wanted, 1e-10);
      there.inverse(out, field.segment());
      device.transfer().copy(field.segment(), back, back.byteSize());
      requireClose(back, in, 1e-12);
    }
  }

  private static long bytes(FourierPlan plan) {
    long most = Math.max(plan.inputBytes(), plan.outputBytes());
    return Math.max(64, most);
  }

  private static void requireClose(MemorySegment got, MemorySegment wanted, double most) {
    for (long i = 0; i < wanted.byteSize() / 8; i++) {
      double apart = got.getAtIndex(JAVA_DOUBLE, i) - wanted.getAtIndex(JAVA_DOUBLE, i);
      assertThat(Math.abs(apart)).as("number %d", i).isLessThanOrEqualTo(most);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "cuda", "opencl"})
  void arraysOfEveryShapeMatchTheHosts(String name) {
    Device device = TestDevices.get(name);
    long before = used(device);
    for (int ranks : new int[] {1, 2, 4}) {
      try (World world = World.local(ranks)) {
        world.run(
            comm -> {
              for (boolean real : new boolean[] {false, true}) {
                compare(comm, device, real, false, 8, 6, 10);
                compare(comm, device, real, false, 7, 12);
                compare(comm, device, real, true, 4, 3, 5, 6);
              }
            });
      }
    }
    assertThat(used(device)).isEqualTo(before);
  }

  /** The memory in use, without that which pools keep for later. */
  private static long used(Device device) {
    if (device.fft().isEmpty()) {
      Devices.open(device.name()).cleanup();
    }
    return device.memory().used();
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "cuda", "opencl"})
  void theRuntimeCountsTheMemoryOfAPlanAndTellsItsWork(String name) {
    ComputeClient client = Devices.of(TestDevices.get(name));
    long before = client.memoryUsage().used();
    try (World world = World.local(1);
        Resource field = client.lend("field", 16L * 480);
        Resource modes = client.lend("modes", 16L * 480)) {
      world.run(
          comm -> {
            Device device = client.device().spi();
            try (FourierPlan plan = builder(false, 8, 6, 10).on(comm).device(device).build()) {
              Profile profile =
                  client.profile(() -> plan.forward(field.segment(), modes.segment())).join();
              // An engine's own work has the stream's name; that of kernels has theirs.
              assertThat(profile.operations())
                  .isNotEmpty()
                  .extracting(entry -> entry.operation().name())
                  .allMatch(told -> told.equals(name.equals("opencl") ? "kernel" : "transform"));
              assertThat(client.memoryUsage().used()).isGreaterThan(before + 2 * 16 * 480);
            }
          });
    }
    assertThat(client.memoryUsage().used()).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource({"plain, 1, false", "cuda, 1, false", "plain, 4, false", "cuda, 4, true"})
  void severalAxesAreOneStage(String name, int ranks, boolean real) {
    Device device = TestDevices.get(name);
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (FourierPlan plan = builder(real, 8, 8, 8).on(comm).device(device).build()) {
              assertThat(plan.explain())
                  .contains("the last " + (ranks == 1 ? 3 : 2) + " axes at once");
            }
          });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "cuda"})
  void tuningTimesArraysOfTheDevice(String name) {
    Device device = TestDevices.get(name);
    long before = used(device);
    try (World world = World.local(2)) {
      List<FourierSettings> tried =
          world
              .call(
                  comm ->
                      builder(false, 6, 8, 4)
                          .on(comm)
                          .device(device)
                          .tune(Effort.MEASURE, Duration.ofSeconds(10)))
              .getFirst();
      assertThat(tried).allMatch(each -> each.seconds() > 0);
      assertThat(tried).extracting(FourierSettings::scheme).contains("shared", "point-to-point");
    }
    assertThat(used(device)).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "cuda", "opencl"})
  void arraysOfTheHostAreRefused(String name) {
    Device device = TestDevices.get(name);
    try (FourierPlan plan = builder(false, 4, 4).device(device).build();
        Arena arena = Arena.ofConfined()) {
      MemorySegment array = plan.allocateInput(arena);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> plan.forward(array, array))
          .withMessageContaining("does not reach");
    }
  }
}
