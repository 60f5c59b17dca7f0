package dev.rialto.sparse.solve;

import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.local.Scalar;

/** Notay's method: each direction is made orthogonal to the last one explicitly. */
final class FlexibleConjugateGradients {
  private FlexibleConjugateGradients() {}

  static void run(Run run) {
    MultiVector r = run.r;
    MultiVector p = run.vector();
    MultiVector q = run.vector();
    MultiVector space = run.vector();
    MultiVector z = run.preconditioned(r, space);
    p.copy(z);
    while (true) {
      run.a.apply(p, q);
      Scalar[] sums = run.dots(p, q, p, r);
      Scalar pq = sums[0];
      if (run.broken(pq, "p·Ap")) {
        return;
      }
      if (pq.re() < 0) {
        run.breakdown("p·Ap is " + pq + ": the matrix is not positive definite");
        return;
      }
      MultiVector.conjugateStep(sums[1].over(pq), p, q, run.x, r, new double[2], 0);
      z = run.preconditioned(r, space);
      Scalar[] next = run.dots(r, r, q, z);
      if (run.stop(Math.sqrt(next[0].re()))) {
        return;
      }
      p.axpby(Scalar.ONE, z, next[1].over(pq).negated());
    }
  }
}
