package dev.rialto.cpu.fft;

/**
 * Sines and cosines of fractions of a turn. Fractions are reduced to the first eighth in integers,
 * so the result is as exact for any of n points as for the first few.
 */
final class RationalAngle {
  private RationalAngle() {}

  static double cos(long numerator, long denominator) {
    long n = Math.floorMod(numerator, denominator);
    if (2 * n > denominator) {
      n = denominator - n;
    }
    // Now within half a turn.
    return 4 * n > denominator
        ? -quarterCos(denominator - 2 * n, 2 * denominator)
        : quarterCos(n, denominator);
  }

  static double sin(long numerator, long denominator) {
    return cos(4 * Math.floorMod(numerator, denominator) - denominator, 4 * denominator);
  }

  private static double quarterCos(long n, long denominator) {
    return 8 * n > denominator
        ? Math.sin(Math.PI * (denominator - 4 * n) / (2.0 * denominator))
        : Math.cos(2 * Math.PI * n / denominator);
  }
}
