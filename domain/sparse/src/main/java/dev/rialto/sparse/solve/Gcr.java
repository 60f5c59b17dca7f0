package dev.rialto.sparse.solve;

import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.local.Scalar;

/** Eisenstat, Elman and Schultz's method, restarted; x is up to date after every iteration. */
final class Gcr {
  private Gcr() {}

  static void run(Run run) {
    int most = run.options.restart();
    MultiVector[] directions = new MultiVector[most];
    MultiVector[] images = new MultiVector[most];
    for (int k = 0; ; k = (k + 1) % most) {
      if (directions[k] == null) {
        directions[k] = run.vector();
        images[k] = run.vector();
      }
      run.precondition(run.r, directions[k]);
      run.a.apply(directions[k], images[k]);
      if (k > 0) {
        MultiVector[] pairs = new MultiVector[2 * k];
        for (int i = 0; i < k; i++) {
          pairs[2 * i] = images[i];
          pairs[2 * i + 1] = images[k];
        }
        Scalar[] parts = run.dots(pairs);
        for (int i = 0; i < k; i++) {
          images[k].axpby(parts[i].negated(), images[i], Scalar.ONE);
          directions[k].axpby(parts[i].negated(), directions[i], Scalar.ONE);
        }
      }
      Scalar[] sums = run.dots(images[k], images[k], images[k], run.r);
      if (run.broken(sums[0], "|Ap|²")) {
        return;
      }
      Scalar scale = Scalar.of(1 / Math.sqrt(sums[0].re()));
      images[k].scale(scale);
      directions[k].scale(scale);
      MultiVector.conjugateStep(
          sums[1].times(scale), directions[k], images[k], run.x, run.r, new double[2], 0);
      if (run.stop(Math.sqrt(run.dot(run.r, run.r).re()))) {
        return;
      }
      if (sums[1].isZero()) {
        run.breakdown("the residual is orthogonal to its image: no progress is possible");
        return;
      }
    }
  }
}
