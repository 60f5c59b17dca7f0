package dev.rialto.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Mistakes of programs on real processes: each is explained, none hangs or ends the JVM. */
class MisuseTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void ranksThatDisagreeAreToldAndCanGoOn(String library) throws Exception {
    RankJob.Ended job = RankJob.run(folder, MisuseProgram.class, library, "", 2, "disagree");
    for (int rank = 0; rank < 2; rank++) {
      assertThat(job.output())
          .contains("operation on " + rank + ": ")
          .contains("root on " + rank + ": ")
          .contains("count on " + rank + ": ")
          .contains("type on " + rank + ": ")
          .contains("operator on " + rank + ": ")
          .contains("counts on " + rank + ": ")
          .contains("maker on " + rank + ": ");
    }
    assertThat(job.output())
        .contains("rank 0 called barrier, rank 1 called broadcast of 1 F64, root 0")
        .contains("rank 0 called allReduce of 1 F64 with SUM, rank 1 called allReduce of 1 I64")
        .contains("agreed again: 2")
        .doesNotContain("was not noticed");
    assertThat(job.code()).as(job.output()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void ranksThatSendWhatOthersDoNotExpectAreToldAndCanGoOn(String library) throws Exception {
    RankJob.Ended job = RankJob.run(folder, MisuseProgram.class, library, "", 2, "edges");
    for (int rank = 0; rank < 2; rank++) {
      assertThat(job.output())
          .contains("allToAllV on " + rank + ": ")
          .contains("prepared allToAllV on " + rank + ": ")
          .contains("prepared allToAll on " + rank + ": ")
          .contains("gatherV on " + rank + ": ")
          .contains("scatterV on " + rank + ": ")
          .contains("allGatherV on " + rank + ": ")
          .contains("started allToAllV on " + rank + ": ")
          .contains("topology on " + rank + ": ");
    }
    assertThat(job.output())
        .contains("allToAllV of F64: rank 1 sends 2 elements to rank 1, which expects 1")
        .contains("gatherV of F64, root 0: rank 1 sends 2 elements to rank 0, which expects 1")
        .contains("scatterV of F64, root 1: rank 1 sends 1 elements to rank 0, which expects 3")
        .contains("topology: rank 0 names rank 1 as target 1 times, but rank 1 names rank 0")
        .contains("agreed again: 2")
        .doesNotContain("was not noticed");
    assertThat(job.code()).as(job.output()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void aNeighbourThatSendsTooMuchIsNamed(String library) throws Exception {
    RankJob.run(folder, MisuseProgram.class, library, "", 2, "neighbors")
        .isEndedBy(
            "neighbours disagree: rank 1 called neighborAllToAllV of 3 F64 for rank 0, which called"
                + " neighborAllToAllV of 2 F64 for it");
  }

  @ParameterizedTest
  @CsvSource({"openmpi, true", "openmpi, false", "mpich, true"})
  void memoryThatIsFreedTooEarlyIsReported(String library, boolean staged) throws Exception {
    RankJob.Ended job =
        RankJob.run(
            folder, MisuseProgram.class, library, " -Drialto.checks=" + staged, 2, "memory");
    assertThat(job.output())
        .contains("receive: refused: receive of 1048576 bytes with rank 0, tag 7 uses memory whose")
        .contains("send: refused: send of 64 bytes with rank 0, tag 8 uses memory whose arena")
        .contains("arena of a window: refused")
        .contains("closed window: refused")
        .contains("rank 0 lives")
        .contains("rank 1 lives")
        .doesNotContain("SIGSEGV")
        .doesNotContain("returned");
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void memoryOfRequestsThatWereDroppedIsKept(String library) throws Exception {
    RankJob.Ended job = RankJob.run(folder, MisuseProgram.class, library, "", 2, "dropped");
    assertThat(job.output()).contains("dropped: 7").doesNotContain("dropped: freed", "dropped: 0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void whatIsLeftOfAClosedWorldRefusesToBeUsed(String library) throws Exception {
    RankJob.Ended job = RankJob.run(folder, MisuseProgram.class, library, "", 2, "closed");
    assertThat(job.output())
        .contains("send: refused: the world of mpi/world is closed")
        .contains("barrier: refused: the world of mpi/world/dup is closed")
        .contains("put: refused: an access on window 1 of mpi/world, which is closed")
        .contains("fence: refused: fence on window 1 of mpi/world, which is closed")
        .contains("await: refused: the world of mpi/world is closed")
        .contains("start: refused: the world of mpi/world is closed")
        .contains("another world works on 0", "another world works on 1")
        .doesNotContain(": returned");
    assertThat(job.code()).as(job.output()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void ranksThatWaitInACircleAreTold(String library) throws Exception {
    RankJob.run(folder, MisuseProgram.class, library, "", 3, "circle")
        .isEndedBy(
            "all ranks wait for one another",
            "rank 0 waits for receive of 8 bytes with rank 1, tag 3 in mpi/world",
            "rank 1 waits for probe",
            "rank 2 waits for receive of 8 bytes with rank 0, tag 3 in mpi/world");
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void twoThatWaitForEachOtherAreToldWhileAnotherComputes(String library) throws Exception {
    RankJob.run(folder, MisuseProgram.class, library, "", 3, "pair")
        .isEndedBy(
            "ranks wait for one another",
            "rank 0 waits for receive of 8 bytes with rank 1, tag 3 in mpi/world/split 0",
            "rank 1 waits for receive of 8 bytes with rank 2, tag 3 in mpi/world/split 0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void anInterruptEndsWhatAThreadWaitsIn(String library) throws Exception {
    RankJob.run(folder, MisuseProgram.class, library, "", 2, "interrupt")
        .isEndedBy(
            "receive: rank 0 of 2 in mpi/world: interrupted while waiting for receive",
            "allReduce: rank 0 of 2 in mpi/world: interrupted while waiting for allReduce",
            "a call on mpi/world was interrupted, which other ranks wait for; make another");
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void aRankThatFailsWhileOthersWaitInACollectiveIsNamedWithItsOwnWords(String library)
      throws Exception {
    RankJob.run(folder, MisuseProgram.class, library, "", 3, "unwind")
        .isEndedBy("the rank failed: java.lang.ArithmeticException: the reactor is too hot");
  }

  @ParameterizedTest
  @ValueSource(strings = "mpich")
  void aRankThatComputesForLongIsWaitedFor(String library) throws Exception {
    RankJob.Ended job = RankJob.run(folder, MisuseProgram.class, library, "", 2, "slow");
    assertThat(job.output()).contains("rank 0 was patient", "rank 1 was patient");
    assertThat(job.code()).as(job.output()).isZero();
  }
}
