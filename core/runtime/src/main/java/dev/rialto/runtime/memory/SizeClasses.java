package dev.rialto.runtime.memory;

/**
 * The sizes that small blocks come in: eight between a power of two and the next, so that rounding
 * up wastes at most an eighth, and all multiples of 64 bytes.
 */
final class SizeClasses {
  /** The largest size; what exceeds it is not rounded to a class. */
  static final long LARGEST = 1 << 20;

  private static final int STEP_BITS = 3;
  private static final int UNIT_BITS = 6;

  static final int COUNT = of(LARGEST) + 1;

  private SizeClasses() {}

  /** Returns the number of the smallest class that holds {@code bytes}, up to {@link #LARGEST}. */
  static int of(long bytes) {
    long units = Math.max(1, (bytes + (1 << UNIT_BITS) - 1) >>> UNIT_BITS);
    if (units <= 1 << STEP_BITS) {
      return (int) units - 1;
    }
    // Sizes in (2^k, 2^(k+1)] share k and are told apart by the three bits below the highest.
    long last = units - 1;
    int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(last) - STEP_BITS;
    return (shift << STEP_BITS) + (int) (last >>> shift);
  }

  static long bytes(int sizeClass) {
    if (sizeClass < 1 << STEP_BITS) {
      return (sizeClass + 1L) << UNIT_BITS;
    }
    int shift = (sizeClass >>> STEP_BITS) - 1;
    long steps = (sizeClass & ((1 << STEP_BITS) - 1)) + (1 << STEP_BITS) + 1L;
    return (steps << shift) << UNIT_BITS;
  }
}
