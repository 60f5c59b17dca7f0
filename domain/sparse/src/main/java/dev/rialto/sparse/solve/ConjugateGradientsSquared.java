package dev.rialto.sparse.solve;

import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.Products;
import dev.rialto.sparse.Variable;
import dev.rialto.sparse.local.Scalar;

/** Sonneveld's method, preconditioned from the right. */
final class ConjugateGradientsSquared {
  private ConjugateGradientsSquared() {}

  static void run(Solve run) {
    MultiVector r = run.r;
    MultiVector shadow = run.vector().copy(r);
    MultiVector p = run.vector();
    MultiVector q = run.vector();
    MultiVector u = run.vector();
    MultiVector v = run.vector();
    MultiVector space = run.vector();
    Products image = run.products(1);
    Products sums = run.products(2);
    Variable sigma = image.get(0);
    Variable rho = run.variable();
    Variable alpha = run.variable();
    Variable beta = run.variable();
    Variable square = run.variable();
    run.dots(image, shadow, r);
    rho.set(image.get(0));
    while (true) {
      if (run.broken(rho, "the product with the shadow residual")) {
        return;
      }
      u.axpbypcz(Scalar.ONE, r, beta, q, Scalar.ZERO);
      // p = u + beta (q + beta p)
      p.axpbypcz(Scalar.ONE, u, beta, q, square.product(beta, beta));
      run.a.apply(run.preconditioned(p, space), v);
      run.dots(image, shadow, v);
      if (run.broken(sigma, "the product of the shadow residual with Ap")) {
        return;
      }
      alpha.quotient(rho, sigma);
      q.axpbypcz(Scalar.ONE, u, alpha.negated(), v, Scalar.ZERO);
      u.axpby(Scalar.ONE, q, Scalar.ONE);
      MultiVector correction = run.preconditioned(u, space);
      run.a.apply(correction, v);
      run.x.axpby(alpha, correction, Scalar.ONE);
      r.axpby(alpha.negated(), v, Scalar.ONE);
      run.dots(sums, r, r, shadow, r);
      if (run.stop(sums.get(0))) {
        return;
      }
      beta.quotient(sums.get(1), rho);
      rho.set(sums.get(1));
    }
  }
}
