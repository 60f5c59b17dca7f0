package dev.rialto.cli.report;

import java.util.List;

/** Tables that scroll by themselves where they are wider than the page. */
final class ScrollingTable {
  private ScrollingTable() {}

  /** Opens a table in a box of its own. */
  static void open(Markup out, String caption) {
    open(out, caption, "");
  }

  static void open(Markup out, String caption, String style) {
    out.open("div", "class", "table", "tabindex", "0", "role", "region", "aria-label", caption);
    out.open("table", "class", style).element("caption", caption, "class", "unseen");
  }

  static void close(Markup out) {
    out.close().close();
  }

  static void head(Markup out, List<String> names) {
    out.open("thead").open("tr");
    names.forEach(name -> out.element("th", name, "scope", "col"));
    out.close().close();
  }

  /** Writes a row; what begins with a digit is a number and set as one. */
  static void row(Markup out, String... cells) {
    out.open("tr");
    for (String cell : cells) {
      cell(out, cell);
    }
    out.close();
  }

  static void cell(Markup out, String text) {
    boolean number = !text.isEmpty() && Character.isDigit(text.charAt(0));
    if (number) {
      out.element("td", text, "class", "number");
    } else {
      out.element("td", text, "class", text.length() > 12 ? "wide" : "");
    }
  }

  /** Opens a part that is closed until a reader asks for it; to be closed. */
  static void details(Markup out, String summary) {
    out.open("details").element("summary", summary);
  }
}
