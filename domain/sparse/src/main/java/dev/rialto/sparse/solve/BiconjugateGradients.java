package dev.rialto.sparse.solve;

import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;

/** Fletcher's method: the adjoint system is iterated along. */
final class BiconjugateGradients {
  private BiconjugateGradients() {}

  static void run(Solve run) {
    MultiVector r = run.r;
    MultiVector shadow = run.vector().copy(r);
    MultiVector p = run.vector();
    MultiVector pShadow = run.vector();
    MultiVector q = run.vector();
    MultiVector z = run.vector();
    MultiVector zShadow = run.vector();
    Scalar before = Scalar.ONE;
    Scalar[] sums = new Scalar[0];
    for (boolean first = true; ; first = false) {
      run.m.apply(Op.NONE, r, z);
      run.m.apply(Op.ADJOINT, shadow, zShadow);
      Scalar rho = run.dot(shadow, z);
      if (run.broken(rho, "the product with the shadow residual")) {
        return;
      }
      Scalar beta = first ? Scalar.ZERO : rho.over(before);
      before = rho;
      p.axpby(Scalar.ONE, z, beta);
      pShadow.axpby(Scalar.ONE, zShadow, beta.conjugate());
      run.a.apply(p, q);
      Scalar sigma = run.dot(pShadow, q);
      if (run.broken(sigma, "the product of the shadow direction with Ap")) {
        return;
      }
      Scalar alpha = rho.over(sigma);
      run.x.axpby(alpha, p, Scalar.ONE);
      r.axpby(alpha.negated(), q, Scalar.ONE);
      run.a.apply(Op.ADJOINT, alpha.conjugate().negated(), pShadow, Scalar.ONE, shadow);
      sums = run.dots(r, r);
      if (run.stop(Math.sqrt(sums[0].re()))) {
        return;
      }
    }
  }
}
