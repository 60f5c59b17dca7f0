package dev.rialto.sparse;

import dev.rialto.sparse.local.Factor;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.ownership.Sums;
import java.util.Arrays;

/** The variables of a method on the host: each is there when the next line asks for it. */
final class HostScalars implements Scalars {
  private final Sums sums;

  HostScalars(Sums sums) {
    this.sums = sums;
  }

  private static final class HostVariable implements Variable {
    private Scalar value = Scalar.ZERO;

    @Override
    public Variable set(Factor other) {
      return take(new Scalar(other.re(), other.im()));
    }

    private Variable take(Scalar result) {
      value = result;
      return this;
    }

    @Override
    public Variable quotient(Variable a, Variable b) {
      return take(a.value().over(b.value()));
    }

    @Override
    public Variable product(Variable a, Variable b) {
      return take(a.value().times(b.value()));
    }

    @Override
    public Variable difference(Variable a, Variable b) {
      return take(a.value().minus(b.value()));
    }

    @Override
    public Variable root(Variable a) {
      return take(Scalar.of(Math.sqrt(a.re())));
    }

    @Override
    public Factor negated() {
      return value.negated();
    }

    @Override
    public Scalar value() {
      return value;
    }

    @Override
    public double im() {
      return value.im();
    }

    @Override
    public String toString() {
      return value.toString();
    }
  }

  private static final class Parts implements Products {
    private final HostVariable[] variables;

    /** Real and imaginary parts in turn, and room for a wish. */
    private final double[] parts;

    Parts(int count) {
      this.variables = new HostVariable[count];
      Arrays.setAll(variables, i -> new HostVariable());
      this.parts = new double[2 * count + 1];
    }

    @Override
    public void add(int sum, double re, double im) {
      parts[2 * sum] += re;
      parts[2 * sum + 1] += im;
    }

    @Override
    public Variable get(int product) {
      return variables[product];
    }
  }

  @Override
  public void restart() {}

  @Override
  public Variable variable() {
    return new HostVariable();
  }

  @Override
  public Products products(int count) {
    return new Parts(count);
  }

  @Override
  public boolean sum(Products products, int count, boolean wish) {
    Parts mine = (Parts) products;
    double[] parts = mine.parts;
    parts[2 * count] = wish ? 1 : 0;
    sums.add(parts, 2 * count + 1);
    for (int i = 0; i < count; i++) {
      mine.variables[i].value = new Scalar(parts[2 * i], parts[2 * i + 1]);
    }
    boolean wished = parts[2 * count] > 0;
    Arrays.fill(parts, 0);
    return wished;
  }

  /** Wishes were heard with the sum. */
  @Override
  public Scalar[] values(Products products, int count, Judge judge) {
    Scalar[] values = new Scalar[count];
    Arrays.setAll(values, i -> products.get(i).value());
    return values;
  }

  @Override
  public boolean ends(Condition condition, Variable variable) {
    Scalar value = variable.value();
    return switch (condition) {
      case ZERO -> value.isZero();
      case UNUSABLE -> value.isZero() || !value.isFinite();
      case NEGATIVE -> value.re() < 0;
      case NOT_POSITIVE -> value.re() <= 0;
    };
  }

  @Override
  public boolean endIteration(Variable square, Judge judge) {
    return judge.stop(Math.sqrt(square.re()));
  }

  @Override
  public void close() {}
}
