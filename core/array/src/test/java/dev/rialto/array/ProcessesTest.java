package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.spi.RankLauncher;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Every algorithm on ranks that are processes, with every backend here that can start some. */
class ProcessesTest {
  private static final int RANKS = 5;
  private static final int LIMIT_SECONDS = 100;

  @TestFactory
  @Timeout(120)
  Stream<DynamicTest> everyAlgorithmMatchesPlainLoops() {
    return Backends.all().stream()
        .filter(backend -> !(backend.probe() instanceof Probe.Available) || starts(backend))
        .map(backend -> DynamicTest.dynamicTest(backend.name(), () -> run(backend)));
  }

  private static boolean starts(BackendProvider backend) {
    return backend.launcher().isPresent();
  }

  private static void run(BackendProvider backend) throws IOException, InterruptedException {
    if (backend.probe() instanceof Probe.Unavailable(String reason, _)) {
      Assumptions.abort(backend.name() + " cannot be used here: " + reason);
    }
    RankLauncher launcher = backend.launcher().orElseThrow();
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            // Five JVMs share what may be two cores.
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx256m",
            "--add-modules",
            "jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            ArrayProgram.class.getName(),
            backend.name());
    Process process = launcher.launch(RANKS, command, Map.of());
    try {
      assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("ended in time").isTrue();
      assertThat(process.exitValue()).as("exit code").isZero();
    } finally {
      process.destroyForcibly();
    }
  }
}
