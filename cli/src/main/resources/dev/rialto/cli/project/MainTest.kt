package @package@

import dev.rialto.array.Rialto
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class MainTest {
    @Test
    fun piIsRightOnThreeRanks() {
        Rialto.run(arrayOf("--ranks", "3")) { team ->
            assertEquals(Math.PI, pi(team, 1_000_000), 1e-12)
        }
    }
}
