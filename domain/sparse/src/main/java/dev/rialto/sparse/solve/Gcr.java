package dev.rialto.sparse.solve;

import dev.rialto.array.Array;
import dev.rialto.sparse.Products;
import dev.rialto.sparse.Scalars.Condition;
import dev.rialto.sparse.Variable;
import dev.rialto.sparse.local.Scalar;

/** Eisenstat, Elman and Schultz's method, restarted; x is up to date after every iteration. */
final class Gcr {
  private Gcr() {}

  static void run(Solve run) {
    int most = run.options.restart();
    Array[] directions = new Array[most];
    Array[] images = new Array[most];
    Products parts = run.products(most);
    Products sums = run.products(2);
    Products square = run.products(1);
    Variable one = run.variable().set(Scalar.ONE);
    Variable scale = run.variable();
    Variable alpha = run.variable();
    for (int k = 0; ; k = (k + 1) % most) {
      if (directions[k] == null) {
        directions[k] = run.vector();
        images[k] = run.vector();
      }
      run.precondition(run.r, directions[k]);
      run.multiply(directions[k], images[k]);
      if (k > 0) {
        run.dots(parts, Solve.pairs(images, k, images[k]));
        for (int i = 0; i < k; i++) {
          run.v.axpby(parts.get(i).negated(), images[i], Scalar.ONE, images[k]);
          run.v.axpby(parts.get(i).negated(), directions[i], Scalar.ONE, directions[k]);
        }
      }
      run.dots(sums, images[k], images[k], images[k], run.r);
      if (run.broken(sums.get(0), "|Ap|²")) {
        return;
      }
      scale.root(sums.get(0)).quotient(one, scale);
      run.v.scale(scale, images[k]);
      run.v.scale(scale, directions[k]);
      run.v.conjugateStep(
          alpha.product(sums.get(1), scale), directions[k], images[k], run.x, run.r);
      run.dots(square, run.r, run.r);
      if (run.stop(square.get(0))) {
        return;
      }
      if (run.ends(Condition.ZERO, sums.get(1))) {
        run.breakdown("the residual is orthogonal to its image: no progress is possible");
        return;
      }
    }
  }
}
