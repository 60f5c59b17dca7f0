package dev.rialto.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.cpu.CpuBackend;
import dev.rialto.spi.error.BackendException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ConformanceKitTest {
  @Test
  void onlyWhatIsAskedForRunsAndProgressIsTold() {
    List<String> steps = new ArrayList<>();
    ConformanceReport report =
        ConformanceKit.run(
            ConformanceOptions.of("cpu")
                .only(id -> id.matches("PROV-00[12]|EXEC-005"))
                .withSeed(7)
                .withProgress((done, total, id) -> steps.add(done + "/" + total + " " + id)));
    assertThat(report.results())
        .extracting(RequirementResult::id)
        .containsExactly("PROV-001", "PROV-002", "EXEC-005");
    assertThat(report.passed()).as(report.toText()).isTrue();
    assertThat(report.backend()).isEqualTo("cpu");
    assertThat(report.seed()).isEqualTo(7);
    assertThat(steps).containsExactly("1/3 PROV-001", "2/3 PROV-002", "3/3 EXEC-005");
  }

  @Test
  void aRunThatIsStoppedWithinARequirementReportsThoseBefore() {
    AtomicInteger asked = new AtomicInteger();
    ConformanceReport report =
        ConformanceKit.run(
            ConformanceOptions.of("local")
                .withDelay(Duration.ofSeconds(30))
                // The delays make it last; it is asked for twice before it begins.
                .only(
                    id ->
                        id.equals("PROV-001")
                            || (id.equals("COLL-001") && asked.incrementAndGet() <= 3)));
    assertThat(report.results()).extracting(RequirementResult::id).containsExactly("PROV-001");
    assertThat(report.interrupted()).isTrue();
    assertThat(report.passed()).isFalse();
  }

  @Test
  void unknownBackendsAreRefused() {
    assertThatThrownBy(() -> ConformanceOptions.of("nowhere"))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("nowhere");
  }

  @Test
  void optionsAreChecked() {
    ConformanceOptions options = ConformanceOptions.of(new FakeFft());
    assertThat(options.ranks()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(options.withRanks(List.of(4, 2, 4)).ranks()).containsExactly(2, 4);
    assertThatThrownBy(() -> options.withRanks(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> options.withRanks(List.of(0, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[0, 1]");
    assertThatThrownBy(() -> options.withLimit(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> options.withDelay(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** The tests run with leak tracking on; where it is off there must be no stacks. */
  @Test
  void leakSitesAreRequiredWhereTracked() {
    ConformanceOptions leaks = ConformanceOptions.of(new CpuBackend()).only("MEM-023"::equals);
    assertThat(ConformanceKit.run(leaks).passed()).isTrue();
    System.clearProperty("rialto.leaks");
    try {
      assertThat(ConformanceKit.run(leaks).passed()).isFalse();
    } finally {
      System.setProperty("rialto.leaks", "true");
    }
  }
}
