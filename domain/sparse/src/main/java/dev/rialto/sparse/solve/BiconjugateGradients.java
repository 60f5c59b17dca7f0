package dev.rialto.sparse.solve;

import dev.rialto.array.Array;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;

/** Fletcher's method: the adjoint system is iterated along. */
final class BiconjugateGradients {
  private BiconjugateGradients() {}

  static void run(Solve run) {
    Array r = run.r;
    Array shadow = run.v.copy(r, run.vector());
    Array p = run.vector();
    Array pShadow = run.vector();
    Array q = run.vector();
    Array z = run.vector();
    Array zShadow = run.vector();
    Scalar before = Scalar.ONE;
    Scalar[] sums = new Scalar[0];
    for (boolean first = true; ; first = false) {
      run.precondition(r, z);
      run.precondition(Op.ADJOINT, shadow, zShadow);
      Scalar rho = run.dot(shadow, z);
      if (run.broken(rho, "the product with the shadow residual")) {
        return;
      }
      Scalar beta = first ? Scalar.ZERO : rho.over(before);
      before = rho;
      run.v.axpby(Scalar.ONE, z, beta, p);
      run.v.axpby(Scalar.ONE, zShadow, beta.conjugate(), pShadow);
      run.multiply(p, q);
      Scalar sigma = run.dot(pShadow, q);
      if (run.broken(sigma, "the product of the shadow direction with Ap")) {
        return;
      }
      Scalar alpha = rho.over(sigma);
      run.v.axpby(alpha, p, Scalar.ONE, run.x);
      run.v.axpby(alpha.negated(), q, Scalar.ONE, r);
      run.v.apply(run.a, Op.ADJOINT, alpha.conjugate().negated(), pShadow, Scalar.ONE, shadow);
      sums = run.dots(r, r);
      if (run.stop(Math.sqrt(sums[0].re()))) {
        return;
      }
    }
  }
}
