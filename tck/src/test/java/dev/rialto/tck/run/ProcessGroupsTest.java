package dev.rialto.tck.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.tck.Behaviours;
import dev.rialto.tck.ConformanceOptions;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.FakeProcesses;
import dev.rialto.tck.Outcome;
import dev.rialto.tck.RequirementResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requirements on ranks that are processes: all behaviours in one go, as in a real run. */
class ProcessGroupsTest {
  private static Map<String, RequirementResult> results;
  private static final ConcurrentLinkedQueue<String> PROGRESS = new ConcurrentLinkedQueue<>();

  @BeforeAll
  static void run(@TempDir Path folder) {
    FakeProcesses backend = new FakeProcesses(folder);
    ConformanceOptions options =
        ConformanceOptions.of(backend)
            .withRanks(List.of(1, 2))
            .withSeed(42)
            .withLimit(Duration.ofSeconds(2));
    // Skipping is judged before it matters where ranks come from.
    List<Catalogue.Entry> behaviours =
        Catalogue.of(Behaviours.class).filter(entry -> !entry.id().equals("B-005")).toList();
    results =
        ProcessGroups.run(backend, options, behaviours, PROGRESS::add, new Coverage()).stream()
            .collect(Collectors.toMap(RequirementResult::id, Function.identity()));
  }

  private static void check(String id, Outcome outcome, String message, Integer... ranks) {
    RequirementResult result = results.get(id);
    assertThat(result.message()).isEqualTo(message);
    assertThat(result.outcome()).isEqualTo(outcome);
    assertThat(result.ranks()).containsExactly(ranks);
  }

  @Test
  void aRequirementIsMetWithEachNumberOfRanks() {
    check("B-001", Outcome.PASSED, "", 1, 2);
    check("B-008", Outcome.PASSED, "", 1, 2);
    assertThat(PROGRESS.stream().filter("B-001"::equals)).hasSize(2);
  }

  @Test
  void tooFewRanksAreReported() {
    check("B-002", Outcome.NOT_RUN, "not run: needs 3 ranks");
  }

  @Test
  void aFailureNamesRanksRankAndSeed() {
    check("B-003", Outcome.FAILED, "with 2 ranks, rank 1: wrong sum (seed 42)");
  }

  @Test
  void aHangEndsWithTheStacksOfTheRanks() {
    check("B-004", Outcome.FAILED, "B-004 did not end within 2 s (seed 42)");
    assertThat(results.get("B-004").detail()).contains("rank 0 of 2:").contains(".barrier(");
  }

  @Test
  void whatIsNotDeclaredMustBeRefused() {
    check("B-006", Outcome.NOT_DECLARED, "not declared: windows");
  }

  @Test
  void aRankMayBeKilled() {
    check("B-007", Outcome.PASSED, "", 2);
  }

  @Test
  void aWorldMayBeUsedUp() {
    check("B-009", Outcome.PASSED, "", 1, 2);
  }

  @Test
  void aDeadProcessFailsItsRequirementAndTheRunGoesOn() {
    assertThat(results.get("B-010").outcome()).isEqualTo(Outcome.FAILED);
    assertThat(results).hasSize(9);
  }

  @Test
  void aRunThatIsStoppedWithinARequirementReportsThoseBefore(@TempDir Path folder) {
    AtomicInteger asked = new AtomicInteger();
    FakeProcesses backend = new FakeProcesses(folder);
    ConformanceOptions options =
        ConformanceOptions.of(backend)
            .withRanks(List.of(2, 3))
            .only(id -> !id.equals("B-004") || asked.incrementAndGet() <= 3);
    List<Catalogue.Entry> hanging =
        Catalogue.of(Behaviours.class).filter(entry -> entry.id().matches("B-00[14]")).toList();
    assertThat(ProcessGroups.run(backend, options, hanging, _ -> {}, new Coverage()))
        .extracting(RequirementResult::id)
        .containsExactly("B-001");
  }
}
