package dev.rialto.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.text.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class BenchReportTest {
  private static final OptionalDouble NONE = OptionalDouble.empty();

  private static BenchRow row(OptionalDouble peer, OptionalDouble goal, OptionalDouble limit) {
    return new BenchRow("a/b", "us", 3, peer, "C", goal, limit, NONE, NONE);
  }

  @Test
  void ratioIsRialtoOverPeer() {
    assertThat(row(OptionalDouble.of(4), NONE, NONE).ratio()).hasValue(0.75);
    assertThat(row(NONE, NONE, NONE).ratio()).isEmpty();
  }

  @Test
  void goalsAndLimitsAreMetOrNot() {
    OptionalDouble peer = OptionalDouble.of(4);
    assertThat(row(peer, OptionalDouble.of(0.75), NONE).met()).isTrue();
    assertThat(row(peer, OptionalDouble.of(0.74), NONE).met()).isFalse();
    assertThat(row(NONE, NONE, OptionalDouble.of(3)).met()).isTrue();
    assertThat(row(NONE, NONE, OptionalDouble.of(2.9)).met()).isFalse();
    assertThat(row(peer, OptionalDouble.of(1), OptionalDouble.of(2)).met()).isFalse();
  }

  @Test
  void withoutAPeerAGoalIsNotJudged() {
    BenchRow row = row(NONE, OptionalDouble.of(0.5), NONE);
    assertThat(row.judged()).isFalse();
    assertThat(row.json()).doesNotContainKeys("ratio", "met", "peer").containsKey("goal");
  }

  @Test
  void jsonFollowsTheContract() {
    BenchReport report =
        new BenchReport(
            "comm",
            Instant.parse("2026-01-02T03:04:05.678Z"),
            Map.of("mpi", "Open MPI 4"),
            List.of(row(OptionalDouble.of(4), OptionalDouble.of(0.5), NONE)),
            List.of(),
            false);
    assertThat(report.met()).isFalse();
    assertThat(report.toText()).contains("a/b").contains("0.75").contains("NO");
    assertThat(Json.read(report.toJson()))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("suite", "comm")
        .containsEntry("date", "2026-01-02T03:04:05Z")
        .containsKeys("rialto", "machine", "rows")
        .doesNotContainKey("interrupted");
  }

  @Test
  void medianIsOfAllRounds() {
    Samples samples = new Samples();
    for (double time : new double[] {9, 1, 5, 100}) {
      samples.add("x", time);
    }
    assertThat(samples.median("x")).hasValue(7);
    assertThat(samples.median("y")).isEmpty();
  }
}
