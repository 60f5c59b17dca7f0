package dev.rialto.fft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.spi.Backends;
import dev.rialto.spi.JavaCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same plans on ranks that are processes, on each MPI library that is installed. */
class ProcessRanksTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({"openmpi, 5", "mpich, 3"}) // where more ranks than cores spin, five take a minute
  void plansOnProcessesMatchTheirDefinitions(String library, int ranks) throws Exception {
    assumeTrue(
        Backends.all().stream().anyMatch(backend -> backend.name().equals("mpi")),
        "no MPI library is installed");
    assumeTrue(isInstalled(library), library + " is not installed");
    List<String> command = JavaCommand.like(Launch.class, List.of(Integer.toString(ranks)));
    Path log = folder.resolve("log");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("RIALTO_MPI", library);
    // Ranks live for a second: the compiler that takes longer is of no use to them.
    builder.environment().put("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1");
    Process job = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      assertThat(job.waitFor(180, TimeUnit.SECONDS)).as("ended: %s", log).isTrue();
      assertThat(job.exitValue()).as(Files.readString(log)).isZero();
      assertThat(Files.readString(log)).contains("pulled from the memory of " + ranks + " ranks");
    } finally {
      job.descendants().forEach(ProcessHandle::destroyForcibly);
      job.destroyForcibly();
    }
  }

  private static boolean isInstalled(String library) {
    return List.of(System.getenv("PATH").split(":")).stream()
        .anyMatch(path -> Files.isExecutable(Path.of(path, "mpirun." + library)));
  }

  /** Starts the ranks, in a process of its own because the library is chosen once per process. */
  static final class Launch {
    private Launch() {}

    public static void main(String[] args) throws Exception {
      List<String> command = JavaCommand.like(ProcessRanks.class, List.of());
      Process job =
          Backends.get("mpi")
              .launcher()
              .orElseThrow()
              .launch(Integer.parseInt(args[0]), command, java.util.Map.of());
      System.exit(job.waitFor());
    }
  }
}
