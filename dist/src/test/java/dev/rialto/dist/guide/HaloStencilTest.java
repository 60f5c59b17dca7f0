package dev.rialto.dist.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.World;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HaloStencilTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 12})
  void twoStepsBringAQuarterBack(int ranks) {
    try (World world = World.local(ranks)) {
      // Four neighbours get a quarter each, and give a quarter of that back.
      world.run(comm -> assertThat(HaloStencil.twoSteps(comm, 12)).isEqualTo(0.25));
    }
  }
}
