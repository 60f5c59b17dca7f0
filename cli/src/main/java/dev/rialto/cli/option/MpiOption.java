package dev.rialto.cli.option;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names an MPI library. */
public final class MpiOption {
  private static final String PROPERTY = "rialto.mpi";

  @Option(
      names = "--mpi",
      paramLabel = "LIBRARY",
      description = "The MPI library: openmpi, mpich, abi or a path; ranks are then linked by mpi.")
  private @Nullable String library;

  /** Chooses the library, before it is loaded, if one is named. */
  public void choose() {
    if (library != null) {
      System.setProperty(PROPERTY, library);
    }
  }

  /** Returns the backend that links ranks: the one asked for, or the library's, or the default. */
  public @Nullable String backend(@Nullable String asked) {
    if (library == null || "mpi".equals(asked)) {
      return asked;
    }
    if (asked != null) {
      throw CommandFailure.usage(
          "--mpi " + library + " does not go with '" + asked + "'.", "Leave one of them out.");
    }
    return "mpi";
  }
}
