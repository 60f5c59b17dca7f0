package dev.rialto.jit;

import dev.rialto.spi.data.DType;

/** What the types of nodes can hold. */
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

  /** Returns the greatest integer of a type; the least is one less than its negative. */
  static long greatest(DType type) {
    return switch (type) {
      case I8 -> Byte.MAX_VALUE;
      case I32 -> Integer.MAX_VALUE;
      default -> Long.MAX_VALUE;
    };
  }
}
