import dev.rialto.array.F64Array;
import dev.rialto.array.Rialto;
import dev.rialto.array.Team;
import dev.rialto.io.VtkImage;
import dev.rialto.system.Arguments;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The spread of heat in a periodic cube: each step a point moves towards the mean of its six
 * neighbours. A rank has some planes of points and, around them, copies of its neighbours' planes:
 * the halo, which {@code set} updates for the arrays that are named behind the function.
 *
 * <pre>u_t = u_xx + u_yy + u_zz</pre>
 *
 * <p>The time step is an eighth of the square of the distance of points: the largest stable is a
 * sixth. The waves cos 2πx cos 2πy cos 2πz keep their shape and shrink by a factor that is known
 * for these very differences, so the result is checked to rounding.
 *
 * <p>Options: {@code --points} along an edge, {@code --steps}, a {@code --file} for ParaView,
 * {@code --ranks}, {@code --comm}, and {@code --device cuda:0} or {@code --device opencl:0}.
 */
final class Heat {
  public static void main(String[] args) {
    Arguments options = Arguments.of(args);
    int n = options.number("--points", 64);
    int steps = options.number("--steps", 100);
    Path file = Path.of(options.option("--file", "heat.vti"));
    Rialto.run(args, team -> run(team, n, steps, file));
  }

  private static void run(Team team, int n, int steps, Path file) throws IOException {
    try (F64Array heat = team.space(n, n, n).halo(1).periodic().star().f64();
        F64Array next = heat.like()) {
      heat.set((i, j, k) -> wave(i, n) * wave(j, n) * wave(k, n));
      for (int step = 0; step < steps; step++) {
        next.set(
            (i, j, k) -> {
              double x = heat.get(i - 1, j, k) + heat.get(i + 1, j, k);
              double y = heat.get(i, j - 1, k) + heat.get(i, j + 1, k);
              double z = heat.get(i, j, k - 1) + heat.get(i, j, k + 1);
              return heat.get(i, j, k) + (x + y + z - 6 * heat.get(i, j, k)) / 8;
            },
            heat);
        heat.swap(next);
      }
      VtkImage.save(file, Map.of("heat", heat), 1, 1, 1);

      // What the waves have become, and how far the computed ones are from that.
      double left = Math.pow(1 - 1.5 * Math.pow(Math.sin(Math.PI / n), 2), steps);
      heat.set((i, j, k) -> heat.get(i, j, k) - left * wave(i, n) * wave(j, n) * wave(k, n));
      double error = heat.norm() / Math.pow(n, 1.5);
      String device = team.client().device().name();
      team.print("%d^3 points, %d steps on %s: error %.1e".formatted(n, steps, device, error));
      if (!(error < 1e-12)) {
        throw new IllegalStateException("the error is " + error);
      }
    }
  }

  private static double wave(long index, int n) {
    return Math.cos(2 * Math.PI * index / n);
  }
}
