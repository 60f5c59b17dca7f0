package dev.rialto.array;

import org.jspecify.annotations.Nullable;

/**
 * Something done with each element of an array; made for doubles, for longs or for complex numbers.
 */
public final class Visitor extends ElementFunction {
  private Visitor(@Nullable Object doubles, @Nullable Object longs, @Nullable Object complex) {
    super("visitor", doubles, longs, complex);
  }

  /** Visits floating-point elements. */
  public static Visitor ofDoubles(OfDouble visitor) {
    return new Visitor(visitor, null, null);
  }

  /** Visits integers. */
  public static Visitor ofLongs(OfLong visitor) {
    return new Visitor(null, visitor, null);
  }

  /** Visits complex elements. */
  public static Visitor ofComplex(OfComplex visitor) {
    return new Visitor(null, null, visitor);
  }

  /** Visits an element of a floating-point type. */
  @FunctionalInterface
  public interface OfDouble {
    /** Takes an element's number, in row-major order of the whole array, and its value. */
    void visit(long element, double value);
  }

  /** Visits an element of an integer type. */
  @FunctionalInterface
  public interface OfLong {
    /** Takes an element's number, in row-major order of the whole array, and its value. */
    void visit(long element, long value);
  }

  /** Visits an element of a complex type. */
  @FunctionalInterface
  public interface OfComplex {
    /** Takes an element's number, in row-major order of the whole array, and its value. */
    void visit(long element, Complex value);
  }
}
