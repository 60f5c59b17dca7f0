package @package@;

import dev.rialto.array.F64Array;
import dev.rialto.array.Team;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;

/** Computes pi on several ranks: threads, or processes with {@code --comm mpi}. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    try (World world = World.open(args)) {
      world.run(
          comm -> {
            double pi = pi(comm, 10_000_000);
            if (comm.rank() == 0) {
              System.out.printf("pi is about %.12f on %d ranks%n", pi, comm.size());
            }
          });
    }
  }

  /** Returns the integral of 4 / (1 + x^2) from 0 to 1 by the midpoint rule. */
  static double pi(Communicator comm, long points) {
    try (Team team = Team.on(comm);
        F64Array values = team.f64(points)) {
      values.set(
          i -> {
            double x = (i + 0.5) / points;
            return 4 / (1 + x * x);
          });
      return values.sum() / points;
    }
  }
}
