package dev.rialto.dist.site;

import dev.rialto.text.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A record that {@code rialto bench} wrote.
 *
 * @param name of its file, without the ending
 * @param document what it says
 */
record Measurement(String name, Map<?, ?> document) {
  private static final List<String> NUMBERS =
      List.of("rialto", "peer", "ratio", "goal", "limit", "floor");

  static Measurement read(Path file) throws IOException {
    String name = file.getFileName().toString();
    return new Measurement(
        name.substring(0, name.lastIndexOf('.')), Json.readObject(Files.readString(file)));
  }

  private List<?> rows() {
    return Json.member(document, "rows", List.class);
  }

  /** Returns how many of the rows that can be judged are met, in words. */
  private String verdict() {
    long judged = rows().stream().filter(row -> ((Map<?, ?>) row).get("met") != null).count();
    long met =
        rows().stream().filter(row -> Boolean.TRUE.equals(((Map<?, ?>) row).get("met"))).count();
    return met + " of " + judged + " goals met";
  }

  /** Returns the line of this record in the list of all. */
  String row(String link) {
    return "<tr><td><a href=\"%s\">%s</a></td><td>%s</td></tr>%n"
        .formatted(link, Page.escape(name), verdict());
  }

  /** Returns the list of all records. */
  static String table(String rows) {
    return "<h2>All records</h2>\n<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>"
        + "<th>record</th><th>goals</th></tr></thead><tbody>\n"
        + rows
        + "</tbody></table></div>\n";
  }

  Page page() {
    Map<?, ?> machine = Json.member(document, "machine", Map.class);
    StringBuilder html = new StringBuilder();
    html.append("<h1>").append(Page.escape(name)).append("</h1>\n");
    html.append(
        "<p>%s, %s cores, JDK %s, %s. <strong>%s.</strong></p>%n"
            .formatted(
                text(machine, "cpu"),
                number(machine.get("cores")),
                text(machine, "jdk"),
                text(document, "date"),
                verdict()));
    html.append(
        "<p>A ratio is Rialto's time as a part of the peer's in the same run: lower is better."
            + " A goal is the most that the ratio, a limit the most that the time may be; the floor"
            + " is what the hardware takes.</p>\n");
    html.append(
        "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>case</th><th>unit</th>");
    NUMBERS.forEach(column -> html.append("<th class=\"n\">").append(column).append("</th>"));
    html.append("<th>met</th><th>against</th></tr></thead>\n<tbody>\n");
    for (Object each : rows()) {
      Map<?, ?> row = (Map<?, ?>) each;
      html.append("<tr><td><code>").append(text(row, "case")).append("</code></td><td>");
      html.append(text(row, "unit")).append("</td>");
      NUMBERS.forEach(
          column ->
              html.append("<td class=\"n\">").append(number(row.get(column))).append("</td>"));
      html.append(met(row.get("met"))).append("<td>").append(text(row, "peerName"));
      html.append("</td></tr>\n");
    }
    html.append("</tbody></table></div>\n");
    if (document.get("notes") instanceof List<?> notes && !notes.isEmpty()) {
      html.append("<ul>\n");
      notes.forEach(
          note -> html.append("<li>").append(Page.escape(note.toString())).append("</li>\n"));
      html.append("</ul>\n");
    }
    return new Page(name, html.toString(), Set.of());
  }

  private static String met(@Nullable Object met) {
    if (met == null) {
      return "<td></td>";
    }
    return met.equals(true) ? "<td class=\"met\">yes</td>" : "<td class=\"missed\">no</td>";
  }

  private static String text(Map<?, ?> map, String key) {
    Object value = map.get(key);
    return value == null ? "" : Page.escape(value.toString());
  }

  /** Writes a number to three digits or more. */
  private static String number(@Nullable Object value) {
    if (!(value instanceof Number number)) {
      return "";
    }
    double d = number.doubleValue();
    if (d == Math.rint(d)) {
      return String.valueOf(number.longValue());
    }
    return String.format(Locale.ROOT, Math.abs(d) < 100 ? "%.3g" : "%.0f", d);
  }
}
