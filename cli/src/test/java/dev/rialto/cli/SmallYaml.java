package dev.rialto.cli;

import dev.rialto.text.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A reader of the part of YAML that this repository's files use: mappings and sequences by
 * indentation, words, quoted text and sequences in one line. Everything else is an error.
 */
final class SmallYaml {
  private static final Pattern ENTRY = Pattern.compile("([A-Za-z_][\\w-]*):(?: +(\\S.*))?");

  /** A line without its comment. */
  private record Line(int number, int indent, String text) {}

  private final Deque<Line> lines = new ArrayDeque<>();

  private SmallYaml(String text) {
    int number = 0;
    for (String line : text.split("\n", -1)) {
      number++;
      String content = line.strip();
      if (!content.isEmpty() && !content.startsWith("#")) {
        int indent = line.indexOf(content);
        lines.add(new Line(number, indent, content));
        require(!line.substring(0, indent).contains("\t"), "a tab indents", lines.getLast());
      }
    }
  }

  static Object read(String text) {
    SmallYaml yaml = new SmallYaml(text);
    Object value = yaml.block();
    if (!yaml.lines.isEmpty()) {
      require(false, "the indentation fits no line above", yaml.lines.getFirst());
    }
    return value;
  }

  private Object block() {
    return lines.getFirst().text().startsWith("- ") ? sequence() : mapping();
  }

  private List<Object> sequence() {
    int indent = lines.getFirst().indent();
    List<Object> items = new ArrayList<>();
    while (!lines.isEmpty() && lines.getFirst().indent() == indent) {
      Line line = lines.removeFirst();
      require(line.text().startsWith("- "), "an item begins with '- '", line);
      String rest = line.text().substring(2).strip();
      if (ENTRY.matcher(rest).matches()) {
        int inner = indent + line.text().indexOf(rest);
        lines.addFirst(new Line(line.number(), inner, rest));
        items.add(mapping());
      } else {
        items.add(scalar(rest, line));
      }
    }
    return items;
  }

  private Map<String, Object> mapping() {
    int indent = lines.getFirst().indent();
    Map<String, Object> entries = new LinkedHashMap<>();
    while (!lines.isEmpty()
        && lines.getFirst().indent() == indent
        && !lines.getFirst().text().startsWith("- ")) {
      Line line = lines.removeFirst();
      Matcher entry = ENTRY.matcher(line.text());
      require(entry.matches(), "this is no 'name: value'", line);
      Object value = entry.group(2) == null ? below(line) : scalar(entry.group(2), line);
      require(entries.put(entry.group(1), value) == null, "the name is there already", line);
    }
    return entries;
  }

  /** Returns what stands below an entry: deeper, or a sequence at its own depth. */
  private Object below(Line entry) {
    require(
        !lines.isEmpty()
            && (lines.getFirst().indent() > entry.indent()
                || (lines.getFirst().indent() == entry.indent()
                    && lines.getFirst().text().startsWith("- "))),
        "the entry has no value",
        entry);
    return block();
  }

  private static Object scalar(String text, Line line) {
    if (text.startsWith("\"")) {
      return Json.read(text);
    }
    if (text.startsWith("[")) {
      return text.contains("\"")
          ? Json.read(text)
          : List.of(text.substring(1, text.length() - 1).split(", *", -1));
    }
    require(
        !text.matches("[{&*!|>'%@`].*") && !text.contains(": ") && !text.contains(" #"),
        "this value needs quotes",
        line);
    return text;
  }

  private static void require(boolean holds, String problem, Line line) {
    if (!holds) {
      throw new IllegalArgumentException(
          "line " + line.number() + ": " + problem + ": " + line.text());
    }
  }
}
