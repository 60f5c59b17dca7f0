package dev.rialto.mpi.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LaunchedTest {
  @Test
  void aProcessStartedByHandIsNotLaunched() {
    assertThat(Launched.from(Map.of("PATH", "/bin"))).isEmpty();
  }

  @Test
  void mpirunOfOpenMpiIsKnownByItsVariables() {
    Map<String, String> environment =
        Map.of("OMPI_COMM_WORLD_RANK", "2", "OMPI_COMM_WORLD_SIZE", "4", "PMIX_RANK", "2");
    assertThat(Launched.from(environment)).contains(new Launched(2, 4, List.of("openmpi", "abi")));
  }

  @Test
  void hydraIsKnownByItsVariables() {
    assertThat(Launched.from(Map.of("PMI_RANK", "1", "PMI_SIZE", "3")))
        .contains(new Launched(1, 3, List.of("mpich", "abi")));
  }

  @Test
  void srunLeavesTheLibraryOpen() {
    Map<String, String> environment =
        Map.of("PMIX_RANK", "5", "SLURM_STEP_NUM_TASKS", "8", "SLURM_JOB_ID", "77");
    assertThat(Launched.from(environment)).contains(new Launched(5, 8, List.of()));
    assertThat(Launched.from(Map.of("PMI_RANK", "0", "PMI_SIZE", "2", "SLURM_JOB_ID", "77")))
        .contains(new Launched(0, 2, List.of()));
  }

  @Test
  void aValueThatIsNoNumberIsNamed() {
    assertThatIllegalStateException()
        .isThrownBy(() -> Launched.from(Map.of("PMI_RANK", "first")))
        .withMessageContaining("PMI_RANK")
        .withMessageContaining("first");
  }
}
