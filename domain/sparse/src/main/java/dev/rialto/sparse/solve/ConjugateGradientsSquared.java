package dev.rialto.sparse.solve;

import dev.rialto.array.Array;
import dev.rialto.sparse.Products;
import dev.rialto.sparse.Variable;
import dev.rialto.sparse.local.Scalar;

/** Sonneveld's method, preconditioned from the right. */
final class ConjugateGradientsSquared {
  private ConjugateGradientsSquared() {}

  static void run(Solve run) {
    Array r = run.r;
    Array shadow = run.v.copy(r, run.vector());
    Array p = run.vector();
    Array q = run.vector();
    Array u = run.vector();
    Array v = run.vector();
    Array space = run.vector();
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
      run.v.axpbypcz(Scalar.ONE, r, beta, q, Scalar.ZERO, u);
      // p = u + beta (q + beta p)
      run.v.axpbypcz(Scalar.ONE, u, beta, q, square.product(beta, beta), p);
      run.multiply(run.preconditioned(p, space), v);
      run.dots(image, shadow, v);
      if (run.broken(sigma, "the product of the shadow residual with Ap")) {
        return;
      }
      alpha.quotient(rho, sigma);
      run.v.axpbypcz(Scalar.ONE, u, alpha.negated(), v, Scalar.ZERO, q);
      run.v.axpby(Scalar.ONE, q, Scalar.ONE, u);
      Array correction = run.preconditioned(u, space);
      run.multiply(correction, v);
      run.v.axpby(alpha, correction, Scalar.ONE, run.x);
      run.v.axpby(alpha.negated(), v, Scalar.ONE, r);
      run.dots(sums, r, r, shadow, r);
      if (run.stop(sums.get(0))) {
        return;
      }
      beta.quotient(sums.get(1), rho);
      rho.set(sums.get(1));
    }
  }
}
