package dev.rialto.tck;

import static org.junit.jupiter.api.Assertions.fail;

import dev.rialto.spi.BackendProvider;
import dev.rialto.system.files.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * All requirements as JUnit tests, in one line of a backend's own build:
 *
 * {@snippet :
 * class MyBackendConformanceTest extends ConformanceSuite {
 *   @Override
 *   protected BackendProvider backend() {
 *     return new MyBackend();
 *   }
 * }
 * }
 */
public abstract class ConformanceSuite {
  /** Makes an instance; the test engine does. */
  protected ConformanceSuite() {}

  /** Returns the backend to check. */
  protected abstract BackendProvider backend();

  /** Returns how to check it; override for other numbers of ranks and the like. */
  protected ConformanceOptions options() {
    return ConformanceOptions.of(backend());
  }

  /**
   * Runs the kit, which keeps its own time, and shows each requirement as a test. Leaves the report
   * as a JSON document in the folder that {@code -Drialto.tck.reports} names, if it does.
   */
  @TestFactory
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  final Stream<DynamicTest> requirements() throws IOException {
    ConformanceReport report = ConformanceKit.run(options());
    String folder = System.getProperty("rialto.tck.reports");
    if (folder != null) {
      Path reports = Files.createDirectories(Path.of(folder));
      WholeFile.write(reports.resolve(getClass().getSimpleName() + ".json"), report.toJson());
    }
    return report.results().stream()
        .map(
            result ->
                DynamicTest.dynamicTest(result.id() + " " + result.text(), () -> show(result)));
  }

  private static void show(RequirementResult result) {
    switch (result.outcome()) {
      case PASSED -> {}
      case FAILED -> fail(result.message() + "\n" + result.detail());
      case NOT_DECLARED, NOT_RUN -> Assumptions.abort(result.message());
    }
  }
}
