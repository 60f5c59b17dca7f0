package dev.rialto.sparse.solve;

import dev.rialto.sparse.LinearOperator;
import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.Products;
import dev.rialto.sparse.Scalars;
import dev.rialto.sparse.Scalars.Condition;
import dev.rialto.sparse.Variable;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.solve.SolveResult.Reason;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One solve under way: the system, the vectors a method works with, and the decision to stop.
 *
 * <p>A method's own residual drifts away from b - Ax by rounding, so what a method claims is
 * checked against b - Ax. If that is too large the method starts anew from it, and so it does after
 * a breakdown, as long as each start at least halves b - Ax.
 *
 * <p>All ranks must decide alike, so every decision rests on numbers that were reduced over the
 * ranks; a wish to cancel travels with them instead of in a message of its own.
 */
final class Solve implements Scalars.Judge, AutoCloseable {
  /** Residuals outside of 1 over this and this are scaled, so that their squares are numbers. */
  private static final double LARGE = 0x1p200;

  /** A residual this many roundings large is due to them. */
  private static final double ROUNDINGS = 1000;

  final LinearOperator a;
  final Preconditioner m;
  final MultiVector x;
  final SolveOptions options;

  /** The residual; methods keep it up to date. */
  final MultiVector r;

  private final Progress progress;
  private final Scalars scalars;
  private final Map<Integer, Products> answers = new HashMap<>();
  private final List<MultiVector> kept = new ArrayList<>();
  private final List<MultiVector> vectors = new ArrayList<>();
  private int used;
  private MultiVector b;
  private double scale;
  private double offset;
  private double solutionSize;

  Solve(LinearOperator a, Preconditioner m, MultiVector b, MultiVector x, SolveOptions options) {
    this.a = a;
    this.m = m;
    this.b = b;
    this.options = options;
    this.progress = new Progress(options);
    this.r = keep(a.vector());
    this.scalars = Scalars.where(r);
    this.x = x.map() == a.map() ? x : keep(a.vector()).copy(x);
  }

  private MultiVector keep(MultiVector made) {
    kept.add(made);
    return made;
  }

  /** Returns a vector of zeros that lives until the method ends. */
  MultiVector vector() {
    if (used < vectors.size()) {
      return vectors.get(used++).fill(Scalar.ZERO);
    }
    MultiVector made = a.vector();
    vectors.add(made);
    used++;
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
    if (b.normInf() == 0) {
      x.fill(Scalar.ZERO);
      progress.judge(0);
      return progress.result(0);
    }
    residual();
    int power = scaleSystem();
    double norm = r.copy(b).norm2();
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
    double last = stop(initial) ? initial : iterate(method, initial);
    if (power != 0) {
      x.scale(Scalar.of(Math.scalb(1.0, -power)));
    }
    return progress.result(last / norm);
  }

  /** Multiplies b and x by a power of 2 if their squares would not be numbers; returns which. */
  private int scaleSystem() {
    double size = Math.max(b.normInf(), r.normInf());
    if (!Double.isFinite(size) || (size <= LARGE && size >= 1 / LARGE)) {
      return 0;
    }
    int power = -Math.getExponent(size);
    Scalar factor = Scalar.of(Math.scalb(1.0, power));
    b = keep(a.vector()).axpby(factor, r.copy(b), Scalar.ZERO);
    x.scale(factor);
    return power;
  }

  /** Runs a method, again and again as long as that helps; returns the norm of b - Ax. */
  private double iterate(Method.Iteration method, double initial) {
    double before = initial;
    @Nullable MultiVector best = null;
    while (true) {
      method.run(this);
      scalars.restart();
      answers.clear();
      residual();
      double norm = r.norm2();
      if (best != null && !(norm <= before)) {
        x.copy(best);
        residual();
        norm = r.norm2();
      }
      double measured = measure(norm);
      progress.correct(measured);
      if (measured <= options.tolerance()) {
        progress.end(Reason.CONVERGED, "");
        return norm;
      }
      boolean limited =
          progress.endedBy(Reason.ITERATION_LIMIT) || progress.endedBy(Reason.CANCELLED);
      if (limited || !Double.isFinite(measured)) {
        if (!limited && !progress.isExplained()) {
          breakdown("the residual is not finite");
        }
        return norm;
      }
      if (!(norm <= before / 2)) {
        if (progress.endedBy(Reason.CONVERGED) || isRounding()) {
          stagnated(measured);
        }
        return norm;
      }
      if (left() <= 0) {
        progress.end(Reason.ITERATION_LIMIT, "");
        return norm;
      }
      best = best == null ? keep(a.vector()) : best;
      best.copy(x);
      before = norm;
      progress.resume();
      used = 0;
    }
  }

  private void stagnated(double measured) {
    progress.end(
        Reason.STAGNATED,
        "rounding in %s keeps b - Ax at %.3g; ask for no less, or solve in a longer type"
            .formatted(a.type(), measured));
  }

  /** Returns whether b - Ax, which is in r, is no more than what rounding makes of it. */
  private boolean isRounding() {
    boolean single = a.type() == DType.F32 || a.type() == DType.C64;
    double size = b.normInf();
    try {
      size += a.normInf() * x.normInf();
    } catch (UnsupportedOperationException e) {
      // The operator does not know its norm; Ax is about b.
      size += size;
    }
    return r.normInf() <= ROUNDINGS * (single ? 0x1p-24 : 0x1p-53) * size;
  }

  /** Sets {@code r = b - A x}. */
  void residual() {
    r.copy(b);
    a.apply(Op.NONE, Scalar.of(-1), x, Scalar.ONE, r);
  }

  /** Makes a variable, which is 0, for as long as the method runs. */
  Variable variable() {
    return scalars.variable();
  }

  /** Makes products for as long as the method runs. */
  Products products(int count) {
    return scalars.products(count);
  }

  /** Takes the products of the first and second vector, of the third and fourth, and so on. */
  void dots(Products products, MultiVector... pairs) {
    if (!exact()) {
      for (int i = 0; i < pairs.length; i += 2) {
        pairs[i].addDot(pairs[i + 1], products, i / 2);
      }
    }
    sum(products, pairs);
  }

  /** Returns products, for methods that decide by them at once. */
  Scalar[] dots(MultiVector... pairs) {
    Products products = answers.computeIfAbsent(pairs.length / 2, scalars::products);
    dots(products, pairs);
    return scalars.values(products, pairs.length / 2, this);
  }

  Scalar dot(MultiVector left, MultiVector right) {
    return dots(left, right)[0];
  }

  /** Returns pairs of the first of some vectors with another. */
  static MultiVector[] pairs(MultiVector[] some, int count, MultiVector other) {
    MultiVector[] pairs = new MultiVector[2 * count];
    for (int i = 0; i < count; i++) {
      pairs[2 * i] = some[i];
      pairs[2 * i + 1] = other;
    }
    return pairs;
  }

  /** Returns whether sums are to be the same on any number of ranks. */
  boolean exact() {
    return a.map().isReproducible();
  }

  /**
   * Adds products over the ranks, whose parts are there, along with the wish of any rank to cancel.
   *
   * @param pairs what they are products of, from which they are taken anew where they are to be
   *     exact
   */
  void sum(Products products, MultiVector... pairs) {
    int count = pairs.length / 2;
    if (scalars.sum(products, count, progress.wantsCancel())) {
      progress.cancel();
    }
    for (int i = 0; exact() && i < count; i++) {
      products.get(i).set(pairs[2 * i].dot(pairs[2 * i + 1]));
    }
  }

  @Override
  public void hear() {
    double[] wishes = {progress.wantsCancel() ? 1 : 0};
    r.sumOverRanks(wishes);
    if (wishes[0] > 0) {
      progress.cancel();
    }
  }

  /** Returns whether stopping depends on x, so that it must be up to date. */
  @Override
  public boolean judgesSolution() {
    return options.rule() == StoppingRule.BACKWARD_ERROR;
  }

  @Override
  public double scale() {
    return scale;
  }

  @Override
  public double tolerance() {
    return options.tolerance();
  }

  @Override
  public int left() {
    return progress.left();
  }

  /** Returns what the rule makes of the residual r with its norm, and of x. */
  private double measure(double norm) {
    return judgesSolution() ? over(r.normInf(), scale * x.normInf() + offset) : over(norm, scale);
  }

  /** Returns a quotient; 0 of 0 is 0. */
  private static double over(double norm, double size) {
    return norm == 0 ? 0 : norm / size;
  }

  /** Takes note of x, for methods that will change it only after some iterations. */
  void beginCycle() {
    solutionSize = judgesSolution() ? x.normInf() : 0;
  }

  /**
   * Returns whether the residual is small enough, without ending an iteration.
   *
   * @param norm |r|, of an r and an x that are up to date
   */
  boolean reached(double norm) {
    boolean enough = measure(norm) <= options.tolerance();
    if (enough) {
      progress.end(Reason.CONVERGED, "");
    }
    return enough;
  }

  /**
   * Ends an iteration with the norm of its residual and returns whether to stop.
   *
   * @param norm |r|, the same on all ranks, of an r and an x that are up to date
   */
  @Override
  public boolean stop(double norm) {
    return progress.judge(measure(norm));
  }

  /** Ends an iteration with the square of that norm; on a device, decides on earlier ones. */
  boolean stop(Variable square) {
    return scalars.endIteration(square, this);
  }

  /** Ends an iteration of a cycle, in which only the norm of the residual is known. */
  boolean stopInCycle(double norm) {
    return progress.judge(over(norm, judgesSolution() ? scale * solutionSize + offset : scale));
  }

  /** Says that the method cannot go on. */
  boolean breakdown(String what) {
    return progress.breakdown(what);
  }

  /** Returns whether a condition ends the method here. */
  boolean ends(Condition condition, Variable variable) {
    return scalars.ends(condition, variable);
  }

  /** Says so if a variable that will be divided by is 0 or not finite. */
  boolean broken(Variable divisor, String name) {
    return ends(Condition.UNUSABLE, divisor) && broken(divisor.value(), name);
  }

  /** Says so if a number that will be divided by is 0 or not finite. */
  boolean broken(Scalar divisor, String name) {
    return (divisor.isZero() || !divisor.isFinite())
        && breakdown(name + " is " + divisor + " after iteration " + progress.iterations());
  }

  /** Gives the solution to a vector of another map, if that is where it was asked for. */
  void deliver(MultiVector to) {
    if (to != x) {
      to.copy(x);
    }
  }

  @Override
  public void close() {
    kept.addAll(vectors);
    RuntimeException first = null;
    try (scalars) {
      for (MultiVector vector : kept) {
        try {
          vector.close();
        } catch (IllegalStateException e) {
          // An operator failed and left it under way.
          first = first == null ? e : first;
        }
      }
      if (first != null) {
        throw first;
      }
    }
  }
}
