package dev.rialto.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Keeps the guides true: what they show as code is code of this module's tests. */
class GuideTest {
  private static final Pattern BLOCK =
      Pattern.compile("```(java|services)\n(.*?)```", Pattern.DOTALL);

  @Test
  void everyBlockOfCodeIsFoundInTheSources() throws IOException {
    List<String> sources;
    try (Stream<Path> files = Files.walk(Path.of("src/test"))) {
      sources = files.filter(Files::isRegularFile).map(GuideTest::read).toList();
    }
    for (String guide : List.of("add-a-transport.md", "exchange.md")) {
      List<MatchResult> blocks =
          BLOCK.matcher(Files.readString(Path.of("../../docs", guide))).results().toList();
      assertThat(blocks).as(guide).hasSizeGreaterThan(1);
      for (MatchResult block : blocks) {
        assertThat(sources)
            .as("a source with this block of %s:%n%s", guide, block.group(2))
            .anyMatch(source -> source.contains(flat(block.group(2))));
      }
    }
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
