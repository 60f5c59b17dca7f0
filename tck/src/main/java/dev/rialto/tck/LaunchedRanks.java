package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.tck.run.GroupTask;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;

/**
 * Tests of a program whose ranks are processes, one with every backend here that can start some. A
 * backend that cannot be used here is named as a test that was aborted.
 */
public final class LaunchedRanks {
  private LaunchedRanks() {}

  /**
   * Returns tests that a program ends well, and in time.
   *
   * @param program has a {@code main} that takes the backend's name, and fails by an exception
   */
  public static Stream<DynamicTest> tests(Class<?> program, int ranks, Duration limit) {
    return Backends.all().stream()
        .filter(
            backend ->
                backend.launcher().isPresent() || backend.probe() instanceof Probe.Unavailable)
        .map(
            backend ->
                DynamicTest.dynamicTest(backend.name(), () -> run(backend, program, ranks, limit)));
  }

  /** Returns the command of a process like this one that runs {@code program}. */
  public static List<String> command(Class<?> program, String... arguments) {
    return GroupTask.command(program, arguments);
  }

  /** Returns the backend of a class, in a process that was launched for it. */
  public static BackendProvider backend(String type) throws ReflectiveOperationException {
    return GroupTask.backend(type);
  }

  /**
   * Runs a program with one backend; see {@link #tests}.
   *
   * @param arguments given to the program after the backend's name
   */
  public static void run(
      BackendProvider backend, Class<?> program, int ranks, Duration limit, String... arguments)
      throws IOException, InterruptedException {
    if (backend.probe() instanceof Probe.Unavailable(String reason, _)) {
      Assumptions.abort(backend.name() + " cannot be used here: " + reason);
    }
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            // Several JVMs share what may be two cores.
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx256m",
            "--add-modules",
            "jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            program.getName(),
            backend.name()));
    command.addAll(List.of(arguments));
    Process process = backend.launcher().orElseThrow().launch(ranks, command, Map.of());
    try {
      Assertions.assertTrue(
          process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS),
          () -> ranks + " ranks of " + program.getName() + " did not end within " + limit);
      Assertions.assertEquals(0, process.exitValue(), "exit code");
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
