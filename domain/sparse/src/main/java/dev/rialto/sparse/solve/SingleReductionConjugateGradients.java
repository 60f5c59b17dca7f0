package dev.rialto.sparse.solve;

import dev.rialto.array.Array;
import dev.rialto.sparse.Products;
import dev.rialto.sparse.Scalars.Condition;
import dev.rialto.sparse.Variable;

/**
 * Chronopoulos and Gear's form: all products of an iteration in one reduction and all updates in
 * one pass, for one more vector to read and write.
 */
final class SingleReductionConjugateGradients {
  private SingleReductionConjugateGradients() {}

  static void run(Solve run) {
    Array r = run.r;
    Array p = run.vector();
    Array s = run.vector();
    Array w = run.vector();
    Array u = run.preconditioned() ? run.vector() : r;
    Products sums = run.products(3);
    Variable rr = sums.get(0);
    Variable wu = sums.get(1);
    Variable next = run.preconditioned() ? sums.get(2) : rr;
    Variable alpha = run.variable();
    Variable beta = run.variable();
    Variable gamma = run.variable();
    Variable delta = run.variable();
    Variable less = run.variable();
    run.v.addDot(r, r, sums, 0);
    image(run, u, w, sums);
    gamma.set(next);
    delta.set(wu);
    alpha.quotient(gamma, delta);
    while (true) {
      if (run.broken(delta, "p·Ap")) {
        return;
      }
      if (run.ends(Condition.NEGATIVE, delta) || run.ends(Condition.NEGATIVE, gamma)) {
        run.breakdown("p·Ap is " + delta + ": matrix or preconditioner is not positive definite");
        return;
      }
      run.v.pipelinedStep(alpha, beta, u, w, p, s, run.x, r, sums, 0);
      image(run, u, w, sums);
      if (run.stop(rr)) {
        return;
      }
      beta.quotient(next, gamma);
      gamma.set(next);
      less.product(beta, gamma).quotient(less, alpha);
      delta.difference(wu, less);
      alpha.quotient(gamma, delta);
    }
  }

  /** Sets {@code u = M r} and {@code w = A u}, and takes the sums r·r, w·u and r·u. */
  private static void image(Solve run, Array u, Array w, Products sums) {
    Array r = run.r;
    if (!run.preconditioned()) {
      run.multiply(r, w);
      run.v.addDot(w, r, sums, 1);
      run.sum(sums, r, r, w, r);
      return;
    }
    run.precondition(r, u);
    run.multiply(u, w);
    run.v.addDot(w, u, sums, 1);
    run.v.addDot(r, u, sums, 2);
    run.sum(sums, r, r, w, u, r, u);
  }
}
