package dev.rialto.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.local.world.LocalCommunicator;
import dev.rialto.spi.World;
import dev.rialto.spi.error.MismatchException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExchangeTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void everyRankGetsWhatAllRanksGave(int ranks) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            LocalCommunicator local = (LocalCommunicator) comm;
            for (int round = 0; round < 100; round++) {
              Object[] all = local.collectives().exchange("test", comm.rank() + 10 * round);
              assertThat(all).hasSize(ranks);
              for (int rank = 0; rank < ranks; rank++) {
                assertThat(all[rank]).isEqualTo(rank + 10 * round);
              }
            }
          });
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void exchangesForDifferentPurposesDoNotMix(int ranks) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            LocalCommunicator local = (LocalCommunicator) comm;
            assertThatThrownBy(
                    () -> local.collectives().exchange(comm.rank() == 1 ? "dup" : "split", ""))
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("rank 1 called dup")
                .hasMessageContaining("called split");
          });
    }
  }
}
