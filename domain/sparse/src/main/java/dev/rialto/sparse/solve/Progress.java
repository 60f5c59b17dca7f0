package dev.rialto.sparse.solve;

import dev.rialto.sparse.solve.SolveResult.Reason;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The residuals of a solve so far, and why it ended. */
final class Progress {
  private final SolveOptions options;
  private double[] history = new double[64];
  private int iterations = -1;
  private boolean cancelled;
  private @Nullable Reason reason;
  private String detail = "";

  Progress(SolveOptions options) {
    this.options = options;
  }

  /** Returns how many iterations have ended; -1 before the residual of the initial guess. */
  int iterations() {
    return iterations;
  }

  /** Returns how many iterations there may still be. */
  int left() {
    return options.maxIterations() - iterations;
  }

  /** Returns whether this rank is asked to stop. */
  boolean wantsCancel() {
    return options.cancellation() != null && options.cancellation().isCancelled();
  }

  /** Takes note that a rank is asked to stop, which all have heard of. */
  void cancel() {
    cancelled = true;
  }

  /** Ends an iteration with its residual; returns whether to stop. */
  boolean judge(double residual) {
    record(residual);
    if (!Double.isFinite(residual)) {
      return breakdown("the residual is not finite");
    }
    if (residual <= options.tolerance()) {
      reason = Reason.CONVERGED;
    } else if (cancelled) {
      reason = Reason.CANCELLED;
    } else if (left() <= 0) {
      reason = Reason.ITERATION_LIMIT;
    }
    return reason != null;
  }

  private void record(double residual) {
    iterations++;
    if (iterations == history.length) {
      history = Arrays.copyOf(history, 2 * iterations);
    }
    history[iterations] = residual;
    if (options.monitor() != null) {
      options.monitor().iteration(iterations, residual);
    }
  }

  /** Replaces the last residual by that of b - Ax. */
  void correct(double residual) {
    history[iterations] = residual;
  }

  /** Says that the method cannot go on; returns true. */
  boolean breakdown(String what) {
    end(Reason.BREAKDOWN, what);
    return true;
  }

  void end(Reason why, String words) {
    reason = why;
    detail = words;
  }

  /** Lets it go on from a new start. */
  void resume() {
    reason = null;
    detail = "";
  }

  boolean endedBy(Reason why) {
    return reason == why;
  }

  /** Returns whether words say why it ended. */
  boolean isExplained() {
    return !detail.isEmpty();
  }

  SolveResult result(double trueResidual) {
    return new SolveResult(
        Objects.requireNonNull(reason),
        detail,
        iterations,
        history[iterations],
        Double.isNaN(trueResidual) ? Double.POSITIVE_INFINITY : trueResidual,
        Arrays.copyOf(history, iterations + 1));
  }
}
