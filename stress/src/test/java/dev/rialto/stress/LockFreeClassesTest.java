package dev.rialto.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs all stress tests for a moment each, to find what breaks often; {@code ./rialto stress} runs
 * them for longer and with all compilers.
 */
class LockFreeClassesTest {
  @Test
  @Timeout(600) // Some 15 s where nothing else runs.
  void noMeetingOfTwoThreadsBreaksALockFreeClass(@TempDir Path folder)
      throws IOException, InterruptedException {
    Path log = folder.resolve("log");
    List<String> command =
        List.of(
            ProcessHandle.current().info().command().orElseThrow(),
            "-cp",
            System.getProperty("java.class.path"),
            "org.openjdk.jcstress.Main",
            "-jvmArgs",
            "--enable-native-access=ALL-UNNAMED",
            "-sc",
            "false",
            "-f",
            "1",
            "-fsm",
            "1",
            "-iters",
            "1",
            "-time",
            "50",
            "-r",
            folder.toString());
    int code =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start()
            .waitFor();
    String told = Files.readString(log);
    assertThat(code).as(told).isZero();
    long tests = tests();
    assertThat(told)
        .contains(tests + " passed, 0 failed, 0 soft errs, 0 hard errs")
        .contains("(Results: " + tests + " planned; ");
  }

  /** Counts the tests in the sources, so that none is left out unnoticed. */
  private static long tests() throws IOException {
    try (Stream<Path> sources = Files.walk(Path.of("src/jcstress"))) {
      return sources
          .filter(file -> file.toString().endsWith(".java"))
          .flatMap(LockFreeClassesTest::lines)
          .filter(line -> line.strip().equals("@JCStressTest"))
          .count();
    }
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.readAllLines(file).stream();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
