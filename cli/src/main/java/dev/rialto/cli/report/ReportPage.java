package dev.rialto.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.rialto.text.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The page: one HTML file with its style, script and pictures in it, that asks nothing of a
 * network.
 *
 * <p>What a browser can show by itself is HTML already, each chart with the numbers behind it in a
 * table; the script draws the timeline and keeps the choice between light and dark. A section is
 * there if a run has something for it.
 */
public final class ReportPage {
  private static final int MOST_TOTALS = 40;

  private final List<ReportedRun> runs;
  private final Map<String, Consumer<Markup>> sections = new LinkedHashMap<>();

  private ReportPage(List<ReportedRun> runs) {
    this.runs = runs;
    Charts charts = new Charts(runs);
    section("Results", run -> run.results().isEmpty() && run.pictures().isEmpty(), this::results);
    section("Timeline", run -> run.slices().isEmpty(), this::timeline);
    section("Communication", run -> run.traffic().isEmpty(), out -> TrafficMatrix.write(out, runs));
    section("Schemes", run -> run.schemes().isEmpty(), charts::schemes);
    section("Roofline", run -> run.measured().isEmpty(), charts::roofline);
    section("Convergence", run -> run.curves().isEmpty(), charts::convergence);
    section("Memory", run -> run.memory().isEmpty(), charts::memory);
    section("Environment", run -> run.environment().isEmpty(), this::environment);
  }

  private void section(
      String name, Function<ReportedRun, Boolean> isEmpty, Consumer<Markup> content) {
    if (!runs.stream().allMatch(isEmpty::apply)) {
      sections.put(name, content);
    }
  }

  public static String of(List<TraceFile> traces) {
    return new ReportPage(ReportedRun.of(traces)).page();
  }

  private String page() {
    String title = title();
    Markup out = new Markup().raw("<!DOCTYPE html>\n");
    out.open("html", "lang", "en").open("head").empty("meta", "charset", "utf-8");
    out.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
    out.empty("meta", "name", "color-scheme", "content", "light dark");
    out.element("title", title + " – Rialto report");
    out.open("style").raw(resource("report.css")).close().close();
    out.open("body").element("a", "Skip to the content", "class", "skip", "href", "#content");
    header(out, title);
    out.open("main", "id", "content");
    sections.forEach(
        (name, content) -> {
          String id = name.toLowerCase(Locale.ROOT);
          out.open("section", "id", id, "aria-labelledby", id + "-heading");
          out.element("h2", name, "id", id + "-heading");
          content.accept(out);
          out.close();
        });
    out.close();
    out.open("footer").element("p", "Made by Rialto from " + files() + ".").close();
    if (sections.containsKey("Timeline")) {
      // Only this character could end the element or begin a comment in it.
      String data = Json.write(new TimelineTracks(runs).document()).replace("<", "\\u003c");
      out.open("script", "type", "application/json", "id", "timeline-data").raw(data).close();
    }
    out.open("script").raw(resource("report.js")).close();
    return out.close().close().toString();
  }

  private String files() {
    return runs.size() == 1 ? "a trace of one run" : "traces of " + runs.size() + " runs";
  }

  private String title() {
    Set<String> commands = new LinkedHashSet<>();
    runs.forEach(run -> commands.add(run.environment().getOrDefault("Command", run.label())));
    return commands.size() == 1 ? commands.iterator().next() : runs.size() + " runs";
  }

  private void header(Markup out, String title) {
    out.open("header", "class", "top").open("div", "class", "bar");
    out.element("p", "Rialto report", "class", "brand");
    out.open("div", "class", "theme", "role", "group", "aria-label", "Colours");
    for (String theme : List.of("Auto", "Light", "Dark")) {
      String pressed = theme.equals("Auto") ? "true" : "false";
      String name = theme.toLowerCase(Locale.ROOT);
      out.element("button", theme, "type", "button", "data-theme", name, "aria-pressed", pressed);
    }
    out.close().close();
    out.open("h1");
    // Words stay whole: a line must not end after the first dash of an option.
    for (String word : title.split(" ", -1)) {
      out.element("span", word).text(" ");
    }
    out.close();
    out.open("p", "class", "facts");
    for (String fact : facts()) {
      out.element("span", fact);
    }
    out.close();
    out.close();
    out.open("nav", "aria-label", "Sections").open("ul");
    for (String name : sections.keySet()) {
      out.open("li");
      out.element("a", name, "href", "#" + name.toLowerCase(Locale.ROOT)).close();
    }
    out.close().close();
  }

  /** The facts that all runs agree on. */
  private List<String> facts() {
    List<String> facts = new ArrayList<>();
    for (String name : List.of("Date", "Processor", "Cores", "Java", "Rialto")) {
      Set<String> values = new LinkedHashSet<>();
      runs.forEach(run -> values.add(run.environment().getOrDefault(name, "")));
      if (values.size() == 1 && !values.contains("")) {
        String value = values.iterator().next();
        facts.add(
            switch (name) {
              case "Cores" -> value + (value.equals("1") ? " core" : " cores");
              case "Rialto" -> "Rialto " + value;
              default -> value;
            });
      }
    }
    if (runs.size() == 1) {
      facts.add(Quantity.seconds(runs.getFirst().length() * 1e-6) + " traced");
    }
    return facts;
  }

  private void results(Markup out) {
    compare(out, "Results", ReportedRun::results);
    for (ReportedRun run : runs) {
      for (ReportedRun.Picture each : run.pictures()) {
        String data = "data:image/png;base64," + each.png();
        out.open("figure", "class", "picture").empty("img", "src", data, "alt", each.name());
        out.element("figcaption", Charts.labelled(runs, run, each.name())).close();
      }
    }
  }

  private void environment(Markup out) {
    compare(out, "Environment", ReportedRun::environment);
  }

  /** A table of names and values, with a column for each run. */
  private void compare(
      Markup out, String caption, Function<ReportedRun, Map<String, String>> values) {
    Set<String> names = new LinkedHashSet<>();
    runs.forEach(run -> names.addAll(values.apply(run).keySet()));
    if (names.isEmpty()) {
      return;
    }
    ScrollingTable.open(out, caption, runs.size() > 1 ? "" : "pairs");
    if (runs.size() > 1) {
      List<String> heads = new ArrayList<>(List.of(""));
      runs.forEach(run -> heads.add(run.label()));
      ScrollingTable.head(out, heads);
    }
    out.open("tbody");
    for (String name : names) {
      out.open("tr").element("th", name, "scope", "row");
      for (ReportedRun run : runs) {
        out.element("td", values.apply(run).getOrDefault(name, "–"));
      }
      out.close();
    }
    out.close();
    ScrollingTable.close(out);
  }

  private void timeline(Markup out) {
    out.element("p", "What each rank did, on each of its streams and threads.", "class", "lead");
    out.open("div", "id", "timeline-view", "class", "timeline", "hidden", "hidden");
    out.open("div", "class", "tools", "role", "group", "aria-label", "Timeline");
    for (String[] tool :
        new String[][] {
          {"in", "+", "Zoom in"},
          {"out", "−", "Zoom out"},
          {"left", "←", "Earlier"},
          {"right", "→", "Later"},
          {"all", "All", "Show all"}
        }) {
      out.element(
          "button",
          tool[1],
          "type",
          "button",
          "data-do",
          tool[0],
          "aria-label",
          tool[2],
          "title",
          tool[2]);
    }
    out.element("span", "", "class", "window").close();
    out.open("div", "class", "scroll");
    out.open(
        "canvas",
        "tabindex",
        "0",
        "role",
        "application",
        "aria-label",
        "Timeline",
        "aria-describedby",
        "timeline-keys");
    out.close().close();
    out.element("p", "Choose a slice to read about it.", "class", "chosen", "aria-live", "polite");
    out.open("ul", "class", "legend", "aria-label", "Colours of the timeline").close();
    out.open("p", "id", "timeline-keys", "class", "hint");
    out.raw(
        "Drag to move, <kbd>Ctrl</kbd> and wheel or pinch to zoom. Keys: <kbd>←</kbd> <kbd>→</kbd> "
            + "move, <kbd>+</kbd> <kbd>−</kbd> zoom, <kbd>0</kbd> shows all, <kbd>↑</kbd> "
            + "<kbd>↓</kbd> choose a row, <kbd>,</kbd> <kbd>.</kbd> a slice in it.");
    out.close().close();
    for (ReportedRun run : runs) {
      ScrollingTable.details(
          out, Charts.labelled(runs, run, "What took the most time, as a table"));
      ScrollingTable.open(out, "Time by rank and name");
      ScrollingTable.head(
          out, List.of("Rank", "What", "Kind", "Times", "Sum", "Longest", "Of the run"));
      out.open("tbody");
      for (TimelineTracks.Total each : TimelineTracks.totals(run, MOST_TOTALS)) {
        ScrollingTable.row(
            out,
            Integer.toString(each.rank()),
            each.name(),
            each.kind(),
            Quantity.count(each.count()),
            Quantity.seconds(each.micros() * 1e-6),
            Quantity.seconds(each.longest() * 1e-6),
            Quantity.percent(each.micros() / run.length()));
      }
      out.close();
      ScrollingTable.close(out);
      out.close();
    }
  }

  private static String resource(String name) {
    try (InputStream in = ReportPage.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
