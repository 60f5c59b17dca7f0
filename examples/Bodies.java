import dev.rialto.array.F64Array;
import dev.rialto.array.Rialto;
import dev.rialto.array.Team;
import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.Philox;
import dev.rialto.system.Arguments;

/**
 * Bodies that attract one another, by the leapfrog method. Each rank has some of the bodies; copies
 * of all others come by in turn, a rank's at a time. Forces are a kernel in which the items of a
 * block load the bodies they all need together, block by block. Energy and momentum of the bodies
 * tell how good the result is.
 *
 * <p>Arguments: bodies, which become a multiple of the ranks, and steps; then {@code --ranks},
 * {@code --comm}, and {@code --device cuda:0}.
 */
final class Bodies {
  private static final int BLOCK = 64;
  private static final double STEP = 0.001;
  private static final double SOFT = 0.01;

  public static void main(String[] args) {
    Arguments words = Arguments.of(args);
    int bodies = words.number(0, 2048);
    int steps = words.number(1, 20);
    Rialto.run(args, team -> run(team, bodies, steps));
  }

  private static void run(Team team, int bodies, int steps) {
    int each = (bodies + team.size() - 1) / team.size();
    long n = (long) each * team.size();
    try (F64Array x = team.f64(n, 3);
        F64Array v = x.like();
        F64Array pull = x.like();
        F64Array others = x.like();
        F64Array energy = team.f64(n);
        JavaKernel forces =
            team.kernels()
                .withBlockSize(BLOCK)
                .kernel(
                    (Item it, F64 f, F64 e, F64 at, F64 by, Double mass, Boolean own) ->
                        forces(it, f, e, at, by, mass, own))) {
      x.set((i, k) -> 2 * Philox.uniformDouble(1, 3 * i + k) - 1);
      v.set((i, k) -> 0.2 * Philox.uniformDouble(2, 3 * i + k) - 0.1);
      Runnable attract =
          () -> {
            pull.fill(0);
            energy.fill(0);
            others.copy(x);
            for (int turn = 0; turn < team.size(); turn++) {
              forces.launch(each, pull, energy, x, others, 1.0 / n, turn == 0);
              others.rotate(3L * each);
            }
          };
      attract.run();
      double before = (v.dot(v) / 2 + energy.sum()) / n;
      double momentum = v.sum() / n;
      for (int step = 0; step < steps; step++) {
        v.axpy(STEP / 2, pull);
        x.axpy(STEP, v);
        attract.run();
        v.axpy(STEP / 2, pull);
      }
      double change = Math.abs((v.dot(v) / 2 + energy.sum()) / n / before - 1);
      double drift = Math.abs(v.sum() / n - momentum);
      String device = team.client().device().name();
      team.print(
          "%d bodies, %d steps on %s: energy kept to %.1e, momentum to %.1e"
              .formatted(n, steps, device, change, drift));
      if (!(change < 1e-3 && drift < 1e-12)) {
        throw new IllegalStateException("energy or momentum is lost");
      }
    }
  }

  /** Adds the pull of some bodies on that of an item, and its part of the potential energy. */
  private static void forces(
      Item it, F64 pull, F64 energy, F64 x, F64 others, double mass, boolean own) {
    double[] near = it.sharedDoubles(3 * BLOCK);
    long n = others.length() / 3;
    long i = it.global();
    double px = 0;
    double py = 0;
    double pz = 0;
    double potential = 0;
    for (long first = 0; first < n; first += BLOCK) {
      int count = (int) Math.min(BLOCK, n - first);
      for (int k = it.local(); k < 3 * count; k += it.blockSize()) {
        near[k] = others.get(3 * first + k);
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
        potential -= own && first + k == i ? 0 : mass * inverse / 2;
      }
      it.barrier();
    }
    pull.set(3 * i, pull.get(3 * i) + px);
    pull.set(3 * i + 1, pull.get(3 * i + 1) + py);
    pull.set(3 * i + 2, pull.get(3 * i + 2) + pz);
    energy.set(i, energy.get(i) + potential);
  }
}
