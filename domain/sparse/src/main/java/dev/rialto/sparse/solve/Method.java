package dev.rialto.sparse.solve;

import dev.rialto.array.Array;
import dev.rialto.array.Team;
import dev.rialto.sparse.DenseArray;
import dev.rialto.sparse.LinearOperator;
import dev.rialto.sparse.precond.Preconditioner;

/**
 * The Krylov methods.
 *
 * {@snippet :
 * SolveResult result = Method.CG.solve(a, Preconditioner.NONE, b, x, SolveOptions.standard());
 * }
 */
public enum Method {
  /** Conjugate gradients: Hermitian positive definite matrices. */
  CG(ConjugateGradients::run),
  /** Conjugate gradients for preconditioners that change from one application to the next. */
  FCG(FlexibleConjugateGradients::run),
  /** Conjugate gradients with one reduction per iteration: for many ranks. */
  CG1(SingleReductionConjugateGradients::run),
  /** Conjugate gradients squared: any matrix; fast or erratic. */
  CGS(ConjugateGradientsSquared::run),
  /** Biconjugate gradients: any matrix whose adjoint can be applied. */
  BICG(BiconjugateGradients::run),
  /** Stabilized biconjugate gradients: any matrix. */
  BICGSTAB(StabilizedBiconjugateGradients::run),
  /** The same with stabilizing polynomials of higher degree. */
  BICGSTABL(BiCgStabL::run),
  /** Restarted generalized minimal residuals: any matrix, the most robust. */
  GMRES(Gmres::run),
  /** Generalized conjugate residuals: any matrix, with a preconditioner that may change. */
  GCR(Gcr::run),
  /** Richardson's iteration: the preconditioner applied over and over. */
  RICHARDSON(Richardson::run);

  /** A method's loop. */
  @FunctionalInterface
  interface Iteration {
    /** Iterates until the run says stop or breaks down. */
    void run(Solve run);
  }

  @SuppressWarnings("ImmutableEnumChecker") // a method reference holds nothing
  private final Iteration iteration;

  Method(Iteration iteration) {
    this.iteration = iteration;
  }

  /**
   * Solves {@code A x = b}. Collective.
   *
   * @param m an approximate inverse of A
   * @param b the right-hand side, an array that is divided as the rows are; its elements in
   *     row-major order are the vector
   * @param x the initial guess; afterwards the solution, or the last iterate
   * @return how it went: check {@link SolveResult#converged}
   * @throws IllegalArgumentException if b or x do not fit the operator, or are the same
   * @throws dev.rialto.spi.error.MismatchException if ranks call other methods or give other
   *     options
   */
  public SolveResult solve(
      LinearOperator a, Preconditioner m, Array b, Array x, SolveOptions options) {
    check(a, b, "b");
    check(a, x, "x");
    if (x.overlaps(b)) {
      throw new IllegalArgumentException(
          "%s and %s are the same memory; give an array of its own for x".formatted(b, x));
    }
    try (Team.Step _ = x.team().step("a solve")) {
      a.map().agree("a solve", this + " with " + options.numbers());
      DenseArray right = DenseArray.of(b);
      DenseArray solution = DenseArray.of(x);
      SolveResult result;
      try (Solve run = new Solve(a, m, right.array(), solution.array(), options)) {
        result = new Restarts(run).solve(iteration);
        run.closeArrays();
      }
      solution.bringBack();
      solution.end();
      right.end();
      return result;
    }
  }

  private static void check(LinearOperator a, Array vector, String name) {
    int width = a.map().width(vector, a.type());
    if (width != 1) {
      throw new IllegalArgumentException(
          "%s is %d vectors; solve for one right-hand side at a time".formatted(name, width));
    }
  }
}
