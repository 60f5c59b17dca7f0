package dev.rialto.sparse.solve;

import dev.rialto.sparse.LinearOperator;
import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One solve under way: the system, the vectors a method works with, and the decision to stop.
 *
 * <p>All ranks must decide alike, so every decision rests on numbers that were reduced over the
 * ranks; a wish to cancel travels with them instead of in a message of its own.
 */
final class Run implements AutoCloseable {
  final LinearOperator a;
  final Preconditioner m;
  final MultiVector b;
  final MultiVector x;
  final SolveOptions options;

  /** The residual; methods keep it up to date. */
  final MultiVector r;

  private final List<MultiVector> vectors = new ArrayList<>();
  private double[] history = new double[64];
  private int iterations = -1;
  private double scale;
  private double offset;
  private boolean cancelled;
  private SolveResult.@Nullable Reason reason;
  private String detail = "";

  Run(LinearOperator a, Preconditioner m, MultiVector b, MultiVector x, SolveOptions options) {
    this.a = a;
    this.m = m;
    this.b = b;
    this.x = x;
    this.options = options;
    this.r = vector();
    a.map().reproducible(b.map().isReproducible());
  }

  /** Makes a vector of zeros that lives as long as the run. */
  MultiVector vector() {
    MultiVector made = a.vector();
    vectors.add(made);
    return made;
  }

  boolean preconditioned() {
    return !m.equals(Preconditioner.NONE);
  }

  /** Sets {@code z = M r}. */
  void precondition(MultiVector in, MultiVector out) {
    m.apply(Op.NONE, in, out);
  }

  /** Returns {@code M in}, in a vector of its own only if there is a preconditioner. */
  MultiVector preconditioned(MultiVector in, MultiVector out) {
    if (!preconditioned()) {
      return in;
    }
    precondition(in, out);
    return out;
  }

  /** Runs a method to its end. */
  SolveResult solve(Method.Iteration method) {
    double norm = b.norm2();
    if (norm == 0) {
      x.fill(Scalar.ZERO);
      record(0);
      reason = SolveResult.Reason.CONVERGED;
      return result(0);
    }
    residual();
    double initial = r.norm2();
    switch (options.rule()) {
      case RIGHT_HAND_SIDE -> scale = norm;
      case INITIAL_RESIDUAL -> scale = initial;
      case BACKWARD_ERROR -> {
        scale = a.normInf();
        offset = b.normInf();
      }
    }
    if (!stop(initial)) {
      method.run(this);
    }
    residual();
    double last = r.norm2();
    double measured = judgesSolution() ? 0 : last / scale;
    if (reason == SolveResult.Reason.CONVERGED && !(measured <= farOff())) {
      breakdown("the method's residual has lost touch with b - Ax, which is " + last + " long");
    }
    return result(last / norm);
  }

  /** Returns what rounding cannot explain: a residual this large is no convergence. */
  private double farOff() {
    boolean single = a.type() == DType.F32 || a.type() == DType.C64;
    return 1000 * options.tolerance() + (single ? 1e-3 : 1e-10);
  }

  /** Sets {@code r = b - A x}. */
  void residual() {
    r.copy(b);
    a.apply(Op.NONE, Scalar.of(-1), x, Scalar.ONE, r);
  }

  private SolveResult result(double trueResidual) {
    return new SolveResult(
        Objects.requireNonNull(reason),
        detail,
        iterations,
        history[iterations],
        Double.isNaN(trueResidual) ? Double.POSITIVE_INFINITY : trueResidual,
        Arrays.copyOf(history, iterations + 1));
  }

  /** Returns products with one reduction, along with the wish of any rank to cancel. */
  Scalar[] dots(MultiVector... pairs) {
    if (exact()) {
      sum(new double[0]);
      return MultiVector.dots(pairs);
    }
    double[] parts = new double[pairs.length];
    for (int i = 0; i < pairs.length; i += 2) {
      pairs[i].addDot(pairs[i + 1], parts, i);
    }
    return sum(parts);
  }

  Scalar dot(MultiVector left, MultiVector right) {
    return dots(left, right)[0];
  }

  /** Returns whether sums are to be the same on any number of ranks. */
  boolean exact() {
    return b.map().isReproducible();
  }

  /** Adds parts of products over the ranks: pairs of real and imaginary parts. */
  Scalar[] sum(double[] parts) {
    double[] all = Arrays.copyOf(parts, parts.length + 1);
    if (options.cancellation() != null && options.cancellation().isCancelled()) {
      all[parts.length] = 1;
    }
    b.sumOverRanks(all);
    cancelled |= all[parts.length] > 0;
    Scalar[] sums = new Scalar[parts.length / 2];
    Arrays.setAll(sums, i -> new Scalar(all[2 * i], all[2 * i + 1]));
    return sums;
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

  /** Returns whether stopping depends on x, so that it must be up to date. */
  boolean judgesSolution() {
    return options.rule() == StoppingRule.BACKWARD_ERROR;
  }

  /** Returns the norm of the residual to reach. */
  double goal() {
    return options.tolerance() * scale;
  }

  /** Says that the residual is what it should be; returns true. */
  boolean converged() {
    reason = SolveResult.Reason.CONVERGED;
    return true;
  }

  /**
   * Ends an iteration with the norm of its residual and returns whether to stop.
   *
   * @param norm |r|, the same on all ranks
   */
  boolean stop(double norm) {
    double residual =
        judgesSolution()
            ? r.normInf() / (scale * x.normInf() + offset)
            : scale == 0 ? 0 : norm / scale;
    record(residual);
    if (!Double.isFinite(residual)) {
      return breakdown("the residual is not finite");
    }
    if (residual <= options.tolerance()) {
      reason = SolveResult.Reason.CONVERGED;
    } else if (cancelled) {
      reason = SolveResult.Reason.CANCELLED;
    } else if (iterations >= options.maxIterations()) {
      reason = SolveResult.Reason.ITERATION_LIMIT;
    }
    return reason != null;
  }

  /** Says that the method cannot go on. */
  boolean breakdown(String what) {
    reason = SolveResult.Reason.BREAKDOWN;
    detail = what;
    return true;
  }

  /** Says so if a number that will be divided by is 0 or not finite. */
  boolean broken(Scalar divisor, String name) {
    return (divisor.isZero() || !divisor.isFinite())
        && breakdown(name + " is " + divisor + " after iteration " + iterations);
  }

  @Override
  public void close() {
    vectors.forEach(MultiVector::close);
  }
}
