package @package@

import dev.rialto.array.Rialto
import dev.rialto.array.Team

/** Computes pi on several ranks: threads, or processes with `--comm mpi`. */
fun main(args: Array<String>) {
    Rialto.run(args) { team ->
        team.print("pi is about %.12f on %d ranks".format(pi(team, 10_000_000), team.size()))
    }
}

/** Returns the integral of 4 / (1 + x^2) from 0 to 1 by the midpoint rule. */
fun pi(team: Team, points: Long): Double =
    team.f64(points).use { values ->
        values.set({ i ->
            val x = (i + 0.5) / points
            4 / (1 + x * x)
        })
        values.sum() / points
    }
