package dev.rialto.tck.run;

import dev.rialto.spi.Capability;
import dev.rialto.tck.ConformanceReport;
import dev.rialto.tck.Outcome;
import dev.rialto.tck.RequirementResult;
import java.util.stream.Collectors;

/** A report as a page: the verdict, the numbers, and a row for each requirement. */
public final class HtmlReport {
  private static final String STYLE =
      """
      :root { color-scheme: light dark; --line: #8884; --bad: #c62828; --good: #2e7d32; }
      @media (prefers-color-scheme: dark) { :root { --bad: #ef9a9a; --good: #a5d6a7; } }
      body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto;
             padding: 0 1rem; }
      h1 { font-size: 1.4rem; }
      .scroll { overflow-x: auto; }
      table { border-collapse: collapse; width: 100%; }
      th, td { text-align: left; vertical-align: top; padding: .35rem .7rem;
               border-bottom: 1px solid var(--line); }
      th { position: sticky; top: 0; background: Canvas; }
      td.id, td.ranks, td.ms { white-space: nowrap; font-variant-numeric: tabular-nums; }
      td.ms { text-align: right; }
      .PASSED { color: var(--good); } .FAILED { color: var(--bad); font-weight: 600; }
      .NOT_DECLARED, .NOT_RUN { opacity: .7; }
      .about { opacity: .7; font-size: .85rem; }
      pre { overflow-x: auto; font-size: .8rem; border-left: 3px solid var(--bad);
            padding-left: .7rem; }
      """;

  private final StringBuilder page = new StringBuilder();

  public HtmlReport(ConformanceReport report) {
    String title = "Conformance of " + escape(report.backend());
    page.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .append("<meta name=\"viewport\" content=\"width=device-width\">\n<title>")
        .append(title)
        .append("</title>\n<style>\n")
        .append(STYLE)
        .append("</style>\n</head>\n<body>\n<h1>")
        .append(title)
        .append("</h1>\n<p class=\"")
        .append(report.passed() ? Outcome.PASSED : Outcome.FAILED)
        .append("\">")
        .append(escape(report.summary()))
        .append("</p>\n<div class=\"scroll\">\n<table>\n<tr><th>Requirement</th><th>Outcome</th>")
        .append("<th>Ranks</th><th>ms</th><th>What is required</th></tr>\n");
    report.results().forEach(this::row);
    page.append("</table>\n</div>\n</body>\n</html>\n");
  }

  private void row(RequirementResult result) {
    page.append("<tr id=\"").append(escape(result.id())).append("\"><td class=\"id\">");
    page.append(escape(result.id())).append("</td><td class=\"").append(result.outcome());
    page.append("\">").append(result.outcome().label()).append("</td><td class=\"ranks\">");
    page.append(ConformanceReport.joined(result.ranks())).append("</td><td class=\"ms\">");
    page.append(result.millis()).append("</td><td>").append(escape(result.text()));
    if (!result.capabilities().isEmpty()) {
      page.append("<div class=\"about\">");
      page.append(
              result.capabilities().stream()
                  .map(Capability::name)
                  .collect(Collectors.joining(", ")))
          .append("</div>");
    }
    if (result.outcome() == Outcome.FAILED) {
      page.append("<details open><summary>").append(escape(result.message()));
      page.append("</summary><pre>").append(escape(result.detail())).append("</pre></details>");
    } else if (!result.message().isEmpty()) {
      page.append("<div class=\"about\">").append(escape(result.message())).append("</div>");
    }
    page.append("</td></tr>\n");
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  @Override
  public String toString() {
    return page.toString();
  }
}
