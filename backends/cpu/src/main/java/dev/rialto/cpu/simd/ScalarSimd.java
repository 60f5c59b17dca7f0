package dev.rialto.cpu.simd;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * Plain loops, one per type: the fallback, the reference for {@link VectorSimd}, and what that
 * leaves over at the end of an array.
 *
 * <p>Every integer is combined as {@code long} and every float as {@code double}: narrowing wraps
 * around as the narrow type would, and a sum or product of two {@code float} (or 16-bit) operands
 * rounded twice, by way of a format with more than twice the digits, equals the one rounded once.
 */
final class ScalarSimd extends Simd {
  ScalarSimd(String description) {
    super(description, Long.BYTES);
  }

  @Override
  public int vectorBits() {
    return 0;
  }

  @Override
  void run(ReduceOp.Builtin op, DType type, long left, long right, long target, long count) {
    combine(op, type, left, right, target, count);
  }

  static void combine(
      ReduceOp.Builtin op, DType type, long left, long right, long target, long count) {
    switch (op) {
      case REPLACE -> MemorySegment.copy(MEMORY, right, MEMORY, target, type.bytes(count));
      case NO_OP -> MemorySegment.copy(MEMORY, left, MEMORY, target, type.bytes(count));
      default -> {
        switch (type) {
          case I8 -> bytes(op, left, right, target, count);
          case I32 -> ints(op, left, right, target, count);
          case I64 -> longs(op, left, right, target, count);
          case F16 -> halves(op, left, right, target, count);
          case BF16 -> brains(op, left, right, target, count);
          case F32 -> floats(op, left, right, target, count);
          case F64 -> doubles(op, left, right, target, count);
          case C64 -> {
            if (op == ReduceOp.Builtin.SUM) {
              floats(op, left, right, target, 2 * count);
            } else {
              floatComplexProducts(left, right, target, count);
            }
          }
          case C128 -> {
            if (op == ReduceOp.Builtin.SUM) {
              doubles(op, left, right, target, 2 * count);
            } else {
              doubleComplexProducts(left, right, target, count);
            }
          }
          case I16, U8, U16, U32, U64 -> throw new AssertionError(type + " was let through");
        }
      }
    }
  }

  private static long integer(ReduceOp.Builtin op, long a, long b) {
    return switch (op) {
      case SUM -> a + b;
      case PRODUCT -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case LOGICAL_AND -> a != 0 && b != 0 ? 1 : 0;
      case LOGICAL_OR -> (a | b) != 0 ? 1 : 0;
      case LOGICAL_XOR -> (a != 0) != (b != 0) ? 1 : 0;
      case BIT_AND -> a & b;
      case BIT_OR -> a | b;
      case BIT_XOR -> a ^ b;
      case REPLACE -> b;
      case NO_OP -> a;
    };
  }

  private static double floating(ReduceOp.Builtin op, double a, double b) {
    return switch (op) {
      case SUM -> a + b;
      case PRODUCT -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      default -> throw new IllegalArgumentException(op + " does not apply to floats");
    };
  }

  private static void bytes(ReduceOp.Builtin op, long left, long right, long target, long count) {
    for (long i = 0; i < count; i++) {
      long value = integer(op, MEMORY.get(JAVA_BYTE, left + i), MEMORY.get(JAVA_BYTE, right + i));
      MEMORY.set(JAVA_BYTE, target + i, (byte) value);
    }
  }

  private static void ints(ReduceOp.Builtin op, long left, long right, long target, long count) {
    for (long i = 0; i < count * 4; i += 4) {
      int a = MEMORY.get(JAVA_INT_UNALIGNED, left + i);
      int b = MEMORY.get(JAVA_INT_UNALIGNED, right + i);
      MEMORY.set(JAVA_INT_UNALIGNED, target + i, (int) integer(op, a, b));
    }
  }

  private static void longs(ReduceOp.Builtin op, long left, long right, long target, long count) {
    for (long i = 0; i < count * 8; i += 8) {
      long a = MEMORY.get(JAVA_LONG_UNALIGNED, left + i);
      long b = MEMORY.get(JAVA_LONG_UNALIGNED, right + i);
      MEMORY.set(JAVA_LONG_UNALIGNED, target + i, integer(op, a, b));
    }
  }

  private static void floats(ReduceOp.Builtin op, long left, long right, long target, long count) {
    for (long i = 0; i < count * 4; i += 4) {
      float a = MEMORY.get(JAVA_FLOAT_UNALIGNED, left + i);
      float b = MEMORY.get(JAVA_FLOAT_UNALIGNED, right + i);
      MEMORY.set(JAVA_FLOAT_UNALIGNED, target + i, (float) floating(op, a, b));
    }
  }

  private static void doubles(ReduceOp.Builtin op, long left, long right, long target, long count) {
    for (long i = 0; i < count * 8; i += 8) {
      double a = MEMORY.get(JAVA_DOUBLE_UNALIGNED, left + i);
      double b = MEMORY.get(JAVA_DOUBLE_UNALIGNED, right + i);
      MEMORY.set(JAVA_DOUBLE_UNALIGNED, target + i, floating(op, a, b));
    }
  }

  private static void halves(ReduceOp.Builtin op, long left, long right, long target, long count) {
    for (long i = 0; i < count * 2; i += 2) {
      float a = Float.float16ToFloat(MEMORY.get(JAVA_SHORT_UNALIGNED, left + i));
      float b = Float.float16ToFloat(MEMORY.get(JAVA_SHORT_UNALIGNED, right + i));
      short value = Float.floatToFloat16((float) floating(op, a, b));
      MEMORY.set(JAVA_SHORT_UNALIGNED, target + i, value);
    }
  }

  private static void brains(ReduceOp.Builtin op, long left, long right, long target, long count) {
    for (long i = 0; i < count * 2; i += 2) {
      float a = brainToFloat(MEMORY.get(JAVA_SHORT_UNALIGNED, left + i));
      float b = brainToFloat(MEMORY.get(JAVA_SHORT_UNALIGNED, right + i));
      short value = floatToBrain((float) floating(op, a, b));
      MEMORY.set(JAVA_SHORT_UNALIGNED, target + i, value);
    }
  }

  static float brainToFloat(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }

  /** Rounds to the nearest, ties to even; a NaN stays one although its low bits are cut off. */
  static short floatToBrain(float value) {
    if (Float.isNaN(value)) {
      return 0x7fc0;
    }
    int bits = Float.floatToRawIntBits(value);
    return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
  }

  private static void floatComplexProducts(long left, long right, long target, long count) {
    for (long i = 0; i < count * 8; i += 8) {
      float a = MEMORY.get(JAVA_FLOAT_UNALIGNED, left + i);
      float b = MEMORY.get(JAVA_FLOAT_UNALIGNED, left + i + 4);
      float c = MEMORY.get(JAVA_FLOAT_UNALIGNED, right + i);
      float d = MEMORY.get(JAVA_FLOAT_UNALIGNED, right + i + 4);
      MEMORY.set(JAVA_FLOAT_UNALIGNED, target + i, a * c - b * d);
      MEMORY.set(JAVA_FLOAT_UNALIGNED, target + i + 4, a * d + b * c);
    }
  }

  private static void doubleComplexProducts(long left, long right, long target, long count) {
    for (long i = 0; i < count * 16; i += 16) {
      double a = MEMORY.get(JAVA_DOUBLE_UNALIGNED, left + i);
      double b = MEMORY.get(JAVA_DOUBLE_UNALIGNED, left + i + 8);
      double c = MEMORY.get(JAVA_DOUBLE_UNALIGNED, right + i);
      double d = MEMORY.get(JAVA_DOUBLE_UNALIGNED, right + i + 8);
      MEMORY.set(JAVA_DOUBLE_UNALIGNED, target + i, a * c - b * d);
      MEMORY.set(JAVA_DOUBLE_UNALIGNED, target + i + 8, a * d + b * c);
    }
  }
}
