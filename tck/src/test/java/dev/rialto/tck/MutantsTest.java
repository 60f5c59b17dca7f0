package dev.rialto.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kit notices each backend that is broken on purpose, by the requirements it should. */
class MutantsTest {
  private static final String GRACE = "rialto.local.deadlock.millis";

  /** Ranks that a mutant makes wait for one another are told so soon. */
  @BeforeAll
  static void loseNoTime() {
    System.setProperty(GRACE, "100");
  }

  @AfterAll
  static void restore() {
    System.clearProperty(GRACE);
  }

  static Stream<Mutant> mutants() {
    return Stream.of(
            HostMutants.all(),
            MessageMutants.all(),
            CollectiveMutants.all(),
            SubtleMutants.all(),
            TrustMutants.all())
        .flatMap(List::stream);
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void theMutantIsCaught(Mutant mutant) {
    ConformanceReport report = mutant.run();
    assertThat(report.results())
        .filteredOn(result -> result.outcome() == Outcome.FAILED)
        .extracting(RequirementResult::id)
        .as(report.toText())
        .containsExactlyInAnyOrderElementsOf(mutant.caughtBy());
    assertThat(report.results())
        .allMatch(result -> result.message().contains("did not end within") == mutant.hangs());
  }
}
