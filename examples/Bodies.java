import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.runtime.Devices;
import dev.rialto.system.Arguments;
import java.util.Arrays;
import java.util.Random;

/**
 * Bodies that attract one another, by the leapfrog method. Forces are a kernel in which the items
 * of a block load the bodies they all need together, block by block. Energy and momentum of the
 * bodies tell how good the result is.
 *
 * <p>Arguments: bodies, steps; then {@code --device cuda:0}.
 */
final class Bodies {
  private static final int BLOCK = 64;
  private static final double STEP = 0.001;
  private static final double SOFT = 0.01;

  /** Places and speeds: three numbers of each body, one after another. */
  private final double[] x;

  private final double[] v;
  private final double[] pull;
  private final double[] energy;

  private Bodies(int n) {
    Random random = new Random(1);
    x = random.doubles(3L * n, -1, 1).toArray();
    v = random.doubles(3L * n, -0.1, 0.1).toArray();
    pull = new double[3 * n];
    energy = new double[n];
  }

  public static void main(String[] args) {
    Arguments words = Arguments.of(args);
    int n = words.number(0, 2048);
    int steps = words.number(1, 20);
    String device = words.option("--device", "cpu:0");
    Bodies bodies = new Bodies(n);
    try (JavaKernel forces =
        JavaKernels.on(Devices.open(device))
            .withBlockSize(BLOCK)
            .kernel((Item it, F64 f, F64 e, F64 at, Double mass) -> forces(it, f, e, at, mass))) {
      forces.launch(n, bodies.pull, bodies.energy, bodies.x, 1.0 / n);
      double before = bodies.energy();
      double momentum = bodies.momentum();
      for (int step = 0; step < steps; step++) {
        add(bodies.v, STEP / 2, bodies.pull);
        add(bodies.x, STEP, bodies.v);
        forces.launch(n, bodies.pull, bodies.energy, bodies.x, 1.0 / n);
        add(bodies.v, STEP / 2, bodies.pull);
      }
      double change = Math.abs(bodies.energy() / before - 1);
      double drift = Math.abs(bodies.momentum() - momentum);
      System.out.printf(
          "%d bodies, %d steps on %s: energy kept to %.1e, momentum to %.1e%n",
          n, steps, device, change, drift);
      if (!(change < 1e-3 && drift < 1e-12)) {
        throw new IllegalStateException("energy or momentum is lost");
      }
    }
  }

  /** The pull of all bodies on that of an item, and its part of the potential energy. */
  private static void forces(Item it, F64 pull, F64 energy, F64 x, double mass) {
    double[] near = it.sharedDoubles(3 * BLOCK);
    long n = it.globalSize();
    long i = it.global();
    double px = 0;
    double py = 0;
    double pz = 0;
    double potential = 0;
    for (long first = 0; first < n; first += BLOCK) {
      int count = (int) Math.min(BLOCK, n - first);
      for (int k = it.local(); k < 3 * count; k += it.blockSize()) {
        near[k] = x.get(3 * first + k);
      }
      it.barrier();
      for (int k = 0; k < count; k++) {
        double dx = near[3 * k] - x.get(3 * i);
        double dy = near[3 * k + 1] - x.get(3 * i + 1);
        double dz = near[3 * k + 2] - x.get(3 * i + 2);
        double inverse = 1 / Math.sqrt(dx * dx + dy * dy + dz * dz + SOFT);
        double strength = mass * inverse * inverse * inverse;
        px += strength * dx;
        py += strength * dy;
        pz += strength * dz;
        potential -= first + k == i ? 0 : mass * inverse / 2;
      }
      it.barrier();
    }
    pull.set(3 * i, px);
    pull.set(3 * i + 1, py);
    pull.set(3 * i + 2, pz);
    energy.set(i, potential);
  }

  private static void add(double[] to, double factor, double[] from) {
    for (int i = 0; i < to.length; i++) {
      to[i] += factor * from[i];
    }
  }

  /** Of a body of mass 1 on average. */
  private double energy() {
    double moving = Arrays.stream(v).map(each -> each * each / 2).sum();
    return (moving + Arrays.stream(energy).sum()) / energy.length;
  }

  private double momentum() {
    return Arrays.stream(v).sum() / energy.length;
  }
}
