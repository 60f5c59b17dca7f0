package dev.rialto.tck;

import dev.rialto.tck.run.HtmlReport;
import dev.rialto.text.Json;
import dev.rialto.text.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The findings of a run of the kit.
 *
 * @param backend the name of the backend that was checked
 * @param ranks the numbers of ranks it was checked with
 * @param seed what repeats the run
 * @param results one per requirement that was reached
 * @param interrupted whether the run was stopped before its end
 * @param coverage what the random cases covered
 */
public record ConformanceReport(
    String backend,
    List<Integer> ranks,
    long seed,
    List<RequirementResult> results,
    boolean interrupted,
    Coverage coverage) {
  /** The most lines of a failure's detail in the text; JSON and HTML have all. */
  private static final int DETAIL = 40;

  /** Copies the lists. */
  public ConformanceReport {
    ranks = List.copyOf(ranks);
    results = List.copyOf(results);
  }

  /** Returns whether all requirements were reached and none failed. */
  public boolean passed() {
    return !interrupted && count(Outcome.FAILED) == 0;
  }

  /** Returns how many requirements had this outcome. */
  public int count(Outcome outcome) {
    return (int) results.stream().filter(result -> result.outcome() == outcome).count();
  }

  /** Returns the verdict and the numbers behind it, in one line. */
  public String summary() {
    return backend
        + (passed()
            ? " conforms: "
            : count(Outcome.FAILED) > 0 ? " does not conform: " : " was not checked to the end: ")
        + count(Outcome.PASSED)
        + " passed, "
        + count(Outcome.FAILED)
        + " failed, "
        + count(Outcome.NOT_DECLARED)
        + " not declared, "
        + count(Outcome.NOT_RUN)
        + " not run (ranks "
        + joined(ranks)
        + ", seed "
        + seed
        + ", "
        + Math.round(results.stream().mapToLong(RequirementResult::millis).sum() / 100.0) / 10.0
        + " s)";
  }

  /** Returns a table of all requirements, what is to be known of failures, and the summary. */
  public String toText() {
    Table table = Table.of("requirement", "outcome", "ranks", "ms", "what").alignRight(3);
    for (RequirementResult result : results) {
      table.row(
          result.id(),
          result.outcome().label(),
          joined(result.ranks()),
          result.millis(),
          result.outcome() == Outcome.NOT_RUN
              ? result.text() + " (" + result.message() + ")"
              : result.text());
    }
    StringBuilder text = new StringBuilder(table.toString());
    for (RequirementResult result : results) {
      if (result.outcome() == Outcome.FAILED) {
        text.append('\n').append(result.id()).append(' ').append(result.text()).append('\n');
        result.message().lines().forEach(line -> text.append("  ").append(line).append('\n'));
        result
            .detail()
            .lines()
            .limit(DETAIL)
            .forEach(line -> text.append("    ").append(line).append('\n'));
      }
    }
    if (!coverage.isEmpty()) {
      text.append("\nWhat the random programs covered:\n").append(coverage.toText());
    }
    return text.append('\n').append(summary()).append('\n').toString();
  }

  /** Returns everything as a JSON document. */
  public String toJson() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("backend", backend);
    document.put("passed", passed());
    if (interrupted) {
      document.put("interrupted", true);
    }
    document.put("ranks", ranks);
    document.put("seed", seed);
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (Outcome outcome : Outcome.values()) {
      counts.put(outcome.name(), count(outcome));
    }
    document.put("counts", counts);
    document.put("results", results);
    document.put("coverage", coverage.lines());
    return Json.writeIndented(document);
  }

  /** Returns everything as a web page that needs nothing else. */
  public String toHtml() {
    return new HtmlReport(this).toString();
  }

  /** Returns numbers of ranks as a report shows them. */
  public static String joined(List<Integer> ranks) {
    return ranks.stream().map(String::valueOf).collect(Collectors.joining(","));
  }
}
