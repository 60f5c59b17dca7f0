package dev.rialto.sparse.io;

import java.math.BigInteger;

/**
 * The double nearest to a decimal number of at most 19 digits, without objects.
 *
 * <p>Eisel and Lemire's method: the digits times a power of five in 128 bits decide the rounding in
 * all cases; files that were written with 17 digits, as most are, need it for nearly every number.
 * Numbers beside the range of normal doubles are left to {@link Double#parseDouble}.
 */
final class Decimal {
  private static final int LOWEST = -342;
  private static final int HIGHEST = 308;

  /** The leading 128 bits of each power of five, high half first; inverses are rounded up. */
  private static final long[] FIVES = fives();

  private Decimal() {}

  private static long[] fives() {
    long[] table = new long[2 * (HIGHEST - LOWEST + 1)];
    BigInteger five = BigInteger.valueOf(5);
    for (int q = LOWEST; q <= HIGHEST; q++) {
      BigInteger power = five.pow(Math.abs(q));
      if (q < 0) {
        int bits = power.subtract(BigInteger.ONE).bitLength();
        power =
            BigInteger.ONE
                .shiftLeft(q >= -27 ? bits + 127 : 2 * bits + 128)
                .divide(power)
                .add(BigInteger.ONE);
      }
      BigInteger leading = power.shiftRight(power.bitLength() - 128);
      table[2 * (q - LOWEST)] = leading.shiftRight(64).longValue();
      table[2 * (q - LOWEST) + 1] = leading.longValue();
    }
    return table;
  }

  /**
   * Returns {@code digits 10^q}.
   *
   * @param digits unsigned
   * @return NaN if this method does not know
   */
  static double value(long digits, int q) {
    if (digits == 0) {
      return 0;
    }
    if (q < LOWEST || q > HIGHEST) {
      return Double.NaN;
    }
    int zeros = Long.numberOfLeadingZeros(digits);
    long w = digits << zeros;
    int at = 2 * (q - LOWEST);
    long high = Math.unsignedMultiplyHigh(w, FIVES[at]);
    long low = w * FIVES[at];
    if ((high & 0x1ff) == 0x1ff) {
      // The bits that round are all ones: a carry from the next 64 may turn them.
      long more = Math.unsignedMultiplyHigh(w, FIVES[at + 1]);
      low += more;
      high += Long.compareUnsigned(low, more) < 0 ? 1 : 0;
    }
    int upper = (int) (high >>> 63);
    int shift = upper + 9;
    long mantissa = high >>> shift;
    int exponent = ((217706 * q) >> 16) + 63 + upper - zeros + 1023;
    if (exponent <= 0 || exponent >= 0x7fe) {
      return Double.NaN;
    }
    boolean tie = Long.compareUnsigned(low, 1) <= 0 && q >= -4 && q <= 23 && (mantissa & 3) == 1;
    if (tie && (mantissa << shift) == high) {
      mantissa &= ~1L;
    }
    mantissa = (mantissa + (mantissa & 1)) >>> 1;
    // A mantissa that was rounded up to a power of two carries into the exponent by itself.
    return Double.longBitsToDouble(((long) exponent << 52) + (mantissa - (1L << 52)));
  }
}
