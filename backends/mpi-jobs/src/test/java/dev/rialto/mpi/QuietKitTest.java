package dev.rialto.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.system.JavaCommand;
import dev.rialto.tck.ConformanceKit;
import dev.rialto.tck.ConformanceOptions;
import dev.rialto.tck.ConformanceReport;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A requirement that lets a rank fail passes without a word of launchers, which reads as one. */
class QuietKitTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void ranksThatFailOnPurposeAreNotReported(String library) throws Exception {
    Installed.assume(library);
    RankJob.Ended job =
        RankJob.run(folder, JavaCommand.like(QuietKitTest.class, List.of()), library, "");
    assertThat(job.code()).as(job.output()).isZero();
    assertThat(job.output().lines())
        .filteredOn(line -> !line.startsWith("Picked up JAVA_TOOL_OPTIONS"))
        .containsExactly("WORLD-007 PASSED");
  }

  /** Runs one requirement. */
  public static void main(String[] args) {
    ConformanceReport report =
        ConformanceKit.run(
            ConformanceOptions.of(new MpiBackend())
                .withRanks(List.of(2))
                .only("WORLD-007"::equals));
    report.results().forEach(each -> System.out.println(each.id() + " " + each.outcome()));
  }
}
