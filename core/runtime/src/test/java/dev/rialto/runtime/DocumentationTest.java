package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Keeps docs/runtime.md true: its code is that of a test, and the tests it names exist. */
class DocumentationTest {
  private static final Path PAGE = Path.of("../../docs/runtime.md");
  private static final Pattern CODE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)\\)(?: `(\\w+)`)?");

  @Test
  void itsCodeIsThatOfTheExamples() throws IOException {
    String examples =
        flat(Files.readString(Path.of("src/test/java/dev/rialto/runtime/ExampleTest.java")));
    List<MatchResult> blocks = CODE.matcher(Files.readString(PAGE)).results().toList();
    assertThat(blocks).hasSize(2);
    for (MatchResult block : blocks) {
      assertThat(examples).contains(flat(block.group(1)));
    }
  }

  @Test
  void itsLinksLeadToFilesAndTestsThatExist() throws IOException {
    List<MatchResult> links = LINK.matcher(Files.readString(PAGE)).results().toList();
    assertThat(links).hasSizeGreaterThan(30);
    for (MatchResult link : links) {
      Path file = PAGE.resolveSibling(link.group(1)).normalize();
      assertThat(file).exists();
      if (link.group(2) != null) {
        assertThat(Files.readString(file))
            .containsPattern(
                "@(Test|ParameterizedTest|TestFactory)\\b[^;]* " + link.group(2) + "\\(");
      }
    }
  }

  @Test
  void everyRowOfOperationsAndPromisesNamesATest() throws IOException {
    String page = Files.readString(PAGE);
    String tables = page.substring(page.indexOf("## Every operation"), page.indexOf("## Speed"));
    List<String> rows = tables.lines().filter(line -> line.startsWith("| ")).toList();
    assertThat(rows.stream().filter(row -> !row.endsWith("| test |")))
        .hasSizeGreaterThan(30)
        .allMatch(row -> LINK.matcher(row).results().anyMatch(link -> link.group(2) != null));
  }

  @Test
  void everyMethodOfAClientIsOnThePage() throws IOException {
    String page = Files.readString(PAGE);
    assertThat(ComputeClient.class.getDeclaredMethods())
        .filteredOn(method -> Modifier.isPublic(method.getModifiers()))
        .extracting(Method::getName)
        .allMatch(name -> Pattern.compile("`(\\w+\\.)?" + name + "\\b").matcher(page).find());
  }

  private static String flat(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }
}
