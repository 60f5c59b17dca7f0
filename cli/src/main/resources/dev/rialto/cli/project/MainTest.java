package @package@;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.rialto.array.Rialto;
import org.junit.jupiter.api.Test;

class MainTest {
  @Test
  void piIsRightOnThreeRanks() {
    String[] args = {"--ranks", "3"};
    Rialto.run(args, team -> assertEquals(Math.PI, Main.pi(team, 1_000_000), 1e-12));
  }
}
