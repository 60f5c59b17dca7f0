package dev.rialto.exchange;

import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import dev.rialto.system.JavaCommand;
import java.util.List;
import java.util.Map;

/**
 * The program of each process of {@link ProcessFaultTest}. By hand: {@code launch SCHEME PHASE}
 * starts three such processes with the MPI library that {@code RIALTO_MPI} names.
 */
final class FaultProgram {
  private FaultProgram() {}

  public static void main(String[] args) throws Exception {
    if (args[0].equals("launch")) {
      List<String> ranks = JavaCommand.like(FaultProgram.class, List.of("run", args[1], args[2]));
      Process job = Backends.get("mpi").launcher().orElseThrow().launch(3, ranks, Map.of());
      System.exit(job.waitFor());
    }
    try (World world = World.open("--comm", "mpi")) {
      world.run(comm -> Faults.run(comm, args[1], Faults.Phase.valueOf(args[2])));
    }
  }
}
