package dev.rialto.sparse.solve;

import dev.rialto.array.Array;
import dev.rialto.sparse.Products;
import dev.rialto.sparse.local.Scalar;
import java.util.Arrays;

/**
 * Saad and Schultz's method, restarted, preconditioned from the right.
 *
 * <p>New directions are made orthogonal to all others by two passes of classical Gram-Schmidt: each
 * is one reduction, however many directions there are, and twice is as good as modified.
 */
final class Gmres {
  private final Solve run;
  private final int most;
  private final Array[] basis;
  private final Array space;
  private final Products[] passes;
  private final Scalar[][] h;
  private final double[] cosines;
  private final Scalar[] sines;
  private final Scalar[] g;

  private Gmres(Solve run) {
    this.run = run;
    this.most = run.options.restart();
    this.basis = new Array[most + 1];
    this.space = run.vector();
    this.passes = new Products[] {run.products(most + 1), run.products(most + 1)};
    this.h = new Scalar[most + 1][most];
    this.cosines = new double[most];
    this.sines = new Scalar[most];
    this.g = new Scalar[most + 1];
  }

  static void run(Solve run) {
    Gmres method = new Gmres(run);
    while (method.cycle()) {
      run.residual();
    }
  }

  private Array basis(int i) {
    if (basis[i] == null) {
      basis[i] = run.vector();
    }
    return basis[i];
  }

  /** Builds one space and corrects x; returns whether to go on. */
  private boolean cycle() {
    double norm = Math.sqrt(run.dot(run.r, run.r).re());
    if (run.reached(norm) || run.broken(Scalar.of(norm), "the norm of the residual")) {
      return false;
    }
    run.beginCycle();
    run.v.axpby(Scalar.of(1 / norm), run.r, Scalar.ZERO, basis(0));
    Arrays.fill(g, Scalar.ZERO);
    g[0] = Scalar.of(norm);
    boolean stopped = false;
    int j = 0;
    while (j < most && !stopped) {
      Array next = basis(j + 1);
      run.multiply(run.preconditioned(basis[j], space), next);
      double length = orthogonalize(j, next);
      double size = length;
      for (int i = 0; i <= j; i++) {
        size = Math.max(size, h[i][j].abs());
      }
      rotate(j, length);
      // A product that vanishes but for rounding adds a direction that solves nothing.
      if (!(h[j][j].abs() > 1e-14 * size)) {
        run.breakdown("the matrix is singular in direction " + j);
        correct(j);
        return false;
      }
      j++;
      stopped = run.stopInCycle(g[j].abs());
      if (length == 0 && !stopped) {
        // The space is invariant, so x is the solution but for rounding: b - Ax will tell.
        run.breakdown("no new direction after " + j);
        stopped = true;
      }
      if (length > 0) {
        run.v.scale(Scalar.of(1 / length), next);
      }
    }
    correct(j);
    return !stopped;
  }

  /** Fills column j and returns the length of what is left; waits once for all of its numbers. */
  private double orthogonalize(int j, Array next) {
    for (Products pass : passes) {
      run.dots(pass, Solve.pairs(basis, j + 1, next));
      for (int i = 0; i <= j; i++) {
        run.v.axpby(pass.get(i).negated(), basis[i], Scalar.ONE, next);
      }
    }
    double length = Math.sqrt(run.dot(next, next).re());
    double before = 0;
    for (int i = 0; i <= j; i++) {
      h[i][j] = Scalar.ZERO.plus(passes[0].get(i).value()).plus(passes[1].get(i).value());
      before = Math.max(before, h[i][j].abs());
    }
    return length <= 1e-14 * before ? 0 : length;
  }

  /** Applies the rotations so far to column j and makes the one that removes its last element. */
  private void rotate(int j, double length) {
    for (int i = 0; i < j; i++) {
      Scalar upper = h[i][j];
      Scalar lower = h[i + 1][j];
      h[i][j] = Scalar.of(cosines[i]).times(upper).plus(sines[i].times(lower));
      h[i + 1][j] = Scalar.of(cosines[i]).times(lower).minus(sines[i].conjugate().times(upper));
    }
    double diagonal = h[j][j].abs();
    double radius = Math.hypot(diagonal, length);
    if (diagonal == 0) {
      cosines[j] = 0;
      sines[j] = Scalar.ONE;
      h[j][j] = Scalar.of(length);
    } else {
      Scalar phase = h[j][j].over(Scalar.of(diagonal));
      cosines[j] = diagonal / radius;
      sines[j] = phase.times(Scalar.of(length / radius));
      h[j][j] = phase.times(Scalar.of(radius));
    }
    g[j + 1] = sines[j].conjugate().times(g[j]).negated();
    g[j] = Scalar.of(cosines[j]).times(g[j]);
  }

  /** Adds the best combination of the first j directions to x. */
  private void correct(int j) {
    Scalar[] y = new Scalar[j];
    for (int i = j - 1; i >= 0; i--) {
      y[i] = g[i];
      for (int k = i + 1; k < j; k++) {
        y[i] = y[i].minus(h[i][k].times(y[k]));
      }
      y[i] = y[i].over(h[i][i]);
    }
    // The residual's place is free until the next cycle.
    Array sum = run.v.fill(run.r, Scalar.ZERO);
    for (int i = 0; i < j; i++) {
      run.v.axpby(y[i], basis[i], Scalar.ONE, sum);
    }
    run.v.axpby(Scalar.ONE, run.preconditioned(sum, space), Scalar.ONE, run.x);
  }
}
