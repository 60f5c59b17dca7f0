package dev.rialto.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page as a tree of elements: reading it fails unless every element is closed in its place. */
final class PageText {
  private static final Pattern TAG =
      Pattern.compile("<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\\s+[\\w:-]+=\"[^\"<>]*\")*)\\s*(/?)>");
  private static final Pattern ATTRIBUTE = Pattern.compile("([\\w:-]+)=\"([^\"]*)\"");
  private static final Set<String> OPAQUE = Set.of("script", "style");

  /** An element, with all the text that is in it. */
  static final class Element {
    private final String name;
    private final Map<String, String> attributes;
    private final StringBuilder content = new StringBuilder();
    private final List<Element> parents;

    Element(String name, Map<String, String> attributes, List<Element> parents) {
      this.name = name;
      this.attributes = attributes;
      this.parents = parents;
    }

    String name() {
      return name;
    }

    Map<String, String> attributes() {
      return attributes;
    }

    /** Returns those it is in, the nearest first. */
    List<Element> parents() {
      return parents;
    }

    String text() {
      return content.toString().replaceAll("\\s+", " ").strip();
    }

    boolean isIn(String id) {
      return parents.stream().anyMatch(parent -> id.equals(parent.attributes.get("id")));
    }
  }

  private final List<Element> elements = new ArrayList<>();

  PageText(String html) {
    assertThat(html).startsWith("<!DOCTYPE html>");
    Deque<Element> open = new ArrayDeque<>();
    Matcher tag = TAG.matcher(html);
    int at = html.indexOf('>') + 1;
    while (tag.find(at)) {
      String text = html.substring(at, tag.start());
      if (!open.isEmpty() && OPAQUE.contains(open.peek().name)) {
        int end = html.indexOf("</" + open.peek().name, at);
        text = html.substring(at, end);
        assertThat(tag.find(end)).isTrue();
      } else {
        assertThat(text).as("text").doesNotContain("<", ">");
      }
      String read = unescaped(text);
      open.forEach(each -> each.content.append(read));
      at = tag.end();
      if (!tag.group(1).isEmpty()) {
        assertThat(open).as("open at </%s>", tag.group(2)).isNotEmpty();
        assertThat(open.pop().name).isEqualTo(tag.group(2));
        continue;
      }
      Map<String, String> attributes = new LinkedHashMap<>();
      Matcher attribute = ATTRIBUTE.matcher(tag.group(3));
      while (attribute.find()) {
        attributes.put(attribute.group(1), unescaped(attribute.group(2)));
      }
      Element element = new Element(tag.group(2), attributes, List.copyOf(open));
      elements.add(element);
      if (tag.group(4).isEmpty()) {
        open.push(element);
      }
    }
    assertThat(open).isEmpty();
  }

  private static String unescaped(String text) {
    return text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&");
  }

  List<Element> all(String name) {
    return elements.stream().filter(element -> element.name.equals(name)).toList();
  }

  List<Element> all() {
    return elements;
  }

  List<String> texts(String name) {
    return all(name).stream().map(Element::text).toList();
  }

  /** Returns the rows of the tables of a section, cell by cell. */
  List<List<String>> rows(String section) {
    List<List<String>> rows = new ArrayList<>();
    for (Element row : all("tr")) {
      if (row.isIn(section)) {
        rows.add(
            elements.stream()
                .filter(cell -> cell.name.equals("td") || cell.name.equals("th"))
                .filter(cell -> cell.parents.getFirst() == row)
                .map(Element::text)
                .toList());
      }
    }
    return rows;
  }
}
