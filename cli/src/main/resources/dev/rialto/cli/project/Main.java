package @package@;

import dev.rialto.array.Decomposition;
import dev.rialto.array.DistributedArray;
import dev.rialto.array.Elementwise;
import dev.rialto.array.Generator;
import dev.rialto.array.Operator;
import dev.rialto.array.Reduce;
import dev.rialto.array.Team;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;

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
        DistributedArray values =
            team.array(DType.F64, Shape.of(points), Decomposition.block())) {
      Elementwise.generate(
              values,
              Generator.ofDoubles(
                  i -> {
                    double x = (i + 0.5) / points;
                    return 4 / (1 + x * x);
                  }))
          .run();
      return Reduce.of(values, Operator.SUM).run().asDouble() / points;
    }
  }
}
