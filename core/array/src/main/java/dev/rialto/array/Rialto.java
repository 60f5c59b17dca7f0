package dev.rialto.array;

import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.device.Device;
import dev.rialto.system.Arguments;
import java.util.List;

/**
 * The start of a program: opens the ranks and devices that the command line names, and runs the
 * program on each rank with its team.
 *
 * {@snippet :
 * void main(String[] args) {
 *   Rialto.run(args, team -> {
 *     F64Array heat = team.f64(512, 512);
 *     heat.set((i, j) -> i == 100 && j == 100 ? 1 : 0);
 *     team.print("sum " + heat.sum());
 *   });
 * }
 * }
 */
public final class Rialto {
  /** A program that ranks run together. */
  @FunctionalInterface
  public interface Body {
    /** Runs on one rank; the team is closed afterwards. */
    void run(Team team) throws Exception;
  }

  private Rialto() {}

  /**
   * Runs a program on ranks.
   *
   * <p>{@code --ranks N} and {@code --comm NAME} choose the world, as {@link World#open} says.
   * {@code --device NAME} places arrays: {@code cuda:1} names one device for all ranks; with {@code
   * cuda} the ranks of a node take its devices in turn. Without it arrays are on the host. Other
   * arguments are the program's.
   *
   * @throws IllegalArgumentException if a value is missing or wrong
   * @throws dev.rialto.spi.error.BackendException if there is no such device or backend
   * @throws dev.rialto.spi.error.CommunicationException if a rank failed, with its exception as the
   *     cause
   */
  public static void run(String[] args, Body body) {
    String device = Arguments.of(args).option("--device", "");
    if (!device.isEmpty()) {
      // Found before ranks start: a wrong name is the caller's mistake, not a rank's failure.
      Devices.open(device);
    }
    try (World world = World.open(args)) {
      world.run(
          comm -> {
            try (Team team =
                device.isEmpty() ? Team.on(comm) : Team.on(comm, client(comm, device))) {
              body.run(team);
            }
          });
    }
  }

  /** Returns a client of the device of a rank. */
  private static ComputeClient client(Communicator comm, String name) {
    if (name.contains(":")) {
      return Devices.open(name);
    }
    List<Device> devices = Backends.get(name).devices();
    if (devices.size() == 1) {
      return Devices.of(devices.getFirst());
    }
    try (Communicator node = comm.splitByNode()) {
      return Devices.of(devices.get(node.rank() % devices.size()));
    }
  }
}
