package dev.rialto.fft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.spi.Backends;
import dev.rialto.system.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A program whose ranks are processes of an MPI library. It is launched by a process of its own,
 * because the library is chosen once per process.
 */
final class ProcessJob {
  private ProcessJob() {}

  /**
   * Runs a program, and returns what it has written. Where the library is not installed the test is
   * skipped.
   */
  static String run(Path folder, String library, int ranks, List<String> command)
      throws IOException, InterruptedException {
    assumeTrue(
        Backends.all().stream().anyMatch(backend -> backend.name().equals("mpi")),
        "no MPI library is installed");
    assumeTrue(isInstalled(library), library + " is not installed");
    List<String> arguments = new ArrayList<>(List.of(Integer.toString(ranks)));
    arguments.addAll(command);
    Path log = folder.resolve("log");
    ProcessBuilder builder = new ProcessBuilder(JavaCommand.like(ProcessJob.class, arguments));
    builder.environment().put("RIALTO_MPI", library);
    // Ranks live for a second: the compiler that takes longer is of no use to them.
    builder.environment().put("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1");
    Process job = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      assertThat(job.waitFor(400, TimeUnit.SECONDS)).as("ended: %s", log).isTrue();
      assertThat(job.exitValue()).as(Files.readString(log)).isZero();
      return Files.readString(log);
    } finally {
      job.descendants().forEach(ProcessHandle::destroyForcibly);
      job.destroyForcibly();
    }
  }

  private static boolean isInstalled(String library) {
    return List.of(System.getenv("PATH").split(":")).stream()
        .anyMatch(path -> Files.isExecutable(Path.of(path, "mpirun." + library)));
  }

  /**
   * Launches.
   *
   * @param args the number of ranks, then the command of each
   */
  public static void main(String[] args) throws Exception {
    Process job =
        Backends.get("mpi")
            .launcher()
            .orElseThrow()
            .launch(Integer.parseInt(args[0]), List.of(args).subList(1, args.length), Map.of());
    System.exit(job.waitFor());
  }
}
