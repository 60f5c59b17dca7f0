package dev.rialto.array;

import dev.rialto.spi.data.DType;

/**
 * One element's value, or what elements were combined into: a double for floating-point types, a
 * long for integers.
 */
public final class Scalar {
  private final DType type;
  private final long bits;

  Scalar(DType type, long bits) {
    this.type = type;
    this.bits = bits;
  }

  private boolean isFloating() {
    return type.kind() == DType.Kind.FLOAT;
  }

  /** Returns the type of the elements it comes from. */
  public DType type() {
    return type;
  }

  /** Returns the value; one of an integer type is rounded if it exceeds 2^53. */
  public double asDouble() {
    return isFloating() ? Double.longBitsToDouble(bits) : bits;
  }

  /**
   * Returns the value of an integer type.
   *
   * @throws IllegalStateException if the type is a floating-point one
   */
  public long asLong() {
    if (isFloating()) {
      throw new IllegalStateException("a scalar of " + type + " is no long; use asDouble");
    }
    return bits;
  }

  long bits() {
    return bits;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Scalar that && type == that.type && bits == that.bits;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(bits);
  }

  @Override
  public String toString() {
    return isFloating() ? Double.toString(asDouble()) : Long.toString(bits);
  }
}
