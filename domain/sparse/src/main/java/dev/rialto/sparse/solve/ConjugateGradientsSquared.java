package dev.rialto.sparse.solve;

import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.local.Scalar;

/** Sonneveld's method, preconditioned from the right. */
final class ConjugateGradientsSquared {
  private ConjugateGradientsSquared() {}

  static void run(Run run) {
    MultiVector r = run.r;
    MultiVector shadow = run.vector().copy(r);
    MultiVector p = run.vector();
    MultiVector q = run.vector();
    MultiVector u = run.vector();
    MultiVector v = run.vector();
    MultiVector space = run.vector();
    Scalar rho = run.dot(shadow, r);
    Scalar beta = Scalar.ZERO;
    while (true) {
      if (run.broken(rho, "the product with the shadow residual")) {
        return;
      }
      u.axpbypcz(Scalar.ONE, r, beta, q, Scalar.ZERO);
      // p = u + beta (q + beta p)
      p.axpbypcz(Scalar.ONE, u, beta, q, beta.times(beta));
      run.a.apply(run.preconditioned(p, space), v);
      Scalar sigma = run.dot(shadow, v);
      if (run.broken(sigma, "the product of the shadow residual with Ap")) {
        return;
      }
      Scalar alpha = rho.over(sigma);
      q.axpbypcz(Scalar.ONE, u, alpha.negated(), v, Scalar.ZERO);
      u.axpby(Scalar.ONE, q, Scalar.ONE);
      MultiVector correction = run.preconditioned(u, space);
      run.a.apply(correction, v);
      run.x.axpby(alpha, correction, Scalar.ONE);
      r.axpby(alpha.negated(), v, Scalar.ONE);
      Scalar[] sums = run.dots(r, r, shadow, r);
      if (run.stop(Math.sqrt(sums[0].re()))) {
        return;
      }
      beta = sums[1].over(rho);
      rho = sums[1];
    }
  }
}
