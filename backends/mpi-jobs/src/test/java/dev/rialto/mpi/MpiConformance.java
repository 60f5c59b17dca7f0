package dev.rialto.mpi;

import dev.rialto.mpi.library.LibraryChoice;
import dev.rialto.spi.BackendProvider;
import dev.rialto.tck.ConformanceOptions;
import dev.rialto.tck.ConformanceSuite;
import java.time.Duration;
import java.util.List;

/**
 * The whole kit on an MPI library, with a rank that is alone and with three. {@code ./rialto
 * conform mpi --mpi LIBRARY} does the same with other numbers.
 */
abstract class MpiConformance extends ConformanceSuite {
  /** Has this process use a library, or skips the suite where that is not installed. */
  static void choose(String library) {
    Installed.assume(library);
    System.setProperty(LibraryChoice.PROPERTY, library);
  }

  @Override
  protected BackendProvider backend() {
    return new MpiBackend();
  }

  @Override
  protected ConformanceOptions options() {
    // Processes take their time to start on a machine that does something else as well.
    return super.options().withRanks(List.of(1, 3)).withLimit(Duration.ofMinutes(2));
  }
}
