package dev.rialto.sparse.solve;

import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.Products;
import dev.rialto.sparse.Scalars.Condition;
import dev.rialto.sparse.Updates;
import dev.rialto.sparse.Variable;

/**
 * Chronopoulos and Gear's form: all products of an iteration in one reduction and all updates in
 * one pass, for one more vector to read and write.
 */
final class SingleReductionConjugateGradients {
  private SingleReductionConjugateGradients() {}

  static void run(Solve run) {
    MultiVector r = run.r;
    MultiVector p = run.vector();
    MultiVector s = run.vector();
    MultiVector w = run.vector();
    MultiVector u = run.preconditioned() ? run.vector() : r;
    Products sums = run.products(3);
    Variable rr = sums.get(0);
    Variable wu = sums.get(1);
    Variable next = run.preconditioned() ? sums.get(2) : rr;
    Variable alpha = run.variable();
    Variable beta = run.variable();
    Variable gamma = run.variable();
    Variable delta = run.variable();
    Variable less = run.variable();
    r.addDot(r, sums, 0);
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
      Updates.pipelinedStep(alpha, beta, u, w, p, s, run.x, r, sums, 0);
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
  private static void image(Solve run, MultiVector u, MultiVector w, Products sums) {
    MultiVector r = run.r;
    if (!run.preconditioned()) {
      run.a.apply(r, w);
      w.addDot(r, sums, 1);
      run.sum(sums, r, r, w, r);
      return;
    }
    run.precondition(r, u);
    run.a.apply(u, w);
    w.addDot(u, sums, 1);
    r.addDot(u, sums, 2);
    run.sum(sums, r, r, w, u, r, u);
  }
}
