package dev.rialto.sparse.solve;

import java.util.Locale;

/**
 * The outcome of a solve; the same on all ranks.
 *
 * @param reason why it stopped
 * @param detail what broke down or keeps the residual up, in words; empty otherwise
 * @param iterations how many iterations were done
 * @param residual what the stopping rule measures in the end, of b - Ax computed anew
 * @param trueResidual |b - A x| / |b|, computed anew at the end; infinite if x is not finite
 * @param history the residual of the initial guess and after each iteration, as the method computes
 *     it; where a method ends or starts anew, of b - Ax
 */
@SuppressWarnings("ArrayRecordComponent") // histories are never compared
public record SolveResult(
    Reason reason,
    String detail,
    int iterations,
    double residual,
    double trueResidual,
    double[] history) {

  /** The reasons for which a solver stops. */
  public enum Reason {
    /** The tolerance is reached, by b - Ax computed anew. */
    CONVERGED,
    /** It is not reached within the iterations allowed. */
    ITERATION_LIMIT,
    /**
     * Rounding keeps b - Ax above the tolerance: x is about as good as its type allows, and {@link
     * SolveResult#residual} says how good that is.
     */
    STAGNATED,
    /**
     * The solution is too large or too small for the element type: x is infinite or 0, or has lost
     * digits.
     */
    OUT_OF_RANGE,
    /** The method cannot go on, or a number is not finite; x may be of no use. */
    BREAKDOWN,
    /** The caller asked for it. */
    CANCELLED
  }

  /** Returns whether the tolerance was reached. */
  public boolean converged() {
    return reason == Reason.CONVERGED;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s after %d iterations, residual %.6g%s",
        reason,
        iterations,
        residual,
        detail.isEmpty() ? "" : ": " + detail);
  }
}
