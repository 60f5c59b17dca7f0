package dev.rialto.jit;

import dev.rialto.spi.data.DType;

/** The ranges and rounding of the types of nodes. */
final class NumberFormats {
  private NumberFormats() {}

  /** Returns the number nearest to a value that a floating-point type, or a part of one, holds. */
  static double round(DType type, double value) {
    return switch (type) {
      case F16 -> Float.float16ToFloat(Float.floatToFloat16((float) value));
      case BF16 -> bfloat16((float) value);
      case F32, C64 -> (float) value;
      default -> value;
    };
  }

  private static float bfloat16(float value) {
    int bits = Float.floatToRawIntBits(value);
    int rounded = (bits + 0x7fff + (bits >>> 16 & 1)) & 0xffff0000;
    return Float.isNaN(value) ? value : Float.intBitsToFloat(rounded);
  }

  /** Returns the bits of the greatest integer of a type. */
  static long greatest(DType type) {
    return -1L >>> (Long.SIZE - 8 * type.size() + (type.isUnsigned() ? 0 : 1));
  }

  static long least(DType type) {
    return type.isUnsigned() ? 0 : -greatest(type) - 1;
  }

  /** Returns the number that an integer's bits are. */
  static double real(DType type, long bits) {
    return type == DType.U64 && bits < 0 ? ((bits >>> 1) | (bits & 1)) * 2.0 : bits;
  }

  /** Returns the bits of a whole number of a type. */
  static long whole(DType type, double value) {
    if (value != Math.rint(value)) {
      throw new IllegalArgumentException(
          value + " is no whole number, but meets values of type " + type + "; cast them");
    }
    boolean high = type == DType.U64 && value >= 0x1p63;
    double limit = high ? 0x1p64 : 0x1p63;
    if (value >= limit || value < -limit) {
      throw unfit(type, Double.toString(value));
    }
    return high ? (long) (value - 0x1p63) ^ Long.MIN_VALUE : (long) value;
  }

  /** The value has the sign, which the bits of a U64 do not tell. */
  static void requireFits(DType type, long whole, double value) {
    boolean high = whole < 0 && value > 0;
    if (high
        ? type != DType.U64
        : whole < least(type) || Long.compareUnsigned(Math.max(whole, 0), greatest(type)) > 0) {
      throw unfit(type, high ? Long.toUnsignedString(whole) : Long.toString(whole));
    }
  }

  static IllegalArgumentException unfit(DType type, String shown) {
    return new IllegalArgumentException(
        shown + " does not fit type " + type + "; cast the values that it meets");
  }
}
