package dev.rialto.example.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Keeps the guide true: what it shows as code is code of this module, and the build compiles it.
 */
class GuideTest {
  private static final Path GUIDE = Path.of("../../docs/write-a-backend.md");
  private static final Pattern BLOCK =
      Pattern.compile("```(java|xml|services)\n(.*?)```", Pattern.DOTALL);

  /** Stands for lines that the guide leaves out. */
  private static final String GAP = "// …";

  @Test
  void everyBlockOfCodeIsFoundInTheSources() throws IOException {
    List<String> sources = sources();
    List<MatchResult> blocks = BLOCK.matcher(Files.readString(GUIDE)).results().toList();
    assertThat(blocks).hasSizeGreaterThan(10);
    for (MatchResult block : blocks) {
      assertThat(sources)
          .as("a source with this block of the guide:%n%s", block.group(2))
          .anyMatch(source -> holds(source, block.group(2)));
    }
  }

  private static boolean holds(String source, String block) {
    int from = 0;
    for (String part : block.split(Pattern.quote(GAP), -1)) {
      String wanted = flat(part);
      int at = source.indexOf(wanted, from);
      if (at < 0) {
        return false;
      }
      from = at + wanted.length();
    }
    return true;
  }

  private static List<String> sources() throws IOException {
    List<String> sources = new ArrayList<>(List.of(read(Path.of("pom.xml"))));
    try (Stream<Path> files = Files.walk(Path.of("src"))) {
      files.filter(Files::isRegularFile).map(GuideTest::read).forEach(sources::add);
    }
    return sources;
  }

  private static String read(Path file) {
    try {
      return flat(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String flat(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }
}
