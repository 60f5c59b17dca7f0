package dev.rialto.sparse.solve;

import dev.rialto.array.Array;
import dev.rialto.sparse.Products;
import dev.rialto.sparse.Scalars.Condition;
import dev.rialto.sparse.Variable;
import dev.rialto.sparse.local.Scalar;

/** Van der Vorst's method, preconditioned from the right, with three reductions per iteration. */
final class StabilizedBiconjugateGradients {
  private StabilizedBiconjugateGradients() {}

  static void run(Solve run) {
    Array r = run.r;
    Array shadow = run.v.copy(r, run.vector());
    Array p = run.v.copy(r, run.vector());
    Array v = run.vector();
    Array t = run.vector();
    Array pSpace = run.vector();
    Array sSpace = run.vector();
    Products image = run.products(1);
    Products sums = run.products(2);
    Products next = run.products(2);
    Variable sigma = image.get(0);
    Variable tt = sums.get(1);
    Variable rho = run.variable();
    Variable alpha = run.variable();
    Variable omega = run.variable();
    Variable beta = run.variable();
    Variable factor = run.variable();
    run.dots(image, shadow, r);
    rho.set(image.get(0));
    while (true) {
      if (run.broken(rho, "the product with the shadow residual")) {
        return;
      }
      Array direction = run.preconditioned(p, pSpace);
      run.multiply(direction, v);
      run.dots(image, shadow, v);
      if (run.broken(sigma, "the product of the shadow residual with Ap")) {
        return;
      }
      alpha.quotient(rho, sigma);
      // r becomes s = r - alpha v until the end of the iteration.
      run.v.axpby(alpha.negated(), v, Scalar.ONE, r);
      Array correction = run.preconditioned(r, sSpace);
      run.multiply(correction, t);
      run.dots(sums, t, r, t, t);
      if (run.ends(Condition.ZERO, tt)) {
        // s is 0: x + alpha p is the solution.
        run.v.axpby(alpha, direction, Scalar.ONE, run.x);
        if (!run.stop(Math.sqrt(run.dot(r, r).re()))) {
          run.breakdown("A s is 0 and s is not: the matrix is singular");
        }
        return;
      }
      omega.quotient(sums.get(0), tt);
      run.v.axpbypcz(alpha, direction, omega, correction, Scalar.ONE, run.x);
      run.v.axpby(omega.negated(), t, Scalar.ONE, r);
      run.dots(next, r, r, shadow, r);
      if (run.stop(next.get(0))) {
        return;
      }
      if (run.broken(omega, "omega")) {
        return;
      }
      beta.quotient(next.get(1), rho).product(beta, factor.quotient(alpha, omega));
      rho.set(next.get(1));
      // p = r + beta (p - omega v)
      run.v.axpbypcz(Scalar.ONE, r, factor.product(beta, omega).negated(), v, beta, p);
    }
  }
}
