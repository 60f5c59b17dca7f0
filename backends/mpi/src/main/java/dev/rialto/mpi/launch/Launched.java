package dev.rialto.mpi.launch;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The launcher that started this process, as the environment tells.
 *
 * @param rank this process's number
 * @param size how many there are; 0 if the launcher does not say
 * @param libraries the names of the libraries it may belong to, the likeliest first; empty if any
 */
public record Launched(int rank, int size, List<String> libraries) {
  public Launched {
    libraries = List.copyOf(libraries);
  }

  /** Reads an environment; empty if this process was started by hand. */
  public static Optional<Launched> from(Map<String, String> environment) {
    if (environment.containsKey("OMPI_COMM_WORLD_RANK")) {
      return Optional.of(
          new Launched(
              number(environment, "OMPI_COMM_WORLD_RANK"),
              number(environment, "OMPI_COMM_WORLD_SIZE"),
              List.of("openmpi", "abi")));
    }
    if (environment.containsKey("PMI_RANK")) {
      return Optional.of(
          new Launched(
              number(environment, "PMI_RANK"),
              number(environment, "PMI_SIZE"),
              environment.containsKey("SLURM_JOB_ID") ? List.of() : List.of("mpich", "abi")));
    }
    if (environment.containsKey("PMIX_RANK")) {
      return Optional.of(
          new Launched(
              number(environment, "PMIX_RANK"),
              number(environment, "SLURM_STEP_NUM_TASKS"),
              List.of()));
    }
    return Optional.empty();
  }

  private static int number(Map<String, String> environment, String name) {
    String value = environment.getOrDefault(name, "0");
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalStateException(
          "the launcher set " + name + " to '" + value + "', which is no number", e);
    }
  }
}
