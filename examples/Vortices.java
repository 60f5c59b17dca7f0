import dev.rialto.array.ComplexArray;
import dev.rialto.array.F64Array;
import dev.rialto.array.Rialto;
import dev.rialto.array.Team;
import dev.rialto.fft.FourierPlan;
import dev.rialto.fft.Modes;
import dev.rialto.io.Canvas;
import dev.rialto.io.Colors;
import dev.rialto.system.Arguments;
import dev.rialto.system.files.WholeFile;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Two-dimensional flow of an incompressible fluid on a periodic square, by Fourier modes: the
 * vorticity w moves with the velocity that it makes, and viscosity smooths it.
 *
 * <pre>w_t + u w_x + v w_y = ν ∇²w,  u = ψ_y,  v = -ψ_x,  ∇²ψ = -w</pre>
 *
 * <p>Two vortices of the same sign circle and merge. The mean vorticity stays what it is to the
 * last digits, and the energy never grows; both are checked. Arguments: points along an edge,
 * steps, a file for the picture; then {@code --ranks 2} or {@code --device cuda:0}.
 */
final class Vortices implements AutoCloseable {
  private static final double EDGE = 2 * Math.PI;
  private static final double VISCOSITY = 1e-3;

  private final Team team;
  private final int n;
  private final FourierPlan plan;
  private final Modes modes;
  private final F64Array w;
  private final F64Array u;
  private final F64Array v;
  private final F64Array wx;
  private final F64Array wy;
  private final ComplexArray spectrum;
  private final ComplexArray change;
  private final ComplexArray stage;
  private final ComplexArray work;

  private Vortices(Team team, int n) {
    this.team = team;
    this.n = n;
    this.w = team.f64(n, n);
    this.u = w.like();
    this.v = w.like();
    this.wx = w.like();
    this.wy = w.like();
    this.plan = FourierPlan.real(w).build();
    this.modes = new Modes(plan, team.rank(), EDGE, EDGE);
    this.spectrum = plan.newModes(team);
    this.change = spectrum.like();
    this.stage = spectrum.like();
    this.work = spectrum.like();
  }

  public static void main(String[] args) {
    Arguments words = Arguments.of(args);
    int n = words.number(0, 128);
    int steps = words.number(1, 400);
    Path picture = Path.of(words.word(2, "vortices.png"));
    Rialto.run(
        args,
        team -> {
          try (Vortices flow = new Vortices(team, n)) {
            flow.run(steps, picture);
          }
        });
  }

  private void run(int steps, Path picture) throws IOException {
    double h = EDGE / n;
    w.set((i, j) -> 5 * (vortex(h * i, h * j, -0.8) + vortex(h * i, h * j, 0.8)));
    plan.forward(w, spectrum);
    modes.dealias(spectrum);
    double sum = w.sum();
    double energy = energy();
    double first = energy;
    double step = 0.2 / n;
    for (int i = 0; i < steps; i++) {
      // The midpoint rule: half a step to see where it goes, then a whole one from where it was.
      stage.copy(spectrum);
      derive(spectrum);
      stage.axpy(step / 2, change);
      derive(stage);
      spectrum.axpy(step, change);
      if (i % 50 == 49) {
        double now = energy();
        if (!(now <= energy * (1 + 1e-12))) {
          throw new IllegalStateException("energy grew from " + energy + " to " + now);
        }
        energy = now;
      }
    }
    plan.inverse(spectrum, w);
    double drift = Math.abs(w.sum() - sum);
    if (drift > 1e-9 * n * n) {
      throw new IllegalStateException("the sum of the vorticity changed by " + drift);
    }
    draw(picture);
    team.print(
        "%d x %d points, %d steps, %d ranks: energy %.6f to %.6f, vorticity kept to %.1e"
            .formatted(n, n, steps, team.size(), first, energy, drift));
  }

  private static double vortex(double y, double x, double shift) {
    double up = y - Math.PI;
    double right = x - Math.PI + shift;
    return Math.exp(-4 * (right * right + up * up));
  }

  /** Sets {@link #change} to what the equation says of the rate of change. */
  private void derive(ComplexArray of) {
    velocity(of);
    derivative(of, 0, wy);
    derivative(of, 1, wx);
    w.combine(f -> -(f[0] * f[1] + f[2] * f[3]), u, wx, v, wy);
    plan.forward(w, change);
    modes.dealias(change);
    work.copy(of);
    modes.multiply(
        work,
        (waves, factor) -> {
          factor[0] = -VISCOSITY * (waves[0] * waves[0] + waves[1] * waves[1]);
          factor[1] = 0;
        });
    change.axpy(1, work);
  }

  private void derivative(ComplexArray of, int axis, F64Array field) {
    work.copy(of);
    modes.differentiate(work, axis, 1);
    plan.inverse(work, field);
  }

  /** Sets u and v to the derivatives of the stream function, which is minus the solution. */
  private void velocity(ComplexArray of) {
    stream(of, 0, u);
    u.scale(-1);
    stream(of, 1, v);
  }

  private void stream(ComplexArray of, int axis, F64Array field) {
    work.copy(of);
    modes.solvePoisson(work);
    modes.differentiate(work, axis, 1);
    plan.inverse(work, field);
  }

  private double energy() {
    velocity(spectrum);
    return (u.dot(u) + v.dot(v)) / 2 / n / n;
  }

  /** Gathers the vorticity on rank 0, which draws it. */
  private void draw(Path file) throws IOException {
    double[] values = w.gather(0);
    if (values.length > 0) {
      Canvas canvas = new Canvas(Math.max(n, 256), Math.max(n, 256));
      canvas.map(0, 0, canvas.width(), canvas.height(), values, n, 0, 5, Colors.HEAT);
      WholeFile.write(file, canvas.png());
    }
  }

  @Override
  public void close() {
    plan.close();
    w.close();
    u.close();
    v.close();
    wx.close();
    wy.close();
    spectrum.close();
    change.close();
    stage.close();
    work.close();
  }
}
