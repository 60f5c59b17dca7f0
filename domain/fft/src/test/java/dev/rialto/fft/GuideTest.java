package dev.rialto.fft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

  @Test
  void theExampleKeepsWhatItMustAndDraws() throws IOException, InterruptedException {
    Path picture = folder.resolve("v.png");
    Path log = folder.resolve("log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--class-path",
                System.getProperty("java.class.path"),
                "../../examples/Vortices.java",
                "24",
                "50",
                picture.toString(),
                "--ranks=3")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertThat(process.waitFor(110, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(Files.readString(log)).isZero();
      assertThat(Files.readString(log)).contains("3 ranks: energy");
      assertThat(picture).isNotEmptyFile();
    } finally {
      process.destroyForcibly();
    }
  }
}
