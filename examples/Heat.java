import dev.rialto.array.Decomposition;
import dev.rialto.array.DistributedArray;
import dev.rialto.array.Operator;
import dev.rialto.array.Reduce;
import dev.rialto.array.Team;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.io.VtkImage;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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
      world.run(comm -> run(comm, n, steps, file));
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

  private static void run(Communicator comm, int n, int steps, Path file) throws IOException {
    Shape shape = Shape.of(n, n);
    Halo.Stencil star = Halo.Stencil.of(2, 1, true, false);
    try (Team team = Team.on(comm);
        DistributedArray u = team.array(DType.F64, shape, Decomposition.block(), star);
        DistributedArray next = team.array(DType.F64, shape, Decomposition.block(), star)) {
      int rows = (int) u.localShape().extent(0) - 2;
      long first = ((Grid) u.distribution()).axis(0).first(comm.rank());
      fill(u, rows, first, n, 1);

      DistributedArray from = u;
      DistributedArray to = next;
      for (int step = 0; step < steps; step++) {
        from.startHalo();
        for (int row = 2; row < rows; row++) {
          step(from.local(), to.local(), row, 1, n - 1, n);
        }
        from.awaitHalo();
        for (int row = 1; row <= rows; row++) {
          boolean edge = row == 1 || row == rows;
          step(from.local(), to.local(), row, 0, edge ? n : 1, n);
          step(from.local(), to.local(), row, edge ? n : n - 1, n, n);
        }
        DistributedArray swap = from;
        from = to;
        to = swap;
      }

      // What the waves have become, and how far the computed ones are from that.
      double shrinks = 1 - 8 * STEP * Math.pow(Math.sin(Math.PI / n), 2);
      fill(to, rows, first, n, Math.pow(shrinks, steps));
      double error = largestDifference(from, to, rows, n);
      double worst = largest(team, error);
      VtkImage.save(file, Map.of("temperature", from), 1.0 / n, 1.0 / n);
      if (comm.rank() == 0) {
        System.out.printf(
            "%d x %d points, %d steps, %d ranks: waves shrank to %.4f, error %.1e, %s%n",
            n, n, steps, comm.size(), Math.pow(shrinks, steps), worst, file);
      }
      if (!(worst < 1e-12)) {
        throw new IllegalStateException("the error is " + worst);
      }
    }
  }

  /** Memory has n points of a row between two of the halo; rows start at 1. */
  private static long at(int row, int column, int n) {
    return (long) row * (n + 2) + column + 1;
  }

  private static void fill(DistributedArray array, int rows, long first, int n, double size) {
    MemorySegment memory = array.local();
    for (int row = 1; row <= rows; row++) {
      for (int column = 0; column < n; column++) {
        double y = 2 * Math.PI * (first + row - 1) / n;
        double x = 2 * Math.PI * column / n;
        double value = size * Math.cos(y) * Math.cos(x);
        memory.setAtIndex(ValueLayout.JAVA_DOUBLE, at(row, column, n), value);
      }
    }
  }

  private static double get(MemorySegment memory, long index) {
    return memory.getAtIndex(ValueLayout.JAVA_DOUBLE, index);
  }

  /** Some columns of a row of the next state. */
  private static void step(
      MemorySegment from, MemorySegment to, int row, int begin, int end, int n) {
    for (int column = begin; column < end; column++) {
      long here = at(row, column, n);
      double around =
          get(from, here - 1)
              + get(from, here + 1)
              + get(from, here - n - 2)
              + get(from, here + n + 2);
      double old = get(from, here);
      to.setAtIndex(ValueLayout.JAVA_DOUBLE, here, old + STEP * (around - 4 * old));
    }
  }

  private static double largestDifference(DistributedArray a, DistributedArray b, int rows, int n) {
    double largest = 0;
    for (int row = 1; row <= rows; row++) {
      for (int column = 0; column < n; column++) {
        long here = at(row, column, n);
        largest = Math.max(largest, Math.abs(get(a.local(), here) - get(b.local(), here)));
      }
    }
    return largest;
  }

  private static double largest(Team team, double mine) {
    int ranks = team.communicator().size();
    try (DistributedArray all = team.array(DType.F64, Shape.of(ranks), Decomposition.block())) {
      all.local().set(ValueLayout.JAVA_DOUBLE, 0, mine);
      return Reduce.of(all, Operator.MAX).run().asDouble();
    }
  }
}
