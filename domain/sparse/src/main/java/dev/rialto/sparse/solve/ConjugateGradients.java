package dev.rialto.sparse.solve;

import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.local.Scalar;

/**
 * Hestenes and Stiefel's method. An iteration reads and writes 64 bytes per row besides the
 * product: that computes p·Ap as it goes, one pass updates r and sums r·r, another updates x and p.
 * So x is one step behind while the residual is judged, and p is read once for both of its uses.
 */
final class ConjugateGradients {
  private ConjugateGradients() {}

  static void run(Run run) {
    if (ResidentConjugateGradients.run(run)) {
      return;
    }
    MultiVector r = run.r;
    MultiVector p = run.vector();
    MultiVector q = run.vector();
    MultiVector z = run.preconditioned() ? run.vector() : r;
    double[] parts = new double[4];
    Scalar rz = start(run, z, parts);
    p.copy(z);
    while (true) {
      if (rz.re() <= 0 && run.preconditioned()) {
        run.breakdown("r·Mr is " + rz + ": the preconditioner is not positive definite");
        return;
      }
      double[] dot = new double[2];
      run.a.applyDot(p, q, dot);
      Scalar pq = run.exact() ? run.dot(p, q) : run.sum(dot)[0];
      if (run.broken(pq, "p·Ap")) {
        return;
      }
      if (pq.re() < 0) {
        run.breakdown("p·Ap is " + pq + ": the matrix is not positive definite");
        return;
      }
      Scalar alpha = rz.over(pq);
      java.util.Arrays.fill(parts, 0);
      r.subtractDot(alpha, q, parts, 0);
      if (run.preconditioned()) {
        run.m.applyDot(r, z, parts, 2);
      }
      Scalar[] sums = exact(run, z, parts);
      if (run.judgesSolution()) {
        run.x.axpby(alpha, p, Scalar.ONE);
        alpha = Scalar.ZERO;
      }
      if (run.stop(Math.sqrt(sums[0].re()))) {
        run.x.axpby(alpha, p, Scalar.ONE);
        return;
      }
      Scalar next = run.preconditioned() ? sums[1] : sums[0];
      MultiVector.nextDirection(alpha, run.x, z, next.over(rz), p);
      rz = next;
    }
  }

  private static Scalar start(Run run, MultiVector z, double[] parts) {
    if (run.preconditioned()) {
      run.m.applyDot(run.r, z, parts, 2);
    } else {
      run.r.addDot(run.r, parts, 2);
    }
    return exact(run, z, parts)[1];
  }

  /** Returns r·r and r·z, from the parts or, where sums are to be exact, anew. */
  private static Scalar[] exact(Run run, MultiVector z, double[] parts) {
    return run.exact() ? run.dots(run.r, run.r, run.r, z) : run.sum(parts);
  }
}
