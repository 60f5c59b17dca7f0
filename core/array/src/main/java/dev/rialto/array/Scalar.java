package dev.rialto.array;

import dev.rialto.spi.data.DType;
import java.util.Arrays;

/**
 * One element's value, or what elements were combined into: a double for floating-point types, a
 * long for integers, a complex number for complex types.
 */
public final class Scalar {
  private final DType type;
  private final long[] words;

  Scalar(DType type, long... words) {
    this.type = type;
    this.words = words;
  }

  /** Returns the type of the elements it comes from. */
  public DType type() {
    return type;
  }

  /**
   * Returns the value; one of an integer type is rounded if it exceeds 2^53.
   *
   * @throws IllegalStateException if the type is complex
   */
  public double asDouble() {
    return switch (type.kind()) {
      case FLOAT -> Double.longBitsToDouble(words[0]);
      case INTEGER -> words[0];
      case COMPLEX ->
          throw new IllegalStateException("a scalar of " + type + " is no double; use asComplex");
    };
  }

  /**
   * Returns the value of an integer type.
   *
   * @throws IllegalStateException if the type is another one
   */
  public long asLong() {
    if (type.kind() != DType.Kind.INTEGER) {
      throw new IllegalStateException(
          "a scalar of %s is no long; use %s"
              .formatted(type, type.kind() == DType.Kind.FLOAT ? "asDouble" : "asComplex"));
    }
    return words[0];
  }

  /** Returns the value; a real one gets an imaginary part of zero. */
  public Complex asComplex() {
    return type.kind() == DType.Kind.COMPLEX
        ? new Complex(Double.longBitsToDouble(words[0]), Double.longBitsToDouble(words[1]))
        : new Complex(asDouble(), 0);
  }

  /** Returns the bits of a real value. */
  long bits() {
    return words[0];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Scalar that && type == that.type && Arrays.equals(words, that.words);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(words);
  }

  @Override
  public String toString() {
    return switch (type.kind()) {
      case FLOAT -> Double.toString(asDouble());
      case INTEGER -> Long.toString(words[0]);
      case COMPLEX -> asComplex().re() + " + " + asComplex().im() + "i";
    };
  }
}
