package dev.rialto.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.mpi.launch.MpiLauncher;
import dev.rialto.mpi.library.LibraryChoice;
import dev.rialto.system.JavaCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks as real processes, on each library that is installed. */
class MpiProcessTest {
  @TempDir private Path folder;

  /** Further options for all JVMs. */
  private String options = "";

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void ranksFindEachOther(String library) throws Exception {
    RankJob.Ended job = launch(library, 3, "sum");
    assertThat(job.output())
        .contains("rank 0 of 3 has 6")
        .contains("rank 1 of 3 has 6")
        .contains("rank 2 of 3 has 6")
        .doesNotContain("WARNING");
    assertThat(job.code()).as(job.output()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void aRankThatThrowsEndsTheJobAndIsNamed(String library) throws Exception {
    launch(library, 3, "throw").isEndedBy("rank 2 of 3", "the reactor is too hot");
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void whatARankThrowsThatClosesInACollectiveIsTheReasonOfAll(String library) throws Exception {
    RankJob.Ended job = launch(library, 3, "closing");
    job.isEndedBy("rank 2 of 3", "the reactor is too hot");
    assertThat(job.output().lines().filter(line -> line.startsWith("told: ")))
        .isNotEmpty()
        .allMatch(line -> line.contains("the reactor is too hot"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void aRankThatExitsEndsTheJobAndIsNamed(String library) throws Exception {
    launch(library, 3, "exit").isEndedBy("rank 2 of 3: the process ends before its rank has");
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void aRankThatIsKilledInACollectiveEndsTheJobAndIsNamed(String library) throws Exception {
    RankJob.Ended job = launch(library, 3, "kill");
    job.isEndedBy("rank 2 was killed by signal 9");
    assertThat(job.code()).isEqualTo(128 + 9);
  }

  @ParameterizedTest
  @CsvSource({
    "openmpi, multiple, true",
    "openmpi, serialized, false",
    "openmpi, funneled, false",
    "mpich, funneled, false"
  })
  void fewerThreadsThanAllAreFineWhereTheLibraryGrantsNoMore(
      String library, String level, boolean several) throws Exception {
    options = " -Drialto.mpi.threads=" + level;
    RankJob.Ended job = launch(library, 2, "threads");
    assertThat(job.output()).contains("rank 1 of 2 has 3", "several threads: " + several);
    if (level.equals("funneled")) {
      assertThat(job.output()).contains("another", "communicate on that thread");
    } else {
      assertThat(job.output()).doesNotContain("communicate on that thread");
    }
    assertThat(job.code()).as(job.output()).isZero();
  }

  @Test
  void aLauncherOfTheOtherFamilyIsTold() throws Exception {
    Installed.assume("openmpi");
    Installed.assume("mpich");
    List<String> ranks = JavaCommand.like(RankProgram.class, List.of("sum"));
    RankJob.Ended job =
        RankJob.run(
            folder,
            MpiLauncher.command(
                Installed.kind("openmpi"), 2, ranks, Map.of(LibraryChoice.VARIABLE, "")),
            "mpich",
            options);
    assertThat(job.output())
        .contains("the launcher started 2 ranks")
        .contains("sees 1")
        .contains("RIALTO_MPI");
    assertThat(job.code()).isNotZero();
  }

  private RankJob.Ended launch(String library, int ranks, String what) throws Exception {
    return RankJob.run(folder, RankProgram.class, library, options, ranks, what);
  }
}
