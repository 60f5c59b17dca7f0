package dev.rialto.sparse.solve;

import dev.rialto.array.Array;
import dev.rialto.sparse.Products;
import dev.rialto.sparse.Scalars.Condition;
import dev.rialto.sparse.Variable;
import dev.rialto.sparse.local.Scalar;

/**
 * Hestenes and Stiefel's method. An iteration reads and writes 64 bytes per row besides the
 * product: that computes p·Ap as it goes, one pass updates r and sums r·r, another updates x and p.
 * So x is one step behind while the residual is judged, and p is read once for both of its uses.
 */
final class ConjugateGradients {
  private ConjugateGradients() {}

  static void run(Solve run) {
    Array r = run.r;
    Array p = run.vector();
    Array q = run.vector();
    Array z = run.preconditioned() ? run.vector() : r;
    Products image = run.products(1);
    Products sums = run.products(2);
    Variable pq = image.get(0);
    Variable rr = sums.get(0);
    Variable next = run.preconditioned() ? sums.get(1) : rr;
    Variable rz = run.variable();
    Variable alpha = run.variable();
    Variable beta = run.variable();
    Variable zero = run.variable();
    start(run, z, sums);
    rz.set(sums.get(1));
    run.v.copy(z, p);
    while (true) {
      if (run.preconditioned() && run.ends(Condition.NOT_POSITIVE, rz)) {
        run.breakdown("r·Mr is " + rz + ": the preconditioner is not positive definite");
        return;
      }
      run.a.multiplyDot(p, q, run.v, image, 0);
      run.sum(image, p, q);
      if (run.broken(pq, "p·Ap")) {
        return;
      }
      if (run.ends(Condition.NEGATIVE, pq)) {
        run.breakdown("p·Ap is " + pq + ": the matrix is not positive definite");
        return;
      }
      alpha.quotient(rz, pq);
      run.v.subtractDot(alpha, q, r, sums, 0);
      if (run.preconditioned()) {
        run.preconditionDot(r, z, sums, 1);
      }
      run.sum(sums, r, r, r, z);
      if (run.judgesSolution()) {
        run.v.axpby(alpha, p, Scalar.ONE, run.x);
        alpha.set(zero);
      }
      if (run.stop(rr)) {
        run.v.axpby(alpha, p, Scalar.ONE, run.x);
        return;
      }
      beta.quotient(next, rz);
      run.v.nextDirection(alpha, run.x, z, beta, p);
      rz.set(next);
    }
  }

  private static void start(Solve run, Array z, Products sums) {
    if (run.preconditioned()) {
      run.preconditionDot(run.r, z, sums, 1);
    } else {
      run.v.addDot(run.r, run.r, sums, 1);
    }
    run.sum(sums, run.r, run.r, run.r, z);
  }
}
