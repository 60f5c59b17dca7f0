import dev.rialto.fft.FourierPlan;
import dev.rialto.fft.Modes;
import dev.rialto.io.Canvas;
import dev.rialto.io.Colors;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.files.WholeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * Two-dimensional flow of an incompressible fluid on a periodic square, by Fourier modes: the
 * vorticity w moves with the velocity that it makes, and viscosity smooths it.
 *
 * <pre>w_t + u w_x + v w_y = ν ∇²w,  u = ψ_y,  v = -ψ_x,  ∇²ψ = -w</pre>
 *
 * <p>Two vortices of the same sign circle and merge. The mean vorticity stays what it is to the
 * last digits, and the energy never grows; both are checked. Arguments: points along an edge,
 * steps, a file for the picture; then {@code --ranks 2}.
 */
final class Vortices {
  private static final double EDGE = 2 * Math.PI;
  private static final double VISCOSITY = 1e-3;

  private final Communicator comm;
  private final int n;
  private final FourierPlan plan;
  private final Modes modes;
  private final Arena arena;
  private final long points;
  private final MemorySegment spectrum;
  private final MemorySegment change;
  private final MemorySegment stage;
  private final MemorySegment work;
  private final MemorySegment[] fields = new MemorySegment[4];

  private Vortices(Communicator comm, int n, FourierPlan plan, Arena arena) {
    this.comm = comm;
    this.n = n;
    this.plan = plan;
    this.arena = arena;
    this.modes = new Modes(plan, comm.rank(), EDGE, EDGE);
    this.points = plan.inputBytes() / 8;
    this.spectrum = plan.allocateOutput(arena);
    this.change = plan.allocateOutput(arena);
    this.stage = plan.allocateOutput(arena);
    this.work = plan.allocateOutput(arena);
    for (int i = 0; i < fields.length; i++) {
      fields[i] = plan.allocateInput(arena);
    }
  }

  public static void main(String[] args) {
    int n = Integer.parseInt(argument(args, 0, "128"));
    int steps = Integer.parseInt(argument(args, 1, "400"));
    String picture = argument(args, 2, "vortices.png");
    try (World world = World.open(args)) {
      world.run(
          comm -> {
            try (FourierPlan plan = FourierPlan.real(DType.F64, n, n).on(comm).build();
                Arena arena = Arena.ofShared()) {
              new Vortices(comm, n, plan, arena).run(steps, picture);
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

  private void run(int steps, String picture) {
    begin();
    double mean = sum(fields[0], fields[0], false);
    double energy = energy();
    double first = energy;
    double step = 0.2 / n;
    for (int i = 0; i < steps; i++) {
      // The midpoint rule: half a step to see where it goes, then a whole one from where it was.
      stage.copyFrom(spectrum);
      derive(spectrum);
      add(stage, change, step / 2);
      derive(stage);
      add(spectrum, change, step);
      if (i % 50 == 49) {
        double now = energy();
        if (!(now <= energy * (1 + 1e-12))) {
          throw new IllegalStateException("energy grew from " + energy + " to " + now);
        }
        energy = now;
      }
    }
    toField(spectrum, fields[0]);
    double drift = Math.abs(sum(fields[0], fields[0], false) - mean);
    if (drift > 1e-9 * n * n) {
      throw new IllegalStateException("the sum of the vorticity changed by " + drift);
    }
    draw(picture);
    if (comm.rank() == 0) {
      System.out.printf(
          "%d x %d points, %d steps, %d ranks: energy %.6f to %.6f, vorticity kept to %.1e%n",
          n, n, steps, comm.size(), first, energy, drift);
    }
  }

  /** Two vortices side by side. */
  private void begin() {
    long firstRow = plan.inputGrid().axis(0).first(comm.rank());
    for (long i = 0; i < points; i++) {
      double y = EDGE * (firstRow + i / n) / n;
      double x = EDGE * (i % n) / n;
      double left = Math.pow(x - Math.PI + 0.8, 2) + Math.pow(y - Math.PI, 2);
      double right = Math.pow(x - Math.PI - 0.8, 2) + Math.pow(y - Math.PI, 2);
      double vorticity = 5 * (Math.exp(-4 * left) + Math.exp(-4 * right));
      fields[0].setAtIndex(ValueLayout.JAVA_DOUBLE, i, vorticity);
    }
    plan.forward(fields[0], spectrum);
    modes.dealias(spectrum);
  }

  /** Sets {@link #change} to what the equation says of the rate of change. */
  private void derive(MemorySegment of) {
    velocity(of, 0, fields[0], 1);
    velocity(of, 1, fields[1], -1);
    for (int axis = 0; axis < 2; axis++) {
      work.copyFrom(of);
      modes.differentiate(work, axis, 1);
      toField(work, fields[2 + axis]);
    }
    for (long i = 0; i < points; i++) {
      double u = fields[0].getAtIndex(ValueLayout.JAVA_DOUBLE, i);
      double v = fields[1].getAtIndex(ValueLayout.JAVA_DOUBLE, i);
      double wy = fields[2].getAtIndex(ValueLayout.JAVA_DOUBLE, i);
      double wx = fields[3].getAtIndex(ValueLayout.JAVA_DOUBLE, i);
      fields[0].setAtIndex(ValueLayout.JAVA_DOUBLE, i, -(u * wx + v * wy));
    }
    plan.forward(fields[0], change);
    modes.dealias(change);
    work.copyFrom(of);
    modes.multiply(
        work,
        (waves, factor) -> {
          factor[0] = -VISCOSITY * (waves[0] * waves[0] + waves[1] * waves[1]);
          factor[1] = 0;
        });
    add(change, work, 1);
  }

  /** Sets a field to sign · the derivative along an axis of the stream function. */
  private void velocity(MemorySegment of, int axis, MemorySegment field, int sign) {
    work.copyFrom(of);
    modes.solvePoisson(work);
    modes.differentiate(work, axis, 1);
    // The stream function is minus the solution.
    modes.multiply(
        work,
        (_, factor) -> {
          factor[0] = -sign;
          factor[1] = 0;
        });
    toField(work, field);
  }

  private void toField(MemorySegment from, MemorySegment field) {
    plan.inverse(from, field);
  }

  private static void add(MemorySegment to, MemorySegment what, double factor) {
    for (long i = 0; i < to.byteSize() / 8; i++) {
      double value =
          to.getAtIndex(ValueLayout.JAVA_DOUBLE, i)
              + factor * what.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
      to.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
    }
  }

  private double energy() {
    velocity(spectrum, 0, fields[0], 1);
    velocity(spectrum, 1, fields[1], -1);
    double squares = sum(fields[0], fields[0], true) + sum(fields[1], fields[1], true);
    return squares / 2 / n / n;
  }

  /** Sums a field, or the products of two, over all ranks. */
  private double sum(MemorySegment a, MemorySegment b, boolean products) {
    MemorySegment total = arena.allocate(ValueLayout.JAVA_DOUBLE);
    double sum = 0;
    for (long i = 0; i < points; i++) {
      double value = a.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
      sum += products ? value * b.getAtIndex(ValueLayout.JAVA_DOUBLE, i) : value;
    }
    total.set(ValueLayout.JAVA_DOUBLE, 0, sum);
    comm.allReduce(total, total, DType.F64, 1, ReduceOp.SUM);
    return total.get(ValueLayout.JAVA_DOUBLE, 0);
  }

  /** Gathers the vorticity on rank 0, which draws it. */
  private void draw(String file) {
    MemorySegment all = arena.allocate(8L * n * n, 64);
    long[] counts = new long[comm.size()];
    long[] places = new long[comm.size()];
    for (int rank = 0; rank < counts.length; rank++) {
      counts[rank] = plan.inputGrid().localCount(rank);
      places[rank] = rank == 0 ? 0 : places[rank - 1] + counts[rank - 1];
    }
    comm.gatherV(fields[0], points, all, counts, places, DType.F64, 0);
    if (comm.rank() != 0) {
      return;
    }
    Canvas canvas = new Canvas(Math.max(n, 256), Math.max(n, 256));
    double[] values = all.toArray(ValueLayout.JAVA_DOUBLE);
    canvas.map(0, 0, canvas.width(), canvas.height(), values, n, 0, 5, Colors.HEAT);
    try {
      WholeFile.write(Path.of(file), canvas.png());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
