package dev.rialto.sparse.solve;

import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.local.Scalar;

/**
 * Chronopoulos and Gear's form: all products of an iteration in one reduction and all updates in
 * one pass, for one more vector to read and write.
 */
final class SingleReductionConjugateGradients {
  private SingleReductionConjugateGradients() {}

  static void run(Run run) {
    if (ResidentConjugateGradients.run(run)) {
      return;
    }
    MultiVector r = run.r;
    MultiVector p = run.vector();
    MultiVector s = run.vector();
    MultiVector w = run.vector();
    MultiVector space = run.vector();
    MultiVector u = run.preconditioned(r, space);
    run.a.apply(u, w);
    Scalar[] sums = run.dots(r, u, w, u);
    Scalar gamma = sums[0];
    Scalar alpha = gamma.over(sums[1]);
    Scalar beta = Scalar.ZERO;
    Scalar delta = sums[1];
    while (true) {
      if (run.broken(delta, "p·Ap")) {
        return;
      }
      if (delta.re() < 0 || gamma.re() < 0) {
        run.breakdown("p·Ap is " + delta + ": matrix or preconditioner is not positive definite");
        return;
      }
      MultiVector.pipelinedStep(alpha, beta, u, w, p, s, run.x, r);
      u = run.preconditioned(r, space);
      run.a.apply(u, w);
      Scalar[] next = run.dots(r, u, w, u, r, r);
      if (run.stop(Math.sqrt(next[2].re()))) {
        return;
      }
      beta = next[0].over(gamma);
      gamma = next[0];
      delta = next[1].minus(beta.times(gamma).over(alpha));
      alpha = gamma.over(delta);
    }
  }
}
