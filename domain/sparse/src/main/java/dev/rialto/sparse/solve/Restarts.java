package dev.rialto.sparse.solve;

import dev.rialto.array.Array;
import dev.rialto.sparse.Vectors;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.solve.SolveResult.Reason;
import dev.rialto.spi.data.DType;
import org.jspecify.annotations.Nullable;

/**
 * Runs a method until what it claims is true, or cannot be made so.
 *
 * <p>A method's own residual drifts away from b - Ax by rounding, so what a method claims is
 * checked against b - Ax. If that is too large the method starts anew from it, and so it does after
 * a breakdown, as long as each start at least halves b - Ax. A system whose squares would not be
 * numbers is scaled before and its solution scaled back.
 */
final class Restarts {
  /** Residuals outside of 1 over this and this are scaled, so that their squares are numbers. */
  private static final double LARGE = 0x1p200;

  /** A residual this many roundings large is due to them. */
  private static final double ROUNDINGS = 1000;

  private final Solve run;
  private final Vectors v;
  private final Progress progress;

  /** Whether the method found its own residual small enough, when it last ended. */
  private boolean claimed;

  Restarts(Solve run) {
    this.run = run;
    this.v = run.v;
    this.progress = run.progress;
  }

  /** Runs a method to its end. */
  SolveResult solve(Method.Iteration method) {
    double largest = v.normInf(run.b);
    if (largest == 0) {
      v.fill(run.x, Scalar.ZERO);
      progress.judge(0);
      return progress.result(0);
    }
    run.residual();
    int power = scaleSystem(largest);
    double norm = v.norm2(run.b);
    double initial = v.norm2(run.r);
    run.measureBy(norm, initial);
    double last = run.stop(initial) ? initial : iterate(method, initial);
    if (power != 0) {
      last = unscale(power);
    }
    explainRange(largest);
    return progress.result(last / norm);
  }

  /** Multiplies b and x by a power of 2 if their squares would not be numbers; returns which. */
  private int scaleSystem(double largest) {
    double size = Math.max(largest, v.normInf(run.r));
    if (!Double.isFinite(size) || (size <= LARGE && size >= 1 / LARGE)) {
      return 0;
    }
    int power = -Math.getExponent(size);
    Scalar factor = Scalar.of(Math.scalb(1.0, power));
    run.b = v.axpby(factor, v.copy(run.b, run.r), Scalar.ZERO, run.keep());
    v.scale(factor, run.x);
    run.residual();
    return power;
  }

  /**
   * Multiplies x back, where it may become infinite, or lose digits or all of them; returns the
   * norm of b - Ax for what is left of it.
   */
  private double unscale(int power) {
    boolean finite = Double.isFinite(v.normInf(run.x));
    Scalar back = Scalar.of(Math.scalb(1.0, -power));
    v.scale(back, run.x);
    v.scale(Scalar.of(Math.scalb(1.0, power)), run.x);
    run.residual();
    v.scale(back, run.x);
    double norm = v.norm2(run.r);
    double measured = run.measure(norm);
    progress.correct(measured);
    boolean lost = progress.endedBy(Reason.CONVERGED) && !(measured <= run.options.tolerance());
    if (lost || (finite && !Double.isFinite(v.normInf(run.x)))) {
      progress.end(Reason.OUT_OF_RANGE, "");
    }
    return norm;
  }

  /**
   * Explains an end that is due to a solution too large or too small for its type.
   *
   * @param largest of the right-hand side
   */
  private void explainRange(double largest) {
    if (progress.endedBy(Reason.CONVERGED)
        || progress.endedBy(Reason.CANCELLED)
        || !Double.isFinite(largest)) {
      return;
    }
    NumberRange range = NumberRange.of(run.a.type());
    double size = v.normInf(run.x);
    double order = Math.log10(largest) - Math.log10(knownNorm());
    if (progress.endedBy(Reason.OUT_OF_RANGE)
        || range.excludes(size, order)
        || (claimed && !Double.isNaN(size) && !range.holds(size))) {
      progress.end(Reason.OUT_OF_RANGE, range.lacks(size, order));
    }
  }

  /** Returns the norm of the operator; NaN if it does not know it. */
  private double knownNorm() {
    try {
      return run.a.normInf();
    } catch (UnsupportedOperationException e) {
      return Double.NaN;
    }
  }

  /** Runs a method, again and again as long as that helps; returns the norm of b - Ax. */
  private double iterate(Method.Iteration method, double initial) {
    double before = initial;
    @Nullable Array best = null;
    while (true) {
      method.run(run);
      claimed = progress.endedBy(Reason.CONVERGED);
      run.forget();
      run.residual();
      double norm = v.norm2(run.r);
      if (best != null && !(norm <= before)) {
        v.copy(best, run.x);
        run.residual();
        norm = v.norm2(run.r);
      }
      double measured = run.measure(norm);
      progress.correct(measured);
      if (measured <= run.options.tolerance()) {
        progress.end(Reason.CONVERGED, "");
        return norm;
      }
      boolean limited =
          progress.endedBy(Reason.ITERATION_LIMIT) || progress.endedBy(Reason.CANCELLED);
      if (limited || !Double.isFinite(measured)) {
        if (!limited && !progress.isExplained()) {
          progress.breakdown("the residual is not finite");
        }
        return norm;
      }
      if (!(norm <= before / 2)) {
        if (claimed || isRounding()) {
          stagnated(measured);
        }
        return norm;
      }
      if (progress.left() <= 0) {
        progress.end(Reason.ITERATION_LIMIT, "");
        return norm;
      }
      best = best == null ? run.keep() : best;
      v.copy(run.x, best);
      before = norm;
      progress.resume();
    }
  }

  private void stagnated(double measured) {
    progress.end(
        Reason.STAGNATED,
        "rounding in %s keeps b - Ax at %.3g; ask for no less, or solve in a longer type"
            .formatted(run.a.type(), measured));
  }

  /** Returns whether b - Ax, which is in r, is no more than what rounding makes of it. */
  private boolean isRounding() {
    boolean single = run.a.type() == DType.F32 || run.a.type() == DType.C64;
    double norm = knownNorm();
    double size = v.normInf(run.b);
    // Where the norm is not known, Ax is about b.
    size += Double.isNaN(norm) ? size : norm * v.normInf(run.x);
    return v.normInf(run.r) <= ROUNDINGS * (single ? 0x1p-24 : 0x1p-53) * size;
  }
}
