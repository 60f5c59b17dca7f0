package dev.rialto.tck.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.tck.Behaviours;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.FakeBackend;
import dev.rialto.tck.Outcome;
import dev.rialto.tck.RequirementResult;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs of a requirement on ranks, and the report of those that fail. */
class RanksTest {
  private static RequirementResult run(String id, int... ranks) {
    Catalogue.Entry entry =
        Catalogue.of(Behaviours.class).filter(e -> e.id().equals(id)).findFirst().orElseThrow();
    FakeBackend backend = new FakeBackend();
    List<Integer> counts = Arrays.stream(ranks).boxed().toList();
    return RequirementRunner.run(
        entry,
        new Trial(
            id,
            backend,
            42,
            1,
            Duration.ofSeconds(2),
            new ThreadRanks(backend, counts),
            new Coverage()));
  }

  @Test
  void aRequirementRunsWithEachNumberOfRanks() {
    RequirementResult result = run("B-001", 1, 2, 5);
    assertThat(result.message()).isEmpty();
    assertThat(result.outcome()).isEqualTo(Outcome.PASSED);
    assertThat(result.ranks()).containsExactly(1, 2, 5);
  }

  @Test
  void tooFewRanksAreReported() {
    assertThat(run("B-002", 1, 2).outcome()).isEqualTo(Outcome.NOT_RUN);
    assertThat(run("B-002", 1, 2).message()).isEqualTo("not run: needs 3 ranks");
    assertThat(run("B-002", 2, 3).ranks()).containsExactly(3);
  }

  @Test
  void aFailureNamesRanksRankAndSeed() {
    RequirementResult result = run("B-003", 1, 3);
    assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(result.message()).isEqualTo("with 3 ranks, rank 1: wrong sum (seed 42)");
  }

  @Test
  void aHangEndsWithTheStacksOfTheRanks() {
    RequirementResult result = run("B-004", 2);
    assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(result.message()).isEqualTo("B-004 did not end within 2 s (seed 42)");
    assertThat(result.detail()).contains("\"rank 0\"").contains("FakeCommunicator.barrier");
  }

  @Test
  void whatIsClaimedMustNotBeSkipped() {
    RequirementResult result = run("B-005", 1);
    assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(result.message()).startsWith("claimed but skipped: ").contains("no such device");
  }

  @Test
  void whatIsNotDeclaredMustBeRefused() {
    RequirementResult result = run("B-006", 1, 2);
    assertThat(result.outcome()).isEqualTo(Outcome.NOT_DECLARED);
    assertThat(result.message()).isEqualTo("not declared: windows");
  }

  @Test
  void aRankMayBeKilled() {
    RequirementResult result = run("B-007", 2, 3);
    assertThat(result.message()).isEmpty();
    assertThat(result.outcome()).isEqualTo(Outcome.PASSED);
  }

  @Test
  void allRanksDrawTheSameNumbers() {
    assertThat(run("B-008", 3).message()).isEmpty();
  }
}
