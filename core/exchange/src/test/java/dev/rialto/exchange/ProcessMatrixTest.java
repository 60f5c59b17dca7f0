package dev.rialto.exchange;

import dev.rialto.spi.Backends;
import dev.rialto.spi.device.Device;
import dev.rialto.tck.LaunchedRanks;
import dev.rialto.tck.TestDevices;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The matrix on ranks that are processes, with every backend here that can start some. */
class ProcessMatrixTest {
  private static final Duration LIMIT = Duration.ofSeconds(200);

  @TestFactory
  Stream<DynamicTest> everyPlanByEverySchemeMatchesPlainLoops() {
    return LaunchedRanks.tests(MatrixProgram.class, 5, LIMIT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "cuda"})
  @Tag("gpu")
  void processesShareTheMemoryOfADevice(String device) throws IOException, InterruptedException {
    Device _ = TestDevices.get(device);
    LaunchedRanks.run(Backends.get("mpi"), MatrixProgram.class, 2, LIMIT, device);
  }
}
