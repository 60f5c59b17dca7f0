import dev.rialto.array.F64Array;
import dev.rialto.array.IndexSpace;
import dev.rialto.array.Team;
import dev.rialto.io.VtkImage;
import dev.rialto.spi.World;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * How heat spreads on a periodic square: each step a point moves towards the mean of its four
 * neighbours. A rank has some rows of points and, around them, copies of its neighbours' rows: the
 * halo. Points inside are computed while the halo travels.
 *
 * <pre>u_t = u_xx + u_yy</pre>
 *
 * <p>The waves cos 2πx cos 2πy keep their shape and shrink by a factor that is known for these very
 * differences, so the result is checked to rounding.
 *
 * <p>Arguments: points along an edge, steps, a file for ParaView; then {@code --ranks 2}.
 */
final class Heat {
  /** The time step in units of the square of the distance of points: the largest stable is 1/4. */
  private static final double STEP = 0.2;

  public static void main(String[] args) {
    int n = Integer.parseInt(argument(args, 0, "256"));
    int steps = Integer.parseInt(argument(args, 1, "500"));
    Path file = Path.of(argument(args, 2, "heat.vti"));
    try (World world = World.open(args)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              run(team, n, steps, file);
            }
          });
    }
  }

  /** Returns an argument, of those before the first option. */
  private static String argument(String[] args, int at, String otherwise) {
    for (int i = 0; i <= at; i++) {
      if (i == args.length || args[i].startsWith("-")) {
        return otherwise;
      }
    }
    return args[at];
  }

  private static void run(Team team, int n, int steps, Path file) throws IOException {
    IndexSpace square = team.space(n, n).halo(1).periodic().star();
    try (F64Array one = square.f64();
        F64Array two = square.f64()) {
      one.set((i, j) -> wave(i, n) * wave(j, n));
      F64Array now = one;
      F64Array next = two;
      for (int step = 0; step < steps; step++) {
        F64Array u = now;
        next.set(
            (i, j) ->
                u.get(i, j)
                    + STEP
                        * (u.get(i - 1, j)
                            + u.get(i + 1, j)
                            + u.get(i, j - 1)
                            + u.get(i, j + 1)
                            - 4 * u.get(i, j)),
            u);
        now = next;
        next = u;
      }

      // What the waves have become, and how far the computed ones are from that.
      double shrunk = Math.pow(1 - 8 * STEP * Math.pow(Math.sin(Math.PI / n), 2), steps);
      F64Array computed = now;
      next.set((i, j) -> Math.abs(computed.get(i, j) - shrunk * wave(i, n) * wave(j, n)));
      double error = next.max();
      VtkImage.save(file, Map.of("temperature", now), 1.0 / n, 1.0 / n);
      team.print(
          "%d x %d points, %d steps, %d ranks: waves shrank to %.4f, error %.1e, %s"
              .formatted(n, n, steps, team.communicator().size(), shrunk, error, file));
      if (!(error < 1e-12)) {
        throw new IllegalStateException("the error is " + error);
      }
    }
  }

  private static double wave(long index, int n) {
    return Math.cos(2 * Math.PI * index / n);
  }
}
