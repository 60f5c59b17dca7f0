package dev.rialto.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.exchange.transport.Transport;
import dev.rialto.exchange.transport.Transports;
import dev.rialto.spi.JavaCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A rank that fails where ranks are processes, on each MPI library that is installed: the job ends,
 * names the rank, and leaves no process behind. A few transports and phases; all of them with
 * {@code -Drialto.faults=all}.
 */
class ProcessFaultTest {
  @TempDir private Path folder;

  static Stream<Arguments> cases() {
    List<Arguments> cases = new ArrayList<>();
    for (String library : List.of("openmpi", "mpich")) {
      if (System.getProperty("rialto.faults", "").equals("all")) {
        for (Transport transport : Transports.all()) {
          for (Faults.Phase phase : Faults.Phase.values()) {
            cases.add(Arguments.of(library, transport.name(), phase));
          }
        }
      } else {
        cases.add(Arguments.of(library, "shared", Faults.Phase.AWAIT));
        cases.add(Arguments.of(library, "rma-pull", Faults.Phase.CLOSE));
        cases.add(Arguments.of(library, "point-to-point", Faults.Phase.BETWEEN));
      }
    }
    return cases.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theFailureOfARankEndsTheJob(String library, String transport, Faults.Phase phase)
      throws Exception {
    assumeTrue(isInstalled(library), library + " is not installed");
    Path log = folder.resolve("log");
    ProcessBuilder builder =
        new ProcessBuilder(
            JavaCommand.like(FaultProgram.class, List.of("launch", transport, phase.toString())));
    builder.environment().put("RIALTO_MPI", library);
    builder.environment().put("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1");
    Process job = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    List<ProcessHandle> started = new ArrayList<>();
    long begin = System.nanoTime();
    try {
      // What takes 3 s alone takes long on a machine that is busy; what hangs takes for ever.
      while (!job.waitFor(200, TimeUnit.MILLISECONDS)) {
        job.descendants().filter(each -> !started.contains(each)).forEach(started::add);
        assertThat(System.nanoTime() - begin)
            .as("nanoseconds; %s", Files.readString(log))
            .isLessThan(TimeUnit.SECONDS.toNanos(90));
      }
      String output = Files.readString(log);
      assertThat(job.exitValue()).as(output).isNotZero();
      assertThat(output).contains("rank 1");
      for (ProcessHandle each : started) {
        assertThat(each.onExit())
            .as("%s of%n%s", each, output)
            .succeedsWithin(10, TimeUnit.SECONDS);
      }
    } finally {
      started.forEach(ProcessHandle::destroyForcibly);
      job.destroyForcibly();
    }
  }

  private static boolean isInstalled(String library) {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(path -> Files.isExecutable(Path.of(path, "mpirun." + library)));
  }
}
