package dev.rialto.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.Capability;
import dev.rialto.text.Json;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConformanceReportTest {
  private static final ConformanceReport REPORT =
      new ConformanceReport(
          "fake",
          List.of(1, 2),
          42,
          List.of(
              new RequirementResult(
                  "MEM-001",
                  "Memory is zeroed.",
                  List.of(Capability.MEMORY),
                  Outcome.PASSED,
                  List.of(),
                  "",
                  "",
                  12),
              new RequirementResult(
                  "P2P-001",
                  "Order is kept if a < b.",
                  List.of(Capability.POINT_TO_POINT),
                  Outcome.FAILED,
                  List.of(1),
                  "with 2 ranks, rank 1: <wrong> (seed 42)",
                  "at somewhere",
                  3100),
              new RequirementResult(
                  "P2P-002",
                  "Needs more.",
                  List.of(),
                  Outcome.NOT_RUN,
                  List.of(),
                  "not run: needs 3 ranks",
                  "",
                  0)),
          false,
          new Coverage());

  @Test
  void oneFailureIsEnough() {
    assertThat(REPORT.passed()).isFalse();
    assertThat(REPORT.count(Outcome.PASSED)).isEqualTo(1);
  }

  @Test
  void theTextHasATableTheFailuresAndASummary() {
    assertThat(REPORT.toText())
        .isEqualTo(
            """
            requirement  outcome  ranks    ms  what
            -----------  -------  -----  ----  ------------------------------------
            MEM-001      passed            12  Memory is zeroed.
            P2P-001      FAILED   1      3100  Order is kept if a < b.
            P2P-002      not run            0  Needs more. (not run: needs 3 ranks)

            P2P-001 Order is kept if a < b.
              with 2 ranks, rank 1: <wrong> (seed 42)
                at somewhere

            fake does not conform: 1 passed, 1 failed, 0 not declared, 1 not run \
            (ranks 1,2, seed 42, 3.1 s)
            """);
  }

  @Test
  void theJsonHasEverything() {
    Map<?, ?> document = (Map<?, ?>) Json.read(REPORT.toJson());
    assertThat(document.get("passed")).isEqualTo(false);
    assertThat(document.get("counts"))
        .isEqualTo(Map.of("PASSED", 1L, "FAILED", 1L, "NOT_DECLARED", 0L, "NOT_RUN", 1L));
    Map<?, ?> failed = (Map<?, ?>) ((List<?>) document.get("results")).get(1);
    assertThat(failed.get("id")).isEqualTo("P2P-001");
    assertThat(failed.get("outcome")).isEqualTo("FAILED");
    assertThat(failed.get("capabilities")).isEqualTo(List.of("POINT_TO_POINT"));
    assertThat(failed.get("ranks")).isEqualTo(List.of(1L));
    assertThat(failed.get("millis")).isEqualTo(3100L);
  }

  @Test
  void aRunThatWasStoppedHasNotPassed() {
    ConformanceReport stopped =
        new ConformanceReport(
            "fake", List.of(1), 42, REPORT.results().subList(0, 1), true, new Coverage());
    assertThat(stopped.passed()).isFalse();
    assertThat(stopped.summary()).startsWith("fake was not checked to the end: 1 passed, 0 failed");
    Map<?, ?> document = (Map<?, ?>) Json.read(stopped.toJson());
    assertThat(document.get("interrupted")).isEqualTo(true);
    assertThat(document.get("passed")).isEqualTo(false);
  }

  @Test
  void thePageIsSelfContainedAndEscaped() {
    String page = REPORT.toHtml();
    assertThat(page)
        .startsWith("<!DOCTYPE html>")
        .contains("rank 1: &lt;wrong&gt; (seed 42)")
        .contains("color-scheme: light dark")
        .doesNotContain("http", "<script", "<wrong>");
  }
}
