package dev.rialto.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.spi.RankLauncher;
import dev.rialto.spi.device.Device;
import dev.rialto.tck.TestDevices;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The matrix on ranks that are processes, with every backend here that can start some. */
class ProcessMatrixTest {
  private static final int RANKS = 5;
  private static final int LIMIT_SECONDS = 200;

  @TestFactory
  @Timeout(240)
  Stream<DynamicTest> everyPlanByEverySchemeMatchesPlainLoops() {
    return Backends.all().stream()
        .filter(
            backend ->
                backend.launcher().isPresent() || backend.probe() instanceof Probe.Unavailable)
        .map(backend -> DynamicTest.dynamicTest(backend.name(), () -> run(backend)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "cuda"})
  @Timeout(240)
  @Tag("gpu")
  void processesShareTheMemoryOfADevice(String device) throws IOException, InterruptedException {
    Device _ = TestDevices.get(device);
    run(Backends.get("mpi"), 2, device);
  }

  private static void run(BackendProvider backend) throws IOException, InterruptedException {
    run(backend, RANKS);
  }

  private static void run(BackendProvider backend, int ranks, String... arguments)
      throws IOException, InterruptedException {
    if (backend.probe() instanceof Probe.Unavailable(String reason, _)) {
      Assumptions.abort(backend.name() + " cannot be used here: " + reason);
    }
    RankLauncher launcher = backend.launcher().orElseThrow();
    List<String> command = new ArrayList<>();
    command.addAll(
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
            MatrixProgram.class.getName(),
            backend.name()));
    command.addAll(List.of(arguments));
    Process process = launcher.launch(ranks, command, Map.of());
    try {
      assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("ended in time").isTrue();
      assertThat(process.exitValue()).as("exit code").isZero();
    } finally {
      process.destroyForcibly();
    }
  }
}
