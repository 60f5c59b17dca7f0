package dev.rialto.sparse.solve;

import dev.rialto.array.Array;
import dev.rialto.sparse.Products;
import dev.rialto.sparse.Variable;
import dev.rialto.sparse.local.Scalar;

/** Corrects x by the preconditioned residual, over and over: the smoother of the others. */
final class Richardson {
  private Richardson() {}

  static void run(Solve run) {
    Variable omega = run.variable().set(Scalar.of(run.options.relaxation()));
    Products square = run.products(1);
    Array space = run.vector();
    while (true) {
      run.v.axpby(omega, run.preconditioned(run.r, space), Scalar.ONE, run.x);
      run.residual();
      run.dots(square, run.r, run.r);
      if (run.stop(square.get(0))) {
        return;
      }
    }
  }
}
