package dev.rialto.array;

import org.jspecify.annotations.Nullable;

/** Something done with each element of an array; made for doubles or for longs. */
public final class Visitor extends ElementFunction {
  private Visitor(@Nullable Object doubles, @Nullable Object longs) {
    super("visitor", doubles, longs);
  }

  /** Visits floating-point elements. */
  public static Visitor ofDoubles(OfDouble visitor) {
    return new Visitor(visitor, null);
  }

  /** Visits integers. */
  public static Visitor ofLongs(OfLong visitor) {
    return new Visitor(null, visitor);
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
}
