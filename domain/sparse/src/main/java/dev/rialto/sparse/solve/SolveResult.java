package dev.rialto.sparse.solve;

import java.util.Locale;

/**
 * How a solve ended; the same on all ranks.
 *
 * @param reason why it stopped
 * @param detail what broke down, in words; empty otherwise
 * @param iterations how many iterations were done
 * @param residual the last residual, as the stopping rule measures it and as the method computes it
 * @param trueResidual |b - A x| / |b|, computed anew at the end; infinite if x is not finite
 * @param history the residual of the initial guess and after each iteration
 */
@SuppressWarnings("ArrayRecordComponent") // histories are compared by nobody
public record SolveResult(
    Reason reason,
    String detail,
    int iterations,
    double residual,
    double trueResidual,
    double[] history) {

  /** Why a solver stops. */
  public enum Reason {
    /** The tolerance is reached. */
    CONVERGED,
    /** It is not reached within the iterations allowed. */
    ITERATION_LIMIT,
    /** The method cannot go on, or a number is not finite; x may be of no use. */
    BREAKDOWN,
    /** Somebody asked for it. */
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
