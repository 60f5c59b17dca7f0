package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.rialto.spi.exec.Cancellation;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds the command lines in the pages to the command line that there is. */
class DocumentedCommandsTest {
  private static final Path ROOT = Path.of("..");

  /** A line that is a command, perhaps with settings before it and, after two blanks, a remark. */
  private static final Pattern COMMAND =
      Pattern.compile(
          "^(?: {4}|\\$ )?(?:[A-Z_]+=\\S+ |mpirun\\S* -n \\d+ )*\\./rialto (\\S.*?)(?: {2,}.*)?$");

  /** Jobs of the script, which pass Maven's options on. */
  private static final Set<String> OF_THE_SCRIPT =
      Set.of("test", "stress", "mutate", "format", "package");

  record Line(String page, String command) {
    @Override
    public String toString() {
      return page + ": " + command;
    }
  }

  static List<Line> lines() throws IOException {
    List<Line> lines = new ArrayList<>();
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      for (Path page :
          Stream.concat(top, docs).filter(p -> p.toString().endsWith(".md")).toList()) {
        for (String text : Files.readAllLines(page)) {
          Matcher command = COMMAND.matcher(text);
          if (command.matches()) {
            lines.add(new Line(page.getFileName().toString(), command.group(1)));
          }
        }
      }
    }
    return lines;
  }

  @ParameterizedTest
  @MethodSource("lines")
  void aCommandInThePagesIsUnderstood(Line line) {
    List<String> words =
        Arrays.stream(line.command().split(" "))
            .takeWhile(word -> !word.matches("[>|&].*"))
            .toList();
    if (OF_THE_SCRIPT.contains(words.getFirst())) {
      return;
    }
    PrintWriter nowhere = new PrintWriter(new StringWriter());
    assertThatCode(
            () ->
                Main.commandLine(nowhere, nowhere, false, new Interruption(new Cancellation()))
                    .parseArgs(words.toArray(String[]::new)))
        .doesNotThrowAnyException();
  }

  @Test
  void thereAreMany() throws IOException {
    assertThat(lines()).hasSizeGreaterThan(30).extracting(Line::page).contains("README.md");
  }
}
