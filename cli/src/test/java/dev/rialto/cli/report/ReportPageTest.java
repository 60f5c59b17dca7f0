package dev.rialto.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import dev.rialto.cli.report.PageText.Element;
import dev.rialto.text.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contents of the page; another test covers its looks. */
class ReportPageTest {
  private static final String HOSTILE = "</script><script>alert('x')</script>\"&";

  @TempDir private Path folder;

  private PageText page(TraceText... traces) throws IOException, TraceException {
    List<TraceFile> files = new ArrayList<>();
    for (TraceText each : traces) {
      files.add(TraceFile.read(each.write(folder.resolve("run" + files.size() + ".json"))));
    }
    return new PageText(ReportPage.of(files));
  }

  private static Map<?, ?> timeline(PageText page) {
    Element data =
        page.all("script").stream()
            .filter(script -> "timeline-data".equals(script.attributes().get("id")))
            .findFirst()
            .orElseThrow();
    return (Map<?, ?>) Json.read(data.text());
  }

  private static List<?> tracks(PageText page, int run) {
    return (List<?>) ((Map<?, ?>) ((List<?>) timeline(page).get("runs")).get(run)).get("tracks");
  }

  @Test
  void everySectionHasAHeadingAndALink() throws IOException, TraceException {
    PageText page = page(TraceText.full("poisson"));
    List<String> sections =
        List.of(
            "Results",
            "Timeline",
            "Communication",
            "Schemes",
            "Roofline",
            "Convergence",
            "Memory",
            "Environment");
    assertThat(page.texts("h2")).isEqualTo(sections);
    assertThat(page.all("a").stream().filter(a -> a.parents().getFirst().name().equals("li")))
        .extracting(Element::text)
        .isEqualTo(sections);
    assertThat(page.texts("h1")).singleElement().asString().startsWith("rialto solve poisson");
    assertThat(page.texts("title").getFirst()).startsWith("rialto solve poisson");
  }

  @Test
  void whatATraceDoesNotHaveIsNotThere() throws IOException, TraceException {
    PageText page =
        page(new TraceText().record("result", Map.of("name", "Fastest", "value", "shared")));
    assertThat(page.texts("h2")).containsExactly("Results");
    assertThat(page.all("canvas")).isEmpty();
    assertThat(page.rows("results")).containsExactly(List.of("Fastest", "shared"));
  }

  @Test
  void namesAreTextWhateverTheySay() throws IOException, TraceException {
    PageText page = page(TraceText.full(HOSTILE));
    assertThat(page.all("script")).hasSize(2);
    assertThat(page.rows("results")).contains(List.of("Error", "1.5e-9 " + HOSTILE));
    assertThat(timeline(page).get("texts")).asInstanceOf(LIST).contains("solve " + HOSTILE);
  }

  @Test
  void thePageAsksNothingOfANetwork() throws IOException, TraceException {
    PageText page = page(TraceText.full("poisson"));
    assertThat(page.all("link")).isEmpty();
    for (Element each : page.all()) {
      assertThat(each.attributes().getOrDefault("src", "data:")).startsWith("data:");
      assertThat(each.attributes().getOrDefault("href", "#")).startsWith("#");
    }
    assertThat(page.texts("style")).singleElement().asString().doesNotContain("url(", "@import");
    assertThat(page.texts("script").getLast()).doesNotContain("http", "fetch(", "import(");
  }

  @Test
  void chartsHaveNamesAndTheirNumbersInTables() throws IOException, TraceException {
    PageText page = page(TraceText.full("poisson"));
    assertThat(
            page.all().stream().map(each -> each.attributes().get("id")).filter(id -> id != null))
        .doesNotHaveDuplicates();
    assertThat(page.all().stream().filter(e -> "img".equals(e.attributes().get("role"))))
        .hasSize(3)
        .allSatisfy(chart -> assertThat(chart.attributes().get("aria-label")).isNotBlank());
    assertThat(page.all("img")).allSatisfy(i -> assertThat(i.attributes()).containsKey("alt"));
    assertThat(page.all("table")).hasSameSizeAs(page.all("caption"));
    assertThat(page.rows("communication"))
        .contains(List.of("0", "·", "400.0 KiB"), List.of("1", "200.0 KiB", "·"))
        .contains(List.of("0", "1", "400.0 KiB", "50", "8.0 KiB"));
    assertThat(page.rows("schemes"))
        .anySatisfy(row -> assertThat(row).startsWith("shared chosen", "2x1", "1.1 ms", "1.00 ×"))
        .anySatisfy(row -> assertThat(row).startsWith("point-to-point", "1x2", "2.2 ms", "2.00 ×"));
    assertThat(page.rows("roofline"))
        .contains(List.of("1", "product", "1 s", "12 GB/s", "2 Gop/s", "0.167", "75 %"))
        .contains(List.of("", "copy", "1 s", "8 GB/s", "–", "–", "50 %"));
    assertThat(page.rows("convergence"))
        .contains(List.of("cg", "3", "1.00e+00", "1.00e-07", "1e-06", "0.005 ×"));
    assertThat(page.rows("memory"))
        .contains(List.of("rank 1: process, resident", "256.0 MiB", "0 s", "256.0 MiB"));
    assertThat(page.rows("timeline"))
        .anySatisfy(row -> assertThat(row).startsWith("0", "Exchange halo", "Exchange", "50"));
  }

  @Test
  void messagesOfTrialsAreNotTheProgramsTraffic() throws IOException, TraceException {
    Map<String, Object> message = Map.of("peer", 1, "bytes", 1000);
    PageText page =
        page(
            new TraceText()
                .slice(0, "shared", "Trial", 0, 100, Map.of())
                .slice(0, "Exchange Message", "Exchange Message", 10, 10, message)
                .slice(0, "Exchange Message", "Exchange Message", 110, 10, message));
    assertThat(page.rows("communication")).contains(List.of("1", "0", "1000 B", "1", "1000 B"));
  }

  @Test
  void ranksMayHaveAnyNumber() throws IOException, TraceException {
    Map<String, Object> message = Map.of("peer", 166115127584527L, "bytes", 1000);
    PageText page =
        page(new TraceText().slice(0, "Exchange Message", "Exchange Message", 10, 10, message));
    assertThat(page.rows("communication"))
        .contains(List.of("166115127584527", "0", "1000 B", "1", "1000 B"));
  }

  @Test
  void slicesThatOverlapAreInRowsOfTheirOwn() throws IOException, TraceException {
    PageText page =
        page(
            new TraceText()
                .slice(0, "outer", "Phase", 0, 100, Map.of())
                .slice(0, "inner", "Phase", 10, 20, Map.of())
                .slice(0, "after", "Phase", 40, 20, Map.of())
                .slice(0, "late", "Phase", 50, 100, Map.of()));
    List<?> rows = (List<?>) ((Map<?, ?>) tracks(page, 0).getFirst()).get("rows");
    assertThat(rows).hasSize(3);
    assertThat(rows)
        .extracting(row -> ((List<?>) row).size() / TimelineTracks.STRIDE)
        .containsExactly(1, 2, 1);
  }

  @Test
  void moreSlicesThanAScreenShowsAreJoined() throws IOException, TraceException {
    TraceText trace = new TraceText();
    int many = TimelineTracks.MOST_SLICES + 50_000;
    for (int i = 0; i < many; i++) {
      trace.slice(0, "step", i % 2 == 0 ? "Exchange" : "Phase", i * 10.0, 8, Map.of());
    }
    List<?> row =
        (List<?>)
            ((List<?>) ((Map<?, ?>) tracks(page(trace), 0).getFirst()).get("rows")).getFirst();
    long stoodFor = 0;
    for (int i = TimelineTracks.STRIDE - 1; i < row.size(); i += TimelineTracks.STRIDE) {
      stoodFor += ((Number) row.get(i)).longValue();
    }
    assertThat(row.size() / TimelineTracks.STRIDE).isLessThanOrEqualTo(TimelineTracks.MOST_SLICES);
    assertThat(stoodFor).isEqualTo(many);
  }

  @Test
  void filesOfRanksOfOneRunAreOneRun() throws IOException, TraceException {
    PageText page =
        page(
            new TraceText().slice(0, "solve", "Phase", 0, 100, Map.of()),
            new TraceText().slice(1, "solve", "Phase", 50, 100, Map.of()));
    assertThat(tracks(page, 0))
        .<Object>extracting(track -> ((Map<?, ?>) track).get("rank"))
        .containsExactly(0L, 1L);
  }

  @Test
  void severalRunsAreSideBySide() throws IOException, TraceException {
    PageText page = page(TraceText.full("a"), TraceText.full("b"));
    assertThat(page.texts("h1")).containsExactly("2 runs");
    assertThat(page.rows("results"))
        .contains(List.of("", "run0", "run1"), List.of("Error", "1.5e-9 a", "1.5e-9 b"));
    assertThat(page.rows("convergence"))
        .extracting(List::getFirst)
        .contains("run0: cg", "run1: cg");
    assertThat((List<?>) timeline(page).get("runs")).hasSize(2);
  }

  @Test
  void oddNumbersDoNotBreakAPage() throws IOException, TraceException {
    PageText page =
        page(
            new TraceText()
                .record("curve", Map.of("name", "flat", "values", List.of(0.0), "tolerance", 0))
                .record("curve", Map.of("name", "none", "values", List.of(), "tolerance", 1))
                .record("curve", Map.of("name", "text", "values", List.of("x"), "tolerance", 1))
                .record("measured", Map.of("name", "no time", "seconds", 0))
                .record("measured", Map.of("name", "only time", "seconds", 1))
                .counter(0, "empty", 0, 0));
    assertThat(page.texts("h2")).containsExactly("Roofline", "Convergence", "Memory");
  }
}
