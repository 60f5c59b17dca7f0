package dev.rialto.cli.report;

import java.util.ArrayDeque;
import java.util.Deque;

/** Writes HTML: what is data is escaped here, and elements are closed in order. */
final class Markup {
  private final StringBuilder out = new StringBuilder();
  private final Deque<String> open = new ArrayDeque<>();

  /** Opens an element; {@code attributes} are names and values in turn. */
  Markup open(String element, String... attributes) {
    start(element, attributes).append('>');
    open.push(element);
    return this;
  }

  private StringBuilder start(String element, String... attributes) {
    out.append('<').append(element);
    for (int i = 0; i < attributes.length; i += 2) {
      if (attributes[i].equals("class") && attributes[i + 1].isEmpty()) {
        continue;
      }
      out.append(' ').append(attributes[i]).append("=\"");
      escaped(attributes[i + 1]);
      out.append('"');
    }
    return out;
  }

  /** Closes the element opened last. */
  Markup close() {
    out.append("</").append(open.pop()).append(">\n");
    return this;
  }

  /** Writes an element that has no content. */
  Markup empty(String element, String... attributes) {
    start(element, attributes).append("/>");
    return this;
  }

  Markup element(String element, String text, String... attributes) {
    return open(element, attributes).text(text).close();
  }

  Markup text(String text) {
    escaped(text);
    return this;
  }

  /** Writes what is HTML, a style or a script already. */
  Markup raw(String html) {
    out.append(html);
    return this;
  }

  private void escaped(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '&' -> out.append("&amp;");
        case '"' -> out.append("&quot;");
        // Control characters are not HTML in any form.
        default -> out.append(c < ' ' && c != '\n' && c != '\t' ? '\ufffd' : c);
      }
    }
  }

  @Override
  public String toString() {
    if (!open.isEmpty()) {
      throw new IllegalStateException("elements are open: " + open);
    }
    return out.toString();
  }
}
