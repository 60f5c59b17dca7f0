package dev.rialto.fft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds the guide against the tests it quotes, and runs the example it points to. */
class GuideTest {
  @TempDir private Path folder;

  @Test
  void everyBlockOfJavaIsFoundInATest() throws IOException {
    String tests;
    try (Stream<Path> files = Files.list(Path.of("src/test/java/dev/rialto/fft"))) {
      tests = files.map(GuideTest::words).collect(Collectors.joining());
    }
    Matcher blocks =
        Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../../docs/fft.md")));
    assertThat(blocks.results())
        .isNotEmpty()
        .allSatisfy(block -> assertThat(tests).contains(words(block.group(1))));
  }

  private static String words(Path file) {
    try {
      return words(Files.readString(file));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String words(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }

  /** Returns the command of the example, which fails if it does not keep what it must. */
  private List<String> example(Path picture, String... options) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "--class-path",
                System.getProperty("java.class.path"),
                "../../examples/Vortices.java",
                "24",
                "10",
                picture.toString()));
    command.addAll(List.of(options));
    return command;
  }

  @Test
  void theExampleKeepsWhatItMustAndDraws() throws IOException, InterruptedException {
    Path picture = folder.resolve("v.png");
    Path log = folder.resolve("log");
    Process process =
        new ProcessBuilder(example(picture, "--ranks=3"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertThat(process.waitFor(400, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(Files.readString(log)).isZero();
      assertKept(Files.readString(log), 3);
      assertThat(picture).isNotEmptyFile();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void theExampleDoesTheSameOnProcesses() throws IOException, InterruptedException {
    Path picture = folder.resolve("v.png");
    assertKept(ProcessJob.run(folder, "openmpi", 2, example(picture)), 2);
    assertThat(picture).isNotEmptyFile();
  }

  /** The energy falls by what viscosity takes, and vorticity is neither made nor lost. */
  private static void assertKept(String log, int ranks) {
    Matcher said =
        Pattern.compile(ranks + " ranks: energy (\\S+) to (\\S+), vorticity kept to (\\S+)")
            .matcher(log);
    assertThat(said.find()).as(log).isTrue();
    double before = Double.parseDouble(said.group(1));
    assertThat(Double.parseDouble(said.group(2))).isBetween(0.98 * before, before);
    assertThat(Double.parseDouble(said.group(3))).isLessThan(1e-9);
  }
}
