package dev.rialto.spi.parts.messages;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.data.ReduceOp.Builtin;
import java.lang.foreign.MemorySegment;

/**
 * Operators on elements, one by one.
 *
 * <p>Integers are computed as longs and floats as doubles, then rounded to the type. For one
 * operation on two elements that gives the bits of the type's own arithmetic; those of 16 bits are
 * rounded to {@code float} before.
 */
final class ElementFold {
  private ElementFold() {}

  /** Sets {@code right[i] = left[i] op right[i]}. */
  static void combine(
      ReduceOp op, MemorySegment left, MemorySegment right, DType type, long count) {
    switch (op) {
      case Builtin builtin -> combine(builtin, left, right, type, count);
      case ReduceOp.User user -> user.function().combine(left, right, type, count);
    }
  }

  private static void combine(
      Builtin op, MemorySegment left, MemorySegment right, DType type, long count) {
    for (long i = 0; i < count; i++) {
      switch (type.kind()) {
        case INTEGER ->
            setInteger(
                right, type, i, integer(op, getInteger(left, type, i), getInteger(right, type, i)));
        case FLOAT ->
            setReal(right, type, i, real(op, getReal(left, type, i), getReal(right, type, i)));
        case COMPLEX -> complex(op, left, right, type == DType.C64 ? DType.F32 : DType.F64, 2 * i);
      }
    }
  }

  private static long integer(Builtin op, long a, long b) {
    return switch (op) {
      case SUM -> a + b;
      case PRODUCT -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case LOGICAL_AND -> a != 0 && b != 0 ? 1 : 0;
      case LOGICAL_OR -> a != 0 || b != 0 ? 1 : 0;
      case LOGICAL_XOR -> (a != 0) != (b != 0) ? 1 : 0;
      case BIT_AND -> a & b;
      case BIT_OR -> a | b;
      case BIT_XOR -> a ^ b;
      case REPLACE, NO_OP -> throw inapplicable(op);
    };
  }

  private static double real(Builtin op, double a, double b) {
    return switch (op) {
      case SUM -> a + b;
      case PRODUCT -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      default -> throw inapplicable(op);
    };
  }

  private static void complex(
      Builtin op, MemorySegment left, MemorySegment right, DType part, long i) {
    double a = getReal(left, part, i);
    double b = getReal(left, part, i + 1);
    double c = getReal(right, part, i);
    double d = getReal(right, part, i + 1);
    boolean sum = op == Builtin.SUM;
    setReal(right, part, i, sum ? a + c : a * c - b * d);
    setReal(right, part, i + 1, sum ? b + d : a * d + b * c);
  }

  private static AssertionError inapplicable(Builtin op) {
    return new AssertionError(op + " was let through");
  }

  private static long getInteger(MemorySegment segment, DType type, long i) {
    return switch (type) {
      case I8 -> segment.get(JAVA_BYTE, i);
      case I32 -> segment.get(JAVA_INT_UNALIGNED, 4 * i);
      default -> segment.get(JAVA_LONG_UNALIGNED, 8 * i);
    };
  }

  private static void setInteger(MemorySegment segment, DType type, long i, long value) {
    switch (type) {
      case I8 -> segment.set(JAVA_BYTE, i, (byte) value);
      case I32 -> segment.set(JAVA_INT_UNALIGNED, 4 * i, (int) value);
      default -> segment.set(JAVA_LONG_UNALIGNED, 8 * i, value);
    }
  }

  private static double getReal(MemorySegment segment, DType type, long i) {
    return switch (type) {
      case F16 -> Float.float16ToFloat(segment.get(JAVA_SHORT_UNALIGNED, 2 * i));
      case BF16 -> Float.intBitsToFloat(segment.get(JAVA_SHORT_UNALIGNED, 2 * i) << 16);
      case F32 -> segment.get(JAVA_FLOAT_UNALIGNED, 4 * i);
      default -> segment.get(JAVA_DOUBLE_UNALIGNED, 8 * i);
    };
  }

  private static void setReal(MemorySegment segment, DType type, long i, double value) {
    switch (type) {
      case F16 -> segment.set(JAVA_SHORT_UNALIGNED, 2 * i, Float.floatToFloat16((float) value));
      case BF16 -> segment.set(JAVA_SHORT_UNALIGNED, 2 * i, upperHalf((float) value));
      case F32 -> segment.set(JAVA_FLOAT_UNALIGNED, 4 * i, (float) value);
      default -> segment.set(JAVA_DOUBLE_UNALIGNED, 8 * i, value);
    }
  }

  /** Rounds to the nearest number that the upper half of the bits can hold, a tie to the even. */
  private static short upperHalf(float value) {
    int bits = Float.floatToIntBits(value);
    return (short) (Float.isNaN(value) ? bits >> 16 : (bits + 0x7fff + ((bits >>> 16) & 1)) >> 16);
  }
}
