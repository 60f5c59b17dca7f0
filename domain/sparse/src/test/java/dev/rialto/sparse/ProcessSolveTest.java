package dev.rialto.sparse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link SolveProgram} on threads, and on processes of every backend here that can start some. */
class ProcessSolveTest {
  private static final int LIMIT_SECONDS = 200;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void threadsAgree(int ranks) {
    Ranks.run(ranks, SolveProgram::run);
  }

  @TestFactory
  @Timeout(700)
  Stream<DynamicTest> processesAgree() {
    return Backends.all().stream()
        .filter(backend -> backend.probe() instanceof Probe.Available)
        .filter(backend -> backend.launcher().isPresent())
        .flatMap(
            backend ->
                IntStream.rangeClosed(1, 3)
                    .mapToObj(
                        ranks ->
                            DynamicTest.dynamicTest(
                                backend.name() + ", " + ranks, () -> run(backend, ranks))));
  }

  private static void run(BackendProvider backend, int ranks)
      throws IOException, InterruptedException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            // Three JVMs share what may be two cores.
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx256m",
            "--add-modules",
            "jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            SolveProgram.class.getName(),
            backend.name());
    Process process = backend.launcher().orElseThrow().launch(ranks, command, Map.of());
    try {
      assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("ended in time").isTrue();
      assertThat(process.exitValue()).as("exit code").isZero();
    } finally {
      process.destroyForcibly();
    }
  }
}
