package dev.rialto.sparse.solve;

import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.Products;
import dev.rialto.sparse.Scalars.Condition;
import dev.rialto.sparse.Updates;
import dev.rialto.sparse.Variable;
import dev.rialto.sparse.local.Scalar;

/** Notay's method: each direction is made orthogonal to the last one explicitly. */
final class FlexibleConjugateGradients {
  private FlexibleConjugateGradients() {}

  static void run(Solve run) {
    MultiVector r = run.r;
    MultiVector p = run.vector();
    MultiVector q = run.vector();
    MultiVector space = run.vector();
    MultiVector z = run.preconditioned(r, space);
    Products sums = run.products(2);
    Products next = run.products(2);
    Variable pq = sums.get(0);
    Variable alpha = run.variable();
    Variable beta = run.variable();
    p.copy(z);
    while (true) {
      run.a.apply(p, q);
      run.dots(sums, p, q, p, r);
      if (run.broken(pq, "p·Ap")) {
        return;
      }
      if (run.ends(Condition.NEGATIVE, pq)) {
        run.breakdown("p·Ap is " + pq + ": the matrix is not positive definite");
        return;
      }
      Updates.conjugateStep(alpha.quotient(sums.get(1), pq), p, q, run.x, r);
      z = run.preconditioned(r, space);
      run.dots(next, r, r, q, z);
      if (run.stop(next.get(0))) {
        return;
      }
      p.axpby(Scalar.ONE, z, beta.quotient(next.get(1), pq).negated());
    }
  }
}
