package @package@

import dev.rialto.array.Team
import dev.rialto.spi.World
import dev.rialto.spi.comm.Communicator

/** Computes pi on several ranks: threads, or processes with `--comm mpi`. */
fun main(args: Array<String>) {
    World.open(*args).use { world ->
        world.run { comm ->
            val pi = pi(comm, 10_000_000)
            if (comm.rank() == 0) {
                println("pi is about %.12f on %d ranks".format(pi, comm.size()))
            }
        }
    }
}

/** Returns the integral of 4 / (1 + x^2) from 0 to 1 by the midpoint rule. */
fun pi(comm: Communicator, points: Long): Double =
    Team.on(comm).use { team ->
        team.f64(points).use { values ->
            values.set({ i ->
                val x = (i + 0.5) / points
                4 / (1 + x * x)
            })
            values.sum() / points
        }
    }
