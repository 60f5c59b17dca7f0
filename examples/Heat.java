import dev.rialto.array.F64Array;
import dev.rialto.array.Team;
import dev.rialto.io.VtkImage;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * How heat spreads in a periodic cube: each step a point moves towards the mean of its six
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
 * {@code --ranks}, and {@code --device cuda:0} or {@code --device opencl:0}.
 */
final class Heat {
  public static void main(String[] args) {
    try (World world = World.open(args)) {
      world.run(comm -> run(comm, args));
    }
  }

  private static String option(String[] args, String name, String otherwise) {
    List<String> words = List.of(String.join("=", args).split("="));
    return words.contains(name) ? words.get(words.indexOf(name) + 1) : otherwise;
  }

  private static void run(Communicator comm, String[] args) throws IOException {
    int n = Integer.parseInt(option(args, "--points", "64"));
    int steps = Integer.parseInt(option(args, "--steps", "100"));
    String device = option(args, "--device", "cpu:0");
    try (Team team = Team.on(comm, Devices.open(device));
        F64Array one = team.space(n, n, n).halo(1).periodic().star().f64();
        F64Array two = one.like()) {
      one.set((i, j, k) -> wave(i, n) * wave(j, n) * wave(k, n));
      for (int step = 0; step < steps; step++) {
        F64Array u = step % 2 == 0 ? one : two;
        (step % 2 == 0 ? two : one)
            .set(
                (i, j, k) -> {
                  double x = u.get(i - 1, j, k) + u.get(i + 1, j, k);
                  double y = u.get(i, j - 1, k) + u.get(i, j + 1, k);
                  double z = u.get(i, j, k - 1) + u.get(i, j, k + 1);
                  return u.get(i, j, k) + (x + y + z - 6 * u.get(i, j, k)) / 8;
                },
                u);
      }
      F64Array now = steps % 2 == 0 ? one : two;
      VtkImage.save(Path.of(option(args, "--file", "heat.vti")), Map.of("heat", now), 1, 1, 1);

      // What the waves have become, and how far the computed ones are from that.
      double left = Math.pow(1 - 1.5 * Math.pow(Math.sin(Math.PI / n), 2), steps);
      now.set((i, j, k) -> now.get(i, j, k) - left * wave(i, n) * wave(j, n) * wave(k, n));
      double error = now.norm() / Math.pow(n, 1.5);
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
