package dev.rialto.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.text.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Holds all pages to what is so: each block of Java is a program, which is run, or a part of a
 * source that the build compiles and tests; each figure is that of a record.
 */
class DocumentationTest {
  private static final Path ROOT = new Tree(Path.of("..")).root();
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern MAIN = Pattern.compile("void main\\(");

  /** Stands for lines that a page leaves out. */
  private static final String GAP = "// …";

  private static List<String> sources;
  @TempDir private Path folder;

  /** A block of Java on a page. */
  record Block(Path page, String code) {
    boolean isProgram() {
      return MAIN.matcher(code).find();
    }

    @Override
    public String toString() {
      return ROOT.relativize(page) + ": " + code.strip().lines().findFirst().orElse("");
    }
  }

  static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    try (Stream<Path> files = Files.list(ROOT)) {
      files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
    }
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
    }
    return pages;
  }

  private static List<Block> blocks() throws IOException {
    List<Block> blocks = new ArrayList<>();
    for (Path page : pages()) {
      BLOCK
          .matcher(Files.readString(page))
          .results()
          .forEach(block -> blocks.add(new Block(page, block.group(1))));
    }
    return blocks;
  }

  static List<Block> programs() throws IOException {
    return blocks().stream().filter(Block::isProgram).toList();
  }

  static List<Block> excerpts() throws IOException {
    return blocks().stream().filter(block -> !block.isProgram()).toList();
  }

  @BeforeAll
  static void readSources() throws IOException {
    sources = new ArrayList<>();
    for (Path file : SourceFiles.of(ROOT)) {
      if (isSource(file)) {
        sources.add(flat(Files.readString(file)));
      }
    }
  }

  private static boolean isSource(Path file) {
    String name = ROOT.relativize(file).toString();
    return name.endsWith(".java")
        && (name.contains("src/") || name.startsWith("examples/"))
        && !name.startsWith(".");
  }

  private static String flat(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }

  @ParameterizedTest
  @MethodSource("excerpts")
  void anExcerptIsPartOfACompiledSource(Block block) {
    assertThat(sources)
        .as("a source with this block:%n%s", block.code())
        .anyMatch(source -> holds(source, block.code()));
  }

  private static boolean holds(String source, String code) {
    int from = 0;
    for (String part : code.split(Pattern.quote(GAP), -1)) {
      String wanted = flat(part);
      int at = source.indexOf(wanted, from);
      if (at < 0) {
        return false;
      }
      from = at + wanted.length();
    }
    return true;
  }

  @ParameterizedTest
  @MethodSource("programs")
  void aProgramRuns(Block block) throws Exception {
    Matcher named = Pattern.compile("class (\\w+)").matcher(block.code());
    Path file = folder.resolve(named.find() ? named.group(1) + ".java" : "Program.java");
    Files.writeString(file, block.code());
    Run.in(folder)
        .command(
            Path.of(System.getProperty("java.home"), "bin/java").toString(),
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "--class-path",
            System.getProperty("java.class.path"),
            file.toString(),
            "--ranks",
            "2")
        .succeeds();
  }

  /**
   * A line of a table that begins with a case and ends with Rialto's time, the peer's and the ratio
   * holds what the latest record of that case says; with {@code -Drialto.docs=write} it is made so.
   */
  @Test
  void figuresAreThoseOfTheRecords() throws IOException {
    Map<String, Map<?, ?>> rows = records();
    int found = 0;
    for (Path page : pages()) {
      List<String> lines = Files.readAllLines(page);
      List<String> right = new ArrayList<>();
      for (String line : lines) {
        String[] cells = line.split("\\|", -1);
        Matcher name = Pattern.compile("`([\\w^/-]+/[\\w^/-]+)`").matcher(line);
        Map<?, ?> row = name.find() ? rows.get(name.group(1)) : null;
        if (row == null || cells.length < 5 || row.get("ratio") == null) {
          right.add(line);
          continue;
        }
        found++;
        int n = cells.length;
        cells[n - 4] = time(row, "rialto");
        cells[n - 3] = time(row, "peer");
        cells[n - 2] = " %s ".formatted(ratio(row.get("ratio")));
        right.add(String.join("|", cells));
      }
      if ("write".equals(System.getProperty("rialto.docs"))) {
        Files.write(page, right);
      } else {
        assertThat(right).as("%s; -Drialto.docs=write corrects it", page).isEqualTo(lines);
      }
    }
    assertThat(found).isGreaterThan(5);
  }

  /** Returns the rows of all records of two cores by case; those of later dates replace earlier. */
  private static Map<String, Map<?, ?>> records() throws IOException {
    Map<String, Map<?, ?>> rows = new LinkedHashMap<>();
    for (Path file : Folders.files(ROOT.resolve("bench/results"))) {
      if (file.toString().endsWith("-2-cores.json")) {
        Map<?, ?> document = (Map<?, ?>) Json.read(Files.readString(file));
        for (Object row : (List<?>) document.get("rows")) {
          rows.put((String) ((Map<?, ?>) row).get("case"), (Map<?, ?>) row);
        }
      }
    }
    return rows;
  }

  private static String time(Map<?, ?> row, String whose) {
    double time = ((Number) row.get(whose)).doubleValue();
    boolean inMillis = row.get("unit").equals("us") && time >= 1000;
    double shown = inMillis ? time / 1000 : time;
    return String.format(
        Locale.ROOT,
        shown < 100 ? " %.3g %s " : " %.0f %s ",
        shown,
        inMillis ? "ms" : row.get("unit"));
  }

  private static String ratio(Object value) {
    return String.format(Locale.ROOT, "%.2f", ((Number) value).doubleValue());
  }
}
