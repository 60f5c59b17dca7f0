package @package@;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.rialto.spi.World;
import org.junit.jupiter.api.Test;

class MainTest {
  @Test
  void piIsRightOnThreeRanks() {
    try (World world = World.local(3)) {
      world.run(comm -> assertEquals(Math.PI, Main.pi(comm, 1_000_000), 1e-12));
    }
  }
}
