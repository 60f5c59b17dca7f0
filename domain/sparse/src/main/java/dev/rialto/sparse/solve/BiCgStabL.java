package dev.rialto.sparse.solve;

import dev.rialto.array.Array;
import dev.rialto.sparse.local.Scalar;
import java.util.Arrays;

/**
 * Sleijpen and Fokkema's method, preconditioned from the right: l steps of biconjugate gradients,
 * then a minimal residual over the l + 1 residuals they made. Counts l iterations each time.
 */
final class BiCgStabL {
  private final Solve run;
  private final int l;
  private final Array shadow;
  private final Array space;
  private final Array correction;
  private final Array[] residuals;
  private final Array[] directions;
  private Scalar rho = Scalar.ONE;
  private Scalar alpha = Scalar.ZERO;
  private Scalar omega = Scalar.ONE;

  /** The divisor that was too small when the steps did not go well. */
  private Scalar divisor = Scalar.ONE;

  private String name = "";

  private BiCgStabL(Solve run) {
    this.run = run;
    this.l = run.options.degree();
    this.shadow = run.v.copy(run.r, run.vector());
    this.space = run.vector();
    this.correction = run.vector();
    this.residuals = new Array[l + 1];
    this.directions = new Array[l + 1];
    Arrays.setAll(residuals, i -> i == 0 ? run.r : run.vector());
    Arrays.setAll(directions, i -> run.vector());
  }

  static void run(Solve run) {
    BiCgStabL method = new BiCgStabL(run);
    boolean more = true;
    while (more) {
      // The correction is to M's image; x follows whenever the residual is looked at.
      run.v.fill(method.correction, Scalar.ZERO);
      boolean whole = method.conjugate();
      if (whole) {
        method.minimize();
      }
      run.v.axpby(
          Scalar.ONE, run.preconditioned(method.correction, method.space), Scalar.ONE, run.x);
      double norm = Math.sqrt(run.dot(run.r, run.r).re());
      for (int i = 0; i < method.l && more; i++) {
        more = !run.stop(norm);
        if (!whole && more) {
          // Had the residual vanished early, there would be nothing to divide by either.
          more = !run.broken(method.divisor, method.name);
        }
      }
    }
  }

  private boolean unusable(Scalar value, String what) {
    divisor = value;
    name = what;
    return value.isZero() || !value.isFinite();
  }

  /** The steps of biconjugate gradients; returns whether they went well. */
  private boolean conjugate() {
    rho = omega.negated().times(rho);
    for (int j = 0; j < l; j++) {
      Scalar next = run.dot(shadow, residuals[j]);
      if (unusable(rho, "the product with the shadow residual")) {
        return false;
      }
      Scalar beta = alpha.times(next).over(rho);
      rho = next;
      for (int i = 0; i <= j; i++) {
        run.v.axpby(Scalar.ONE, residuals[i], beta.negated(), directions[i]);
      }
      run.multiply(run.preconditioned(directions[j], space), directions[j + 1]);
      Scalar sigma = run.dot(shadow, directions[j + 1]);
      if (unusable(sigma, "the product of the shadow residual with Au")) {
        return false;
      }
      alpha = rho.over(sigma);
      for (int i = 0; i <= j; i++) {
        run.v.axpby(alpha.negated(), directions[i + 1], Scalar.ONE, residuals[i]);
      }
      run.multiply(run.preconditioned(residuals[j], space), residuals[j + 1]);
      run.v.axpby(alpha, directions[0], Scalar.ONE, correction);
    }
    return true;
  }

  /** The minimal residual, by modified Gram-Schmidt. */
  private void minimize() {
    Scalar[][] tau = new Scalar[l + 1][l + 1];
    Scalar[] prime = new Scalar[l + 1];
    Scalar[] sigma = new Scalar[l + 1];
    for (int j = 1; j <= l; j++) {
      for (int i = 1; i < j; i++) {
        tau[i][j] = run.dot(residuals[i], residuals[j]).over(sigma[i]);
        run.v.axpby(tau[i][j].negated(), residuals[i], Scalar.ONE, residuals[j]);
      }
      Scalar[] sums = run.dots(residuals[j], residuals[j], residuals[j], residuals[0]);
      sigma[j] = sums[0];
      if (sigma[j].isZero() && sums[1].isZero()) {
        // Nothing is left to minimize: the residual is 0 or the space is exhausted.
        sigma[j] = Scalar.ONE;
      }
      prime[j] = sums[1].over(sigma[j]);
    }
    Scalar[] gamma = new Scalar[l + 1];
    gamma[l] = prime[l];
    omega = gamma[l];
    for (int j = l - 1; j >= 1; j--) {
      gamma[j] = prime[j];
      for (int i = j + 1; i <= l; i++) {
        gamma[j] = gamma[j].minus(tau[j][i].times(gamma[i]));
      }
    }
    run.v.axpby(gamma[1], residuals[0], Scalar.ONE, correction);
    for (int j = 1; j < l; j++) {
      Scalar second = gamma[j + 1];
      for (int i = j + 1; i < l; i++) {
        second = second.plus(tau[j][i].times(gamma[i + 1]));
      }
      run.v.axpby(second, residuals[j], Scalar.ONE, correction);
      run.v.axpby(gamma[j].negated(), directions[j], Scalar.ONE, directions[0]);
    }
    run.v.axpby(gamma[l].negated(), directions[l], Scalar.ONE, directions[0]);
    for (int j = 1; j <= l; j++) {
      run.v.axpby(prime[j].negated(), residuals[j], Scalar.ONE, residuals[0]);
    }
  }
}
