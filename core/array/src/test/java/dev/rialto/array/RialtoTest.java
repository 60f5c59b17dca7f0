package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.error.BackendException;
import dev.rialto.spi.error.CommunicationException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class RialtoTest {
  @Test
  void eachRankRunsTheProgramWithItsTeam() {
    Set<Integer> ranks = ConcurrentHashMap.newKeySet();
    String[] args = {"words", "--ranks", "3", "--device", "cpu"};
    Rialto.run(
        args,
        team -> {
          assertThat(team.size()).isEqualTo(3);
          assertThat(team.client().device().name()).isEqualTo("cpu:0");
          try (F64Array x = team.f64(10)) {
            x.fill(1);
            assertThat(x.sum()).isEqualTo(10);
          }
          ranks.add(team.rank());
        });
    assertThat(ranks).containsExactlyInAnyOrder(0, 1, 2);
  }

  @Test
  void anExceptionOfTheProgramIsTheCause() {
    String[] args = {"--ranks=2"};
    assertThatThrownBy(
            () ->
                Rialto.run(
                    args,
                    team -> {
                      if (team.rank() == 1) {
                        throw new ArithmeticException("mine");
                      }
                      team.communicator().barrier();
                    }))
        .isInstanceOf(CommunicationException.class)
        .hasRootCauseExactlyInstanceOf(ArithmeticException.class)
        .hasRootCauseMessage("mine");
  }

  @Test
  void wrongArgumentsAreRefusedBeforeRanksStart() {
    Rialto.Body never = _ -> assertThat(true).as("must not run").isFalse();
    assertThatThrownBy(() -> Rialto.run(new String[] {"--device", "cpu:7"}, never))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("cpu:7");
    assertThatThrownBy(() -> Rialto.run(new String[] {"--device"}, never))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("--device needs a value");
    assertThatThrownBy(() -> Rialto.run(new String[] {"--ranks", "0"}, never))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0");
  }
}
