package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.runtime.ComputeDevice;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.World;
import dev.rialto.spi.device.Device;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** Tests with a team on every device that is here. */
final class OnDevices {
  private OnDevices() {}

  /** The body of a rank. */
  interface OnTeam {
    void run(Team team);
  }

  /** Returns a test for each device besides the host, and each number of ranks. */
  static Stream<DynamicTest> tests(OnTeam body) {
    return Devices.list().stream()
        .filter(device -> !device.memory().properties().hostAccessible())
        .flatMap(
            device ->
                Stream.of(1, 3)
                    .map(
                        ranks ->
                            DynamicTest.dynamicTest(
                                device.name() + " on " + ranks, () -> run(device, ranks, body))));
  }

  /** Runs it with a device of its own, all of whose memory is given back in the end. */
  static void run(Device device, int ranks, OnTeam body) {
    try (ComputeDevice own = ComputeDevice.open(device)) {
      try (World world = World.local(ranks)) {
        world.run(
            comm -> {
              try (Team team = Team.on(comm, own.client())) {
                body.run(team);
              }
            });
      }
      assertThat(own.client().memoryUsage().used()).as("memory in the end").isZero();
    }
  }
}
