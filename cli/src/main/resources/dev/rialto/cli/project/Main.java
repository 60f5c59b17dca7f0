package @package@;

import dev.rialto.array.F64Array;
import dev.rialto.array.Rialto;
import dev.rialto.array.Team;

/** Computes pi on several ranks: threads, or processes with {@code --comm mpi}. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    Rialto.run(
        args,
        team ->
            team.print(
                "pi is about %.12f on %d ranks".formatted(pi(team, 10_000_000), team.size())));
  }

  /** Returns the integral of 4 / (1 + x^2) from 0 to 1 by the midpoint rule. */
  static double pi(Team team, long points) {
    try (F64Array values = team.f64(points)) {
      values.set(
          i -> {
            double x = (i + 0.5) / points;
            return 4 / (1 + x * x);
          });
      return values.sum() / points;
    }
  }
}
