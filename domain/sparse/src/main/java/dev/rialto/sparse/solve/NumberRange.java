package dev.rialto.sparse.solve;

import dev.rialto.spi.data.DType;

/**
 * The sizes of numbers that an element type holds with all of its digits.
 *
 * @param least the smallest
 * @param most the largest
 */
record NumberRange(DType type, double least, double most) {
  static NumberRange of(DType type) {
    return type == DType.F32 || type == DType.C64
        ? new NumberRange(type, Float.MIN_NORMAL, Float.MAX_VALUE)
        : new NumberRange(type, Double.MIN_NORMAL, Double.MAX_VALUE);
  }

  /** Returns whether the largest element of a vector is one of them. */
  boolean holds(double largest) {
    return largest >= least && largest <= most;
  }

  /**
   * Returns whether a solution is not one of them for all that is known.
   *
   * @param largest of x, when the method gave up
   * @param order the decimal logarithm of |b| / |A|; no solution is less
   */
  boolean excludes(double largest, double order) {
    return order > Math.log10(most) || (order < Math.log10(least) && !holds(largest));
  }

  /** Says that a solution is not one of them, of which x is what could be kept. */
  String lacks(double x, double order) {
    return "x is %.3g%s, and %s holds %.2g to %.2g; scale b or the matrix by a power of 2%s"
        .formatted(
            x,
            Double.isNaN(order) ? "" : " where |b| / |A| is 1e%.0f".formatted(order),
            type,
            least,
            most,
            least == Double.MIN_NORMAL ? "" : ", or solve in a longer type");
  }
}
