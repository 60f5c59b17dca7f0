package dev.rialto.sparse.solve;

import dev.rialto.array.Array;
import dev.rialto.sparse.Products;
import dev.rialto.sparse.Scalars.Condition;
import dev.rialto.sparse.Variable;
import dev.rialto.sparse.local.Scalar;

/** Notay's method: each direction is made orthogonal to the last one explicitly. */
final class FlexibleConjugateGradients {
  private FlexibleConjugateGradients() {}

  static void run(Solve run) {
    Array r = run.r;
    Array p = run.vector();
    Array q = run.vector();
    Array space = run.vector();
    Array z = run.preconditioned(r, space);
    Products sums = run.products(2);
    Products next = run.products(2);
    Variable pq = sums.get(0);
    Variable alpha = run.variable();
    Variable beta = run.variable();
    run.v.copy(z, p);
    while (true) {
      run.multiply(p, q);
      run.dots(sums, p, q, p, r);
      if (run.broken(pq, "p·Ap")) {
        return;
      }
      if (run.ends(Condition.NEGATIVE, pq)) {
        run.breakdown("p·Ap is " + pq + ": the matrix is not positive definite");
        return;
      }
      run.v.conjugateStep(alpha.quotient(sums.get(1), pq), p, q, run.x, r);
      z = run.preconditioned(r, space);
      run.dots(next, r, r, q, z);
      if (run.stop(next.get(0))) {
        return;
      }
      run.v.axpby(Scalar.ONE, z, beta.quotient(next.get(1), pq).negated(), p);
    }
  }
}
