package dev.rialto.sparse.solve;

import dev.rialto.array.Array;
import dev.rialto.sparse.LinearOperator;
import dev.rialto.sparse.MultiVector;
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
    if (x.overlaps(b)) {
      throw new IllegalArgumentException(
          "%s and %s are the same memory; give an array of its own for x".formatted(b, x));
    }
    return x.team()
        .exclusively(
            "a solve",
            () -> {
              try (MultiVector right = a.view(b, false);
                  MultiVector solution = a.view(x, true)) {
                return solve(a, m, right, solution, options);
              }
            });
  }

  /** Solves {@code A x = b} with vectors of the operator's map; see the other. Collective. */
  public SolveResult solve(
      LinearOperator a, Preconditioner m, MultiVector b, MultiVector x, SolveOptions options) {
    check(a, b, "b");
    check(a, x, "x");
    if (x == b) {
      throw new IllegalArgumentException("b and x are the same vector; give two");
    }
    a.map().agree("a solve", this + " with " + options.numbers());
    try (Solve run = new Solve(a, m, b, x, options)) {
      SolveResult result = run.solve(iteration);
      run.deliver(x);
      return result;
    }
  }

  private static void check(LinearOperator a, MultiVector vector, String name) {
    if (vector.width() != 1) {
      throw new IllegalArgumentException(
          "%s is %d vectors; solve for one right-hand side at a time"
              .formatted(name, vector.width()));
    }
    if (vector.type() != a.type() || !a.map().sameOwners(vector.map())) {
      throw new IllegalArgumentException(
          "%s is a vector of %s on %s; make it on the operator's map, %s, of %s"
              .formatted(name, vector.type(), vector.map(), a.map(), a.type()));
    }
    if (vector.map().isReproducible() && !a.map().isReproducible()) {
      throw new IllegalArgumentException(
          "the map of %s asks for reproducible results and the operator's does not; ask the "
                  .formatted(name)
              + "operator's map");
    }
  }
}
