package dev.rialto.bench.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.bench.BenchReport;
import dev.rialto.bench.BenchRow;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.spi.error.BackendException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ProcessCommSuiteTest {
  @Test
  @Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void everyCaseIsMeasuredWhereAnMpiLibraryIsInstalled() {
    assumeTrue(
        Backends.all().stream()
            .anyMatch(b -> b.name().equals("mpi") && b.probe() instanceof Probe.Available),
        "needs an MPI library");
    BenchReport report = new ProcessCommSuite("mpi", List.of(2)).run(1, 1000, (_, _, _) -> {});
    assertThat(report.rows())
        .extracting(BenchRow::name)
        .containsExactlyElementsOf(
            Stream.concat(
                    CommCase.ofProcesses("mpi").stream().map(CommCase::name),
                    CommCase.ofCheckedProcesses("mpi").stream().map(c -> c.name() + "/checked"))
                .toList());
    assertThat(report.rows()).allMatch(row -> row.rialto() > 0);
    assertThat(report.rows())
        .as("heap bytes are those of the rows without checks")
        .allMatch(row -> row.allocated().isPresent() != row.name().endsWith("/checked"));
    boolean compared = report.rows().getFirst().peer().isPresent();
    assertThat(report.rows())
        .as("the C program has the same cases")
        .allMatch(row -> row.peer().isPresent() == compared);
  }

  @Test
  void ranksThatAreThreadsAreRefused() {
    assertThatThrownBy(() -> new ProcessCommSuite("local", List.of(2)).run(true, (_, _, _) -> {}))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("local");
  }
}
