package dev.rialto.mpi;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.mpi.launch.MpiLauncher;
import dev.rialto.mpi.library.MpiLibrary;

/** Which MPI libraries tests can use here. */
final class Installed {
  private Installed() {}

  /** Skips the test unless a launcher is there that is surely this library's. */
  static void assume(String library) {
    assumeTrue(
        kind(library).launchers().stream()
            .filter(program -> !program.equals("mpirun") && !program.equals("mpiexec"))
            .anyMatch(program -> MpiLauncher.onPath(program).isPresent()),
        library + " is not installed");
  }

  static MpiLibrary kind(String name) {
    return MpiLibrary.ALL.stream()
        .filter(kind -> kind.name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
