package dev.rialto.jit.kernel;

/** Doubles rounded to 16-bit floating-point numbers, to the nearest and ties to even. */
public final class HalfPrecision {
  private HalfPrecision() {}

  /** Returns the bits of the binary16 number next to a value. */
  public static short f16(double value) {
    return Float.floatToFloat16(toOdd(value));
  }

  /** Returns the upper half of the binary32 number that is next to a value among such halves. */
  public static short bf16(double value) {
    int whole = Float.floatToRawIntBits(toOdd(value));
    int rounded = whole + 0x7fff + (whole >>> 16 & 1);
    return (short) (Double.isNaN(value) ? 0x7fc0 : rounded >>> 16);
  }

  /**
   * Rounds to a float whose last bit tells that something was cut off, so that no tie is made: to
   * round it once more gives what rounding the double would.
   */
  private static float toOdd(double value) {
    float nearest = (float) value;
    if (nearest == value || Double.isNaN(value) || Float.isInfinite(nearest)) {
      return nearest;
    }
    int bits = Float.floatToRawIntBits(nearest);
    int below = Math.abs((double) nearest) > Math.abs(value) ? bits - 1 : bits;
    return Float.intBitsToFloat(below | 1);
  }
}
