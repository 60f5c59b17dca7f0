package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.Capability;
import dev.rialto.text.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * In a whole build every requirement of the conformance kit passes on some backend, and every
 * capability is tried. Reads what the suites of the modules before this one left behind; a build of
 * some modules, or of some tests, is let through.
 */
class ConformanceGateTest {
  private static List<Map<?, ?>> results = List.of();

  @BeforeAll
  static void readReports() throws IOException {
    String folder = System.getProperty("rialto.tck.reports");
    Assumptions.assumeTrue(folder != null, "not run by the build");
    Assumptions.assumeTrue(System.getProperty("test") == null, "only some tests are run");
    Instant start = Instant.parse(System.getProperty("rialto.build.start"));
    for (String module : List.of("tck", "examples/socket-backend")) {
      Path reports = Path.of("..", module, "target", "surefire-reports");
      Assumptions.assumeFalse(
          newer(reports, start).isEmpty(), "the tests of " + module + " are not of this build");
    }
    results =
        newer(Path.of(folder), start).stream()
            // Of modules that are still tested, what is not whole has another name.
            .filter(file -> file.toString().endsWith(".json"))
            .flatMap(ConformanceGateTest::results)
            .toList();
  }

  private static List<Path> newer(Path folder, Instant start) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> !Instant.ofEpochMilli(file.toFile().lastModified()).isBefore(start))
          .toList();
    }
  }

  private static Stream<Map<?, ?>> results(Path report) {
    try {
      Map<?, ?> document = (Map<?, ?>) Json.read(Files.readString(report));
      return ((List<?>) document.get("results")).stream().map(result -> (Map<?, ?>) result);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Map<?, ?>> passed() {
    return results.stream().filter(result -> "PASSED".equals(result.get("outcome")));
  }

  private static boolean exceedsThisMachine(Map<?, ?> result) {
    return String.valueOf(result.get("message")).contains("needs a machine with");
  }

  @Test
  void everyRequirementPassedOnSomeBackend() {
    TreeSet<Object> left =
        results.stream()
            .map(result -> result.get("id"))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(left).as("requirements that were reported").isNotEmpty();
    passed().map(result -> result.get("id")).forEach(left::remove);
    results.stream()
        .filter(ConformanceGateTest::exceedsThisMachine)
        .map(result -> result.get("id"))
        .forEach(left::remove);
    assertThat(left).as("requirements that no backend was checked for").isEmpty();
  }

  @Test
  void everyCapabilityWasTriedOnSomeBackend() {
    TreeSet<Object> left =
        Arrays.stream(Capability.values())
            .map(Enum::name)
            .collect(Collectors.toCollection(TreeSet::new));
    Stream.concat(passed(), results.stream().filter(ConformanceGateTest::exceedsThisMachine))
        .flatMap(result -> ((List<?>) result.get("capabilities")).stream())
        .forEach(left::remove);
    assertThat(left).as("capabilities that no requirement was met for").isEmpty();
  }
}
