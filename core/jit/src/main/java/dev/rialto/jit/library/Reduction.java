package dev.rialto.jit.library;

/** The operation that combines numbers. */
public enum Reduction {
  /** Their sum; integers wrap around. */
  SUM,
  /** Their product; integers wrap around. */
  PRODUCT,
  /** The least of them, NaN if one is. */
  MIN,
  /** The greatest of them, NaN if one is. */
  MAX;

  double combine(double a, double b) {
    return switch (this) {
      case SUM -> a + b;
      case PRODUCT -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
    };
  }

  long combine(long a, long b) {
    return switch (this) {
      case SUM -> a + b;
      case PRODUCT -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
    };
  }

  /** The neutral element of real numbers. */
  double neutral() {
    return switch (this) {
      case SUM -> 0;
      case PRODUCT -> 1;
      case MIN -> Double.POSITIVE_INFINITY;
      case MAX -> Double.NEGATIVE_INFINITY;
    };
  }

  /** The neutral element of integers of {@code bytes} bytes. */
  long neutral(int bytes) {
    long greatest = Long.MAX_VALUE >>> (Long.SIZE - Byte.SIZE * bytes);
    return switch (this) {
      case SUM -> 0;
      case PRODUCT -> 1;
      case MIN -> greatest;
      case MAX -> -greatest - 1;
    };
  }
}
