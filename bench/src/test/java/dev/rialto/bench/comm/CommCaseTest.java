package dev.rialto.bench.comm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.bench.RankJobs;
import dev.rialto.spi.World;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommCaseTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  @Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void everyCaseRunsOnAnyNumberOfRanks(int ranks) {
    try (World world = World.local(ranks)) {
      for (CommCase each : CommCase.ofProcesses("local")) {
        List<RankJobs.Line> timings = world.call(comm -> RankTimer.time(comm, each, 1000));
        assertThat(timings).as(each.name()).hasSize(ranks).allMatch(t -> t.micros() > 0);
      }
    }
  }

  @Test
  void caseNamesTellTheOperationTheRanksAndTheSize() {
    assertThat(CommCase.ofProcesses("mpi").stream().map(CommCase::name))
        .doesNotHaveDuplicates()
        .contains("pingpong/mpi/64KiB", "barrier/mpi", "neighborAllToAll/mpi/8B", "put/mpi/64KiB");
  }

  @Test
  void messagesFrom64KibUpMayTakeThreePercentMore() {
    for (CommCase each : CommCase.ofProcesses("mpi")) {
      boolean large = each.name().matches("pingpong/mpi/(64|256)KiB|pingpong/mpi/.*MiB");
      assertThat(each.goal()).as(each.name()).isEqualTo(large ? 1.03 : 1.1);
    }
  }
}
