package dev.rialto.sparse.solve;

import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.local.Scalar;

/** Van der Vorst's method, preconditioned from the right, with three reductions per iteration. */
final class StabilizedBiconjugateGradients {
  private StabilizedBiconjugateGradients() {}

  static void run(Run run) {
    MultiVector r = run.r;
    MultiVector shadow = run.vector().copy(r);
    MultiVector p = run.vector().copy(r);
    MultiVector v = run.vector();
    MultiVector t = run.vector();
    MultiVector pSpace = run.vector();
    MultiVector sSpace = run.vector();
    Scalar rho = run.dot(shadow, r);
    while (true) {
      if (run.broken(rho, "the product with the shadow residual")) {
        return;
      }
      MultiVector direction = run.preconditioned(p, pSpace);
      run.a.apply(direction, v);
      Scalar sigma = run.dot(shadow, v);
      if (run.broken(sigma, "the product of the shadow residual with Ap")) {
        return;
      }
      Scalar alpha = rho.over(sigma);
      // r becomes s = r - alpha v until the end of the iteration.
      r.axpby(alpha.negated(), v, Scalar.ONE);
      MultiVector correction = run.preconditioned(r, sSpace);
      run.a.apply(correction, t);
      Scalar[] sums = run.dots(t, r, t, t);
      if (sums[1].isZero()) {
        // s is 0: x + alpha p is the solution.
        run.x.axpby(alpha, direction, Scalar.ONE);
        if (!run.stop(Math.sqrt(run.dot(r, r).re()))) {
          run.breakdown("A s is 0 and s is not: the matrix is singular");
        }
        return;
      }
      Scalar omega = sums[0].over(sums[1]);
      run.x.axpbypcz(alpha, direction, omega, correction, Scalar.ONE);
      r.axpby(omega.negated(), t, Scalar.ONE);
      Scalar[] next = run.dots(r, r, shadow, r);
      if (run.stop(Math.sqrt(next[0].re()))) {
        return;
      }
      if (run.broken(omega, "omega")) {
        return;
      }
      Scalar beta = next[1].over(rho).times(alpha.over(omega));
      rho = next[1];
      // p = r + beta (p - omega v)
      p.axpbypcz(Scalar.ONE, r, beta.times(omega).negated(), v, beta);
    }
  }
}
