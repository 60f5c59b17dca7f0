package dev.rialto.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.rialto.exchange.transport.Transport;
import dev.rialto.exchange.transport.Transports;
import dev.rialto.spi.World;
import dev.rialto.spi.error.CommunicationException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A rank that fails, with every transport and in every phase: the job ends, and says why. */
class FaultMatrixTest {
  static Stream<Arguments> cases() {
    List<Arguments> cases = new ArrayList<>();
    for (Transport transport : Transports.all()) {
      for (Staging staging : transport.together() ? List.of(Staging.BULK) : twoStagings()) {
        for (Faults.Phase phase : Faults.Phase.values()) {
          cases.add(Arguments.of(transport.name() + "/" + staging.label(), phase));
        }
      }
    }
    return cases.stream();
  }

  private static List<Staging> twoStagings() {
    return List.of(Staging.BULK, Staging.FUSED);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theFailureOfARankEndsTheOthersAndIsTheCause(String scheme, Faults.Phase phase) {
    try (World world = World.local(3)) {
      Throwable thrown =
          catchThrowable(
              () ->
                  world.run(
                      comm -> {
                        if (Faults.isRefused(comm, scheme)) {
                          throw new Faults.Injected(phase);
                        }
                        Faults.run(comm, scheme, phase);
                      }));
      assertThat(thrown)
          .isInstanceOf(CommunicationException.class)
          .hasCauseInstanceOf(Faults.Injected.class);
    }
  }
}
