package dev.rialto.exchange;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.rialto.exchange.kernel.Halves;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/** Elements of any type in memory: as patterns of bits that are only moved, or as numbers. */
final class Elements {
  private Elements() {}

  /** Writes bits that belong to a label: every byte depends on all of it. */
  static void setPattern(MemorySegment array, DType type, long index, long label) {
    long bits = mix(label);
    for (int i = 0; i < type.size(); i++) {
      array.set(JAVA_BYTE, index * type.size() + i, (byte) (bits >>> (8 * (i & 7) + i / 8)));
    }
  }

  /** Returns whether an element has the bits of a label. */
  static boolean hasPattern(MemorySegment array, DType type, long index, long label) {
    long bits = mix(label);
    for (int i = 0; i < type.size(); i++) {
      byte wanted = (byte) (bits >>> (8 * (i & 7) + i / 8));
      if (array.get(JAVA_BYTE, index * type.size() + i) != wanted) {
        return false;
      }
    }
    return true;
  }

  private static long mix(long label) {
    long z = (label + 1) * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    return z ^ (z >>> 27);
  }

  /** Writes a number; the imaginary part of a complex one is its negative. */
  static void setNumber(MemorySegment array, DType type, long index, double value) {
    long at = index * type.size();
    switch (type) {
      case F64 -> array.set(JAVA_DOUBLE_UNALIGNED, at, value);
      case F32 -> array.set(JAVA_FLOAT_UNALIGNED, at, (float) value);
      case F16, BF16 -> array.set(JAVA_SHORT_UNALIGNED, at, Halves.fromFloat(type, (float) value));
      case C128 -> {
        array.set(JAVA_DOUBLE_UNALIGNED, at, value);
        array.set(JAVA_DOUBLE_UNALIGNED, at + 8, -value);
      }
      case C64 -> {
        array.set(JAVA_FLOAT_UNALIGNED, at, (float) value);
        array.set(JAVA_FLOAT_UNALIGNED, at + 4, (float) -value);
      }
      case I8, U8 -> array.set(JAVA_BYTE, at, (byte) value);
      case I16, U16 -> array.set(JAVA_SHORT_UNALIGNED, at, (short) value);
      case I32, U32 -> array.set(JAVA_INT_UNALIGNED, at, (int) (long) value);
      case I64, U64 -> array.set(JAVA_LONG_UNALIGNED, at, (long) value);
    }
  }

  /** Returns the number of an element; not a number if the parts of a complex one do not match. */
  static double number(MemorySegment array, DType type, long index) {
    long at = index * type.size();
    return switch (type) {
      case F64 -> array.get(JAVA_DOUBLE_UNALIGNED, at);
      case F32 -> array.get(JAVA_FLOAT_UNALIGNED, at);
      case F16, BF16 -> Halves.toFloat(type, array.get(JAVA_SHORT_UNALIGNED, at));
      case C128 ->
          array.get(JAVA_DOUBLE_UNALIGNED, at) == -array.get(JAVA_DOUBLE_UNALIGNED, at + 8)
              ? array.get(JAVA_DOUBLE_UNALIGNED, at)
              : Double.NaN;
      case C64 ->
          array.get(JAVA_FLOAT_UNALIGNED, at) == -array.get(JAVA_FLOAT_UNALIGNED, at + 4)
              ? array.get(JAVA_FLOAT_UNALIGNED, at)
              : Double.NaN;
      case I8 -> array.get(JAVA_BYTE, at);
      case I16 -> array.get(JAVA_SHORT_UNALIGNED, at);
      case I32 -> array.get(JAVA_INT_UNALIGNED, at);
      case I64, U64 -> array.get(JAVA_LONG_UNALIGNED, at);
      case U8 -> Byte.toUnsignedInt(array.get(JAVA_BYTE, at));
      case U16 -> Short.toUnsignedInt(array.get(JAVA_SHORT_UNALIGNED, at));
      case U32 -> Integer.toUnsignedLong(array.get(JAVA_INT_UNALIGNED, at));
    };
  }
}
