package dev.rialto.exchange.kernel;

import dev.rialto.spi.data.DType;

/** Floating-point numbers of 16 bits, by way of those of 32. */
public final class Halves {
  private Halves() {}

  /** Widens an {@link DType#F16} or {@link DType#BF16}; exact. */
  public static float toFloat(DType type, short half) {
    return type == DType.F16
        ? Float.float16ToFloat(half)
        : Float.intBitsToFloat((half & 0xffff) << 16);
  }

  /** Rounds to the nearest {@link DType#F16} or {@link DType#BF16}, ties to even. */
  public static short fromFloat(DType type, float value) {
    if (type == DType.F16) {
      return Float.floatToFloat16(value);
    }
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return (short) (bits >>> 16 | 0x40);
    }
    return (short) ((bits + 0x7fff + (bits >>> 16 & 1)) >>> 16);
  }
}
