package dev.rialto.sparse;

import dev.rialto.sparse.local.Factor;
import dev.rialto.sparse.local.Scalar;

/**
 * A number that a method computes with, where its vectors are; made by {@link Scalars}. All but
 * {@link #value} and {@link #re} return at once; on a device those wait.
 */
public interface Variable extends Factor {
  /** Takes another's value, or a number that the caller knows. */
  Variable set(Factor value);

  /** Takes {@code a / b}. */
  Variable quotient(Variable a, Variable b);

  /** Takes {@code a b}. */
  Variable product(Variable a, Variable b);

  /** Takes {@code a - b}. */
  Variable difference(Variable a, Variable b);

  /** Takes the square root of the real part of another. */
  Variable root(Variable a);

  /** Returns the value with the sign turned, as a factor for the next operation. */
  Factor negated();

  /** Returns the value. */
  Scalar value();

  @Override
  default double re() {
    return value().re();
  }
}
