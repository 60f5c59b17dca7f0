package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("gpu")
class MoonsTest {
  private static final List<String> LOSSES =
      List.of(
          "45.768524",
          "5.662821",
          "5.259723",
          "5.281074",
          "5.097180",
          "4.987223",
          "4.835103",
          "4.702625",
          "4.458982",
          "4.074086",
          "3.605957",
          "3.061533",
          "2.342423",
          "1.588885",
          "0.904919",
          "0.579104",
          "0.451346",
          "0.342835",
          "0.259518",
          "0.212706");

  static Stream<String> machines() {
    return Machines.compiled().stream();
  }

  private static List<String> decimals(double[] losses) {
    return Arrays.stream(losses)
        .mapToObj(loss -> String.format(Locale.ROOT, "%.6f", loss))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("machines")
  void theLossOfEveryEpochIsKnownToSixDecimals(String machine) {
    try (JitBackend backend = Machines.open(machine)) {
      assertThat(decimals(Moons.train(backend, 20))).isEqualTo(LOSSES);
    }
  }

  @Test
  void theInterpreterAgreesForAnEpoch() {
    try (JitBackend backend = Machines.open("sync_interpreter")) {
      assertThat(decimals(Moons.train(backend, 1))).isEqualTo(LOSSES.subList(0, 1));
    }
  }
}
