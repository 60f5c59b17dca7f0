package dev.rialto.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.exchange.tune.Effort;
import dev.rialto.runtime.Devices;
import dev.rialto.sparse.solve.SolveResult;
import dev.rialto.spi.World;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Cancellation;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PoissonJobTest {
  private final Cancellation cancellation = new Cancellation();

  private PoissonJob job(int n, String scheme) {
    return new PoissonJob(
        n, 1, null, scheme, Effort.ESTIMATE, 1e-9, cancellation, Optional.empty());
  }

  private static List<PoissonJob.Outcome> run(PoissonJob job, int ranks, PhaseListener phases) {
    try (World world = World.local(ranks)) {
      return world.call(comm -> job.run(comm, phases));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "16, 1, tuned",
    "16, 2, tuned",
    "9, 3, tuned",
    "12, 4, point-to-point",
    "7, 7, all-to-all",
    "5, 2, shared/pipelined",
    "4, 4, rma-pull"
  })
  void bothWaysAgreeToTheTolerance(int n, int ranks, String scheme) {
    List<PoissonJob.Outcome> outcomes = run(job(n, scheme), ranks, (_, _, _, _) -> {});
    for (PoissonJob.Outcome outcome : outcomes) {
      assertThat(outcome.complete()).isTrue();
      PoissonJob.Gradients gradients = outcome.gradients().orElseThrow();
      assertThat(gradients.result().converged()).isTrue();
      assertThat(gradients.difference()).isLessThan(1e-7);
      assertThat(gradients.error())
          .isCloseTo(outcome.transforms().orElseThrow().error(), within(1e-7));
    }
    assertThat(outcomes.getFirst().source()).hasSize(n * n);
    assertThat(outcomes.getFirst().potential()).hasSize(n * n);
    assertThat(Arrays.stream(outcomes.getFirst().potential()).map(Math::abs).max().orElse(0))
        .isGreaterThan(1e-3);
  }

  @Test
  void theErrorIsOfSecondOrderAndThatOfExactDerivativesIsRounding() {
    PoissonJob.Transforms transforms =
        run(job(64, "tuned"), 2, (_, _, _, _) -> {}).getFirst().transforms().orElseThrow();
    assertThat(transforms.order()).isBetween(1.8, 2.3);
    assertThat(transforms.exactError()).isLessThan(1e-12);
    assertThat(transforms.error()).isBetween(1e-3, 1e-1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void onADeviceBothWaysAgreeToo(int ranks) {
    Optional<Device> device =
        Devices.list().stream()
            .filter(each -> !each.memory().properties().hostAccessible())
            .filter(each -> each.fft().isPresent())
            .findFirst();
    assumeTrue(device.isPresent(), "no device with memory of its own");
    PoissonJob job =
        new PoissonJob(20, 1, null, "tuned", Effort.ESTIMATE, 1e-9, cancellation, device);
    PoissonJob.Outcome outcome = run(job, ranks, (_, _, _, _) -> {}).getFirst();
    assertThat(outcome.complete()).isTrue();
    assertThat(outcome.gradients().orElseThrow().result().converged()).isTrue();
    assertThat(outcome.gradients().orElseThrow().difference()).isLessThan(1e-7);
    assertThat(outcome.deviceBytesPerSecond()).isPositive();
  }

  @Test
  void theSeedDecidesWhereChargesAre() {
    PoissonJob one = job(8, "shared");
    PoissonJob other =
        new PoissonJob(8, 2, null, "shared", Effort.ESTIMATE, 1e-9, cancellation, Optional.empty());
    double[] first = run(one, 1, (_, _, _, _) -> {}).getFirst().source();
    assertThat(run(one, 2, (_, _, _, _) -> {}).getFirst().source())
        .usingComparatorWithPrecision(1e-9)
        .containsExactly(first);
    assertThat(run(other, 1, (_, _, _, _) -> {}).getFirst().source()).isNotEqualTo(first);
  }

  @Test
  void everyPhaseIsHeardOf() {
    Set<String> titles = new TreeSet<>();
    PoissonJob job =
        new PoissonJob(8, 1, null, "tuned", Effort.MEASURE, 1e-6, cancellation, Optional.empty());
    PoissonJob.Outcome outcome = run(job, 2, (title, _, _, _) -> titles.add(title)).getFirst();
    assertThat(titles)
        .containsExactly(
            "set up the matrix", "solve by CG", "solve by FFT", "tune FFT", "tune halos");
    // How many are timed depends on how busy the machine is.
    assertThat(outcome.transforms().orElseThrow().candidates()).isNotEmpty();
    assertThat(outcome.gradients().orElseThrow().candidates()).isNotEmpty();
  }

  @Test
  void stoppedInAnIterationItTellsWhatWasReached() {
    PoissonJob.Outcome outcome =
        run(
                job(16, "tuned"),
                2,
                (title, _, _, detail) -> {
                  if (title.equals("solve by CG") && detail.contains("iteration 3,")) {
                    cancellation.cancel();
                  }
                })
            .getFirst();
    assertThat(outcome.complete()).isFalse();
    assertThat(outcome.transforms()).isPresent();
    SolveResult result = outcome.gradients().orElseThrow().result();
    assertThat(result.reason()).isEqualTo(SolveResult.Reason.CANCELLED);
    assertThat(result.iterations()).isBetween(3, 4);
  }

  @Test
  void stoppedAtOnceNothingIsSolved() {
    cancellation.cancel();
    PoissonJob.Outcome outcome = run(job(8, "tuned"), 2, (_, _, _, _) -> {}).getFirst();
    assertThat(outcome.complete()).isFalse();
    assertThat(outcome.transforms()).isEmpty();
    assertThat(outcome.potential()).isEmpty();
  }
}
