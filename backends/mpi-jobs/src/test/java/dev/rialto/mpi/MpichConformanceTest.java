package dev.rialto.mpi;

import dev.rialto.spi.BackendProvider;
import dev.rialto.tck.ConformanceOptions;
import dev.rialto.tck.ConformanceSuite;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;

/**
 * The whole kit on MPICH, with a rank that is alone and with three. {@code ./rialto conform mpi
 * --mpi mpich} does the same with other numbers.
 */
class MpichConformanceTest extends ConformanceSuite {
  @BeforeAll
  static void choose() {
    Installed.assume("mpich");
    System.setProperty(LibraryChoice.PROPERTY, "mpich");
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
