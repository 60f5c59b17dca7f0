package dev.rialto.sparse.solve;

import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.local.Scalar;

/** Corrects x by the preconditioned residual, over and over: the smoother of the others. */
final class Richardson {
  private Richardson() {}

  static void run(Run run) {
    Scalar omega = Scalar.of(run.options.relaxation());
    MultiVector space = run.vector();
    while (true) {
      run.x.axpby(omega, run.preconditioned(run.r, space), Scalar.ONE);
      run.residual();
      if (run.stop(Math.sqrt(run.dot(run.r, run.r).re()))) {
        return;
      }
    }
  }
}
