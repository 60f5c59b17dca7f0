package dev.rialto.sparse.solve;

import dev.rialto.array.Array;
import dev.rialto.sparse.LinearOperator;
import dev.rialto.sparse.Products;
import dev.rialto.sparse.Scalars;
import dev.rialto.sparse.Scalars.Condition;
import dev.rialto.sparse.Variable;
import dev.rialto.sparse.Vectors;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.Jacobi;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.solve.SolveResult.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One solve under way: the system, the vectors a method works with, and the decision to stop.
 *
 * <p>All ranks must decide alike, so every decision rests on numbers that were reduced over the
 * ranks; a wish to cancel travels with them instead of in a message of its own.
 */
final class Solve implements Scalars.Judge, AutoCloseable {
  final LinearOperator a;
  final Array x;
  final SolveOptions options;

  /** The arithmetic of the arrays. */
  final Vectors v;

  /** The residual; methods keep it up to date. */
  final Array r;

  final Progress progress;

  /** The right-hand side. */
  Array b;

  private final Preconditioner m;
  private final Scalars scalars;
  private final Map<Integer, Products> answers = new HashMap<>();
  private final List<Array> kept = new ArrayList<>();
  private final List<Array> vectors = new ArrayList<>();
  private int used;
  private double scale;
  private double offset;
  private double solutionSize;

  /** Begins a solve with arrays without gaps. */
  Solve(LinearOperator a, Preconditioner m, Array b, Array x, SolveOptions options) {
    this.a = a;
    this.m = m;
    this.b = b;
    this.x = x;
    this.options = options;
    this.progress = new Progress(options);
    this.v = Vectors.of(a.map(), x);
    this.scalars = v.scalars();
    this.r = keep();
  }

  /** Makes an array that lives as long as this. */
  Array keep() {
    Array made = v.vector();
    kept.add(made);
    return made;
  }

  /** Returns an array of zeros that lives until the method ends. */
  Array vector() {
    if (used < vectors.size()) {
      return v.fill(vectors.get(used++), Scalar.ZERO);
    }
    Array made = keep();
    vectors.add(made);
    used++;
    return made;
  }

  /** Sets {@code out = A in}. */
  void multiply(Array in, Array out) {
    v.apply(a, Op.NONE, Scalar.ONE, in, Scalar.ZERO, out);
  }

  boolean preconditioned() {
    return !m.equals(Preconditioner.NONE);
  }

  /** Sets {@code out = M in}. */
  void precondition(Array in, Array out) {
    precondition(Op.NONE, in, out);
  }

  /** Sets {@code out = op(M) in}. */
  void precondition(Op op, Array in, Array out) {
    if (preconditioned()) {
      v.aside(m instanceof Jacobi, () -> m.apply(op, in, out));
    } else {
      v.copy(in, out);
    }
  }

  /** Sets {@code out = M in} and adds this rank's part of their product to a sum. */
  void preconditionDot(Array in, Array out, Products sums, int at) {
    m.applyDot(in, out, v, sums, at);
  }

  /** Returns {@code M in}, in an array of its own only if there is a preconditioner. */
  Array preconditioned(Array in, Array out) {
    if (!preconditioned()) {
      return in;
    }
    precondition(in, out);
    return out;
  }

  /** Forgets what a method made that has ended, but not the arrays that live as long as this. */
  void forget() {
    scalars.restart();
    answers.clear();
    used = 0;
  }

  /**
   * Sets what residuals are measured by.
   *
   * @param norm of the right-hand side
   * @param initial the norm of the first residual
   */
  void measureBy(double norm, double initial) {
    switch (options.rule()) {
      case RIGHT_HAND_SIDE -> scale = norm;
      case INITIAL_RESIDUAL -> scale = initial;
      case BACKWARD_ERROR -> {
        scale = a.normInf();
        offset = v.normInf(b);
      }
    }
  }

  /** Sets {@code r = b - A x}. */
  void residual() {
    v.copy(b, r);
    v.apply(a, Op.NONE, Scalar.of(-1), x, Scalar.ONE, r);
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
  void dots(Products products, Array... pairs) {
    if (!exact()) {
      for (int i = 0; i < pairs.length; i += 2) {
        v.addDot(pairs[i], pairs[i + 1], products, i / 2);
      }
    }
    sum(products, pairs);
  }

  /** Returns products, for methods that decide by them at once. */
  Scalar[] dots(Array... pairs) {
    Products products = answers.computeIfAbsent(pairs.length / 2, scalars::products);
    dots(products, pairs);
    return scalars.values(products, pairs.length / 2, this);
  }

  Scalar dot(Array left, Array right) {
    return dots(left, right)[0];
  }

  /** Returns pairs of the first of some vectors with another. */
  static Array[] pairs(Array[] some, int count, Array other) {
    Array[] pairs = new Array[2 * count];
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
  void sum(Products products, Array... pairs) {
    int count = pairs.length / 2;
    if (scalars.sum(products, count, progress.wantsCancel())) {
      progress.cancel();
    }
    for (int i = 0; exact() && i < count; i++) {
      products.get(i).set(v.dot(pairs[2 * i], pairs[2 * i + 1]));
    }
  }

  @Override
  public void hear() {
    double[] wishes = {progress.wantsCancel() ? 1 : 0};
    v.sumOverRanks(wishes);
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
  double measure(double norm) {
    return judgesSolution() ? over(v.normInf(r), scale * v.normInf(x) + offset) : over(norm, scale);
  }

  /** Returns a quotient; 0 of 0 is 0, and what infinity measures is not a number. */
  private static double over(double norm, double size) {
    return norm == 0 ? 0 : Double.isInfinite(size) ? Double.NaN : norm / size;
  }

  /** Takes note of x, for methods that will change it only after some iterations. */
  void beginCycle() {
    solutionSize = judgesSolution() ? v.normInf(x) : 0;
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

  /** Closes the arrays; after a failure they are left to the team. Collective. */
  void closeArrays() {
    kept.reversed().forEach(v::close);
  }

  @Override
  public void close() {
    try (v) {
      scalars.close();
    }
  }
}
