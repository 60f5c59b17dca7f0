package dev.rialto.sparse.local;

import java.math.BigInteger;

/**
 * A sum of products without any rounding, so that order and number of ranks do not matter.
 *
 * <p>The sum is an integer of some 4400 bits, counted in units of 2^-2200 and kept in words that
 * hold 32 bits and, above them, room for carries. Words of several ranks are added as integers. A
 * product adds to five words, which costs about ten times a plain one.
 */
public final class ExactSum {
  /** The length of {@link #words}. */
  public static final int WORDS = 138;

  private static final int LOWEST = -2200;
  private static final int CARRY_AFTER = 1 << 28;

  private final long[] words = new long[WORDS];
  private int additions;
  private double special;

  /** Adds {@code a b}. */
  public void addProduct(double a, double b) {
    if (!Double.isFinite(a) || !Double.isFinite(b)) {
      special += a * b;
      return;
    }
    long ma = mantissa(a);
    long mb = mantissa(b);
    long low = ma * mb;
    long high = Math.multiplyHigh(ma, mb);
    boolean negative = Double.doubleToRawLongBits(a) < 0 != Double.doubleToRawLongBits(b) < 0;
    int bit = exponent(a) + exponent(b) - LOWEST;
    int word = bit >> 5;
    int shift = bit & 31;
    for (int i = 0; i < 4; i++) {
      long part = (i < 2 ? low >>> (32 * i) : high >>> (32 * (i - 2))) & 0xffffffffL;
      long shifted = part << shift;
      words[word + i] += negative ? -(shifted & 0xffffffffL) : shifted & 0xffffffffL;
      words[word + i + 1] += negative ? -(shifted >>> 32) : shifted >>> 32;
    }
    if (++additions == CARRY_AFTER) {
      carry();
    }
  }

  private static long mantissa(double value) {
    long bits = Double.doubleToRawLongBits(value);
    long fraction = bits & 0xfffffffffffffL;
    return (bits & 0x7ff0000000000000L) == 0 ? fraction : fraction | 0x10000000000000L;
  }

  private static int exponent(double value) {
    return Math.max(1, (int) (Double.doubleToRawLongBits(value) >>> 52 & 0x7ff)) - 1075;
  }

  /** Moves carries up, so that every word but the last is below 2^32. */
  private void carry() {
    for (int i = 0; i < WORDS - 1; i++) {
      words[i + 1] += words[i] >> 32;
      words[i] &= 0xffffffffL;
    }
    additions = 0;
  }

  /** Returns the words: those of several ranks may be added and {@linkplain #round rounded}. */
  public long[] words() {
    carry();
    return words.clone();
  }

  /** Returns the sum of products that were infinite or NaN; 0 if none was. */
  public double special() {
    return special;
  }

  /** Rounds a sum, given by words, to a double. */
  public static double round(long[] words) {
    BigInteger sum = BigInteger.ZERO;
    for (int i = words.length - 1; i >= 0; i--) {
      sum = sum.shiftLeft(32).add(BigInteger.valueOf(words[i]));
    }
    BigInteger magnitude = sum.abs();
    // Of what lies far below a double's precision, only that it is not zero matters.
    int drop = Math.max(0, magnitude.bitLength() - 128);
    BigInteger top = magnitude.shiftRight(drop);
    if (drop > 0 && magnitude.getLowestSetBit() < drop) {
      top = top.setBit(0);
    }
    double result = Math.scalb(top.doubleValue(), drop + LOWEST);
    return sum.signum() < 0 ? -result : result;
  }
}
