package dev.rialto.tck.reference;

import static org.junit.jupiter.api.Assertions.fail;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;

/**
 * The operators, one element at a time, and operands for them.
 *
 * <p>Operands of floating-point sums and products are whole numbers so small that combining eight
 * ranks' rounds nothing: every bracketing gives the same bits, so results can be compared exactly.
 * They are as large as that allows, so that a result in a narrower type differs.
 */
public final class ReductionReference {
  /**
   * Composes maps x to a·x + b, with a in the upper and b in the lower half of a 64-bit integer.
   */
  public static final ReduceOp COMPOSE =
      ReduceOp.user(
          "compose",
          false,
          (left, right, _, count) -> {
            for (long i = 0; i < count; i++) {
              long first = left.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i);
              long then = right.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i);
              int factor = (int) (first >> 32) * (int) (then >> 32);
              int shift = (int) first * (int) (then >> 32) + (int) then;
              right.setAtIndex(
                  ValueLayout.JAVA_LONG_UNALIGNED, i, (long) factor << 32 | (shift & 0xFFFFFFFFL));
            }
          });

  /** Keeps what comes from the lowest rank. */
  public static final ReduceOp FIRST =
      ReduceOp.user(
          "first",
          false,
          (left, right, type, count) -> MemorySegment.copy(left, 0, right, 0, type.bytes(count)));

  /** Keeps what comes from the highest rank. */
  public static final ReduceOp LAST = ReduceOp.user("last", false, (_, _, _, _) -> {});

  private ReductionReference() {}

  /** Returns the operators that apply to a type in reductions. */
  public static List<ReduceOp> operators(DType type) {
    return List.<ReduceOp>of(ReduceOp.Builtin.values()).stream()
        .filter(op -> !op.equals(ReduceOp.REPLACE) && !op.equals(ReduceOp.NO_OP))
        .filter(op -> op.supports(type))
        .toList();
  }

  /** Fills a segment with operands that depend on the key alone. */
  public static void operands(
      long key, MemorySegment segment, DType type, long count, ReduceOp op) {
    Random random = new Random(key);
    for (long i = 0; i < count; i++) {
      if (type.kind() == DType.Kind.INTEGER) {
        setInteger(segment, type, i, integer(random));
      } else {
        int parts = type.kind() == DType.Kind.COMPLEX ? 2 : 1;
        for (int part = 0; part < parts; part++) {
          setReal(segment, type, i * parts + part, real(random, type, op));
        }
      }
    }
  }

  /** Draws an integer: none, an extreme one, a small one, or any. */
  private static long integer(Random random) {
    return switch (random.nextInt(10)) {
      case 0, 1 -> 0;
      case 2 -> Long.MIN_VALUE >> (random.nextInt(3) * 28);
      case 3 -> Long.MAX_VALUE >> (random.nextInt(3) * 28);
      case 4, 5 -> random.nextInt(9) - 4;
      default -> random.nextLong();
    };
  }

  private static double real(Random random, DType type, ReduceOp op) {
    int sign = random.nextBoolean() ? 1 : -1;
    if (op.equals(ReduceOp.PRODUCT)) {
      return sign
          * switch (type) {
            case F64 -> 2 * random.nextInt(32) + 1;
            case F32 -> 2 * random.nextInt(4) + 1;
            default -> 1 + random.nextInt(2);
          };
    }
    if (op.equals(ReduceOp.MIN) || op.equals(ReduceOp.MAX)) {
      return switch (random.nextInt(8)) {
        case 0 -> sign * Double.POSITIVE_INFINITY;
        case 1 -> sign * 0.0;
        case 2 -> sign * 1.5e-5 * random.nextDouble();
        case 3 -> sign * 6e4 * random.nextDouble();
        default -> sign * random.nextDouble();
      };
    }
    return sign
        * switch (type) {
          case F64, C128 -> random.nextLong(1L << 49);
          case F32, C64 -> random.nextInt(1 << 20);
          case F16 -> random.nextInt(100);
          default -> random.nextInt(25);
        };
  }

  /** Makes the operands of one rank, as {@link #operands} fills them in. */
  public static MemorySegment operands(
      RankMemory memory, long key, DType type, long count, ReduceOp op) {
    MemorySegment segment = memory.blank(type, count);
    operands(key, segment, type, count, op);
    return segment;
  }

  /** Combines the operands of the first {@code ranks} ranks, one after the other in rank order. */
  public static MemorySegment combined(
      RankMemory memory, long key, DType type, long count, ReduceOp op, int ranks) {
    MemorySegment result = operands(memory, RankMemory.key(key, 0), type, count, op);
    for (int rank = 1; rank < ranks; rank++) {
      MemorySegment next = operands(memory, RankMemory.key(key, rank), type, count, op);
      combine(result, next, type, count, op);
      result = next;
    }
    return result;
  }

  /** Checks that elements are equal; the sign of zero is left to the order of operations. */
  public static void check(
      MemorySegment expected, MemorySegment actual, DType type, long count, String what) {
    if (type.kind() == DType.Kind.INTEGER) {
      RankMemory.check(expected.asSlice(0, type.bytes(count)), actual, what);
      return;
    }
    long bytes = type.bytes(count);
    if (expected.asSlice(0, bytes).mismatch(actual.asSlice(0, bytes)) < 0) {
      return;
    }
    long parts = type.kind() == DType.Kind.COMPLEX ? 2 * count : count;
    for (long i = 0; i < parts; i++) {
      double wanted = real(expected, type, i);
      double got = real(actual, type, i);
      if (wanted != got) {
        fail(what + ": number " + i + " of " + parts + " is " + got + ", wanted " + wanted);
      }
    }
  }

  /** Sets {@code right[i] = left[i] op right[i]}. */
  public static void combine(
      MemorySegment left, MemorySegment right, DType type, long count, ReduceOp op) {
    if (op instanceof ReduceOp.User user) {
      if (count > 0) {
        user.function().combine(left, right, type, count);
      }
      return;
    }
    for (long i = 0; i < count; i++) {
      switch (type.kind()) {
        case INTEGER ->
            setInteger(
                right, type, i, integer(op, integer(left, type, i), integer(right, type, i)));
        case FLOAT -> setReal(right, type, i, real(op, real(left, type, i), real(right, type, i)));
        case COMPLEX -> complex(left, right, type, i, op);
      }
    }
  }

  private static long integer(ReduceOp op, long a, long b) {
    return switch ((ReduceOp.Builtin) op) {
      case SUM -> a + b;
      case PRODUCT -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case LOGICAL_AND -> a != 0 && b != 0 ? 1 : 0;
      case LOGICAL_OR -> a != 0 || b != 0 ? 1 : 0;
      case LOGICAL_XOR -> (a != 0) ^ (b != 0) ? 1 : 0;
      case BIT_AND -> a & b;
      case BIT_OR -> a | b;
      case BIT_XOR -> a ^ b;
      case REPLACE -> b;
      case NO_OP -> a;
    };
  }

  private static double real(ReduceOp op, double a, double b) {
    return switch ((ReduceOp.Builtin) op) {
      case SUM -> a + b;
      case PRODUCT -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case REPLACE -> b;
      case NO_OP -> a;
      default -> throw new IllegalArgumentException(op.label());
    };
  }

  private static void complex(
      MemorySegment left, MemorySegment right, DType type, long i, ReduceOp op) {
    double a = real(left, type, 2 * i);
    double b = real(left, type, 2 * i + 1);
    double c = real(right, type, 2 * i);
    double d = real(right, type, 2 * i + 1);
    boolean product = op.equals(ReduceOp.PRODUCT);
    setReal(right, type, 2 * i, product ? a * c - b * d : real(op, a, c));
    setReal(right, type, 2 * i + 1, product ? a * d + b * c : real(op, b, d));
  }

  private static long integer(MemorySegment segment, DType type, long i) {
    return switch (type) {
      case I8 -> segment.get(ValueLayout.JAVA_BYTE, i);
      case I32 -> segment.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i);
      default -> segment.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i);
    };
  }

  private static void setInteger(MemorySegment segment, DType type, long i, long value) {
    switch (type) {
      case I8 -> segment.set(ValueLayout.JAVA_BYTE, i, (byte) value);
      case I32 -> segment.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i, (int) value);
      default -> segment.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, value);
    }
  }

  /** Reads a real number, or one part of a complex one. */
  private static double real(MemorySegment segment, DType type, long i) {
    return switch (type) {
      case F16 -> Float.float16ToFloat(segment.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i));
      case BF16 ->
          Float.intBitsToFloat(segment.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i) << 16);
      case F32, C64 -> segment.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i);
      default -> segment.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, i);
    };
  }

  private static void setReal(MemorySegment segment, DType type, long i, double value) {
    switch (type) {
      case F16 ->
          segment.setAtIndex(
              ValueLayout.JAVA_SHORT_UNALIGNED, i, Float.floatToFloat16((float) value));
      case BF16 ->
          segment.setAtIndex(
              ValueLayout.JAVA_SHORT_UNALIGNED,
              i,
              (short) (Float.floatToIntBits((float) value) >> 16));
      case F32, C64 -> segment.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, (float) value);
      default -> segment.setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, i, value);
    }
  }
}
