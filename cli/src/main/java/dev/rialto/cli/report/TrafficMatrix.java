package dev.rialto.cli.report;

import dev.rialto.cli.report.ReportedRun.Sent;
import dev.rialto.cli.report.ReportedRun.Traffic;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The section of bytes and messages that each rank sent to each other. */
final class TrafficMatrix {
  private static final int MOST_CELLS = 16;

  /** A matrix of more ranks is too large for a page; the pairs that sent most are listed. */
  private static final int MOST_RANKS = 256;

  private TrafficMatrix() {}

  static void write(Markup out, List<ReportedRun> runs) {
    for (ReportedRun run : runs) {
      Traffic traffic = run.traffic();
      if (traffic.isEmpty()) {
        continue;
      }
      double sum = traffic.pairs().values().stream().mapToDouble(Sent::bytes).sum();
      long count = traffic.pairs().values().stream().mapToLong(Sent::messages).sum();
      out.element(
          "p",
          Charts.labelled(
              runs,
              run,
              "%s in %s messages of exchanges, those of tuning left out. Rows send, columns receive."
                  .formatted(Quantity.bytes(sum), Quantity.count(count))),
          "class",
          "lead");
      if (traffic.ranks() <= MOST_RANKS) {
        matrix(out, traffic);
      }
      pairs(out, traffic);
    }
  }

  private static void matrix(Markup out, Traffic traffic) {
    double most = traffic.most();
    boolean written = traffic.ranks() <= MOST_CELLS;
    out.open(
        "div",
        "class",
        "table matrix-box",
        "tabindex",
        "0",
        "role",
        "region",
        "aria-label",
        "Communication matrix");
    out.open("table", "class", written ? "matrix" : "matrix dense");
    out.element("caption", "Bytes sent from each rank to each other", "class", "unseen");
    out.open("thead").open("tr").element("td", written ? "from ↓ to →" : "");
    for (int to = 0; to < traffic.ranks(); to++) {
      out.element("th", written ? Integer.toString(to) : "", "scope", "col");
    }
    out.close().close().open("tbody");
    for (int from = 0; from < traffic.ranks(); from++) {
      out.open("tr").element("th", Integer.toString(from), "scope", "row");
      for (int to = 0; to < traffic.ranks(); to++) {
        Sent sent = traffic.of(from, to);
        double bytes = sent.bytes();
        String title =
            "rank %d to rank %d: %s in %s messages"
                .formatted(from, to, Quantity.bytes(bytes), Quantity.count(sent.messages()));
        double part = most > 0 ? bytes / most : 0;
        String fill = String.format(Locale.ROOT, "--part:%.0f%%", 100 * part);
        String text = !written ? "" : bytes > 0 ? Quantity.bytes(bytes) : "·";
        out.element(
            "td", text, "style", fill, "title", title, "class", part > 0.5 ? "cell full" : "cell");
      }
      out.close();
    }
    out.close().close().close();
  }

  private static void pairs(Markup out, Traffic traffic) {
    List<Sent> pairs =
        traffic.pairs().values().stream()
            .sorted(
                Comparator.comparingDouble(Sent::bytes)
                    .reversed()
                    .thenComparingLong(Sent::from)
                    .thenComparingLong(Sent::to))
            .limit(100)
            .toList();
    ScrollingTable.details(out, "The pairs that exchanged the most, as a table");
    ScrollingTable.open(out, "Communication by pairs of ranks");
    ScrollingTable.head(out, List.of("From", "To", "Sent", "Messages", "Each"));
    out.open("tbody");
    for (Sent each : pairs) {
      ScrollingTable.row(
          out,
          Long.toString(each.from()),
          Long.toString(each.to()),
          Quantity.bytes(each.bytes()),
          Quantity.count(each.messages()),
          Quantity.bytes(each.bytes() / each.messages()));
    }
    out.close();
    ScrollingTable.close(out);
    out.close();
  }
}
