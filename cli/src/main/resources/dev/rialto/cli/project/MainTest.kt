package @package@

import dev.rialto.spi.World
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class MainTest {
    @Test
    fun piIsRightOnThreeRanks() {
        World.local(3).use { world ->
            world.run { comm -> assertEquals(Math.PI, pi(comm, 1_000_000), 1e-12) }
        }
    }
}
