package dev.rialto.jit.lift.range;

import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Type;
import org.jspecify.annotations.Nullable;

/**
 * Bounds of an integer.
 *
 * @param min it is not less
 * @param max it is not greater
 */
public record IntegerRange(long min, long max) {
  private static final IntegerRange INTS = new IntegerRange(Integer.MIN_VALUE, Integer.MAX_VALUE);
  private static final IntegerRange LONGS = new IntegerRange(Long.MIN_VALUE, Long.MAX_VALUE);

  static IntegerRange of(Type type) {
    return switch (type.kind()) {
      case I32 -> INTS;
      case BOOL -> new IntegerRange(0, 1);
      default -> LONGS;
    };
  }

  static IntegerRange of(long value) {
    return new IntegerRange(value, value);
  }

  boolean isInt() {
    return min >= Integer.MIN_VALUE && max <= Integer.MAX_VALUE;
  }

  boolean isEmpty() {
    return min > max;
  }

  IntegerRange join(IntegerRange other) {
    return new IntegerRange(Math.min(min, other.min), Math.max(max, other.max));
  }

  IntegerRange meet(IntegerRange other) {
    long least = Math.max(min, other.min);
    long most = Math.min(max, other.max);
    return new IntegerRange(least, most);
  }

  /** The bounds that a next round has not changed, and those of the type for the others. */
  IntegerRange widen(IntegerRange next, Type type) {
    IntegerRange all = of(type);
    return new IntegerRange(next.min < min ? all.min : min, next.max > max ? all.max : max);
  }

  /**
   * The range of an operator's result if none of the results wraps around; otherwise that of all
   * numbers of the type.
   */
  static IntegerRange combine(BinaryOp op, IntegerRange x, IntegerRange y, Type type) {
    IntegerRange result = exact(op, x, y);
    return result != null && isWithin(result, of(type)) ? result : of(type);
  }

  /** Returns whether the range of a result is known because none of the results wraps around. */
  static boolean isExact(BinaryOp op, IntegerRange x, IntegerRange y, Type type) {
    IntegerRange result = exact(op, x, y);
    return result != null && isWithin(result, of(type));
  }

  private static boolean isWithin(IntegerRange range, IntegerRange other) {
    return range.min >= other.min && range.max <= other.max;
  }

  /** The range of a result as if numbers had no end; null if little is known of it. */
  private static @Nullable IntegerRange exact(BinaryOp op, IntegerRange x, IntegerRange y) {
    try {
      return switch (op) {
        case ADD -> new IntegerRange(Math.addExact(x.min, y.min), Math.addExact(x.max, y.max));
        case SUB ->
            new IntegerRange(Math.subtractExact(x.min, y.max), Math.subtractExact(x.max, y.min));
        case MUL -> product(x, y);
        case SHL -> isCount(y) ? product(x, of(1L << y.min)) : null;
        case SHR -> isCount(y) ? new IntegerRange(x.min >> y.min, x.max >> y.min) : null;
        case USHR ->
            isCount(y) && x.min >= 0 ? new IntegerRange(x.min >> y.min, x.max >> y.min) : null;
        case DIV ->
            y.min == y.max && y.min > 0 ? new IntegerRange(x.min / y.min, x.max / y.min) : null;
        case REM ->
            y.min > 0
                ? new IntegerRange(
                    x.min >= 0 ? 0 : Math.max(x.min, 1 - y.max),
                    x.max <= 0 ? 0 : Math.min(x.max, y.max - 1))
                : null;
        case AND ->
            x.min >= 0
                ? new IntegerRange(0, y.min >= 0 ? Math.min(x.max, y.max) : x.max)
                : y.min >= 0 ? new IntegerRange(0, y.max) : null;
        default -> null;
      };
    } catch (ArithmeticException e) {
      return null; // beyond 64 bits
    }
  }

  /** Whether it is one number of bits that any integer can be shifted by. */
  private static boolean isCount(IntegerRange y) {
    return y.min == y.max && y.min >= 0 && y.min < Integer.SIZE - 1;
  }

  private static IntegerRange product(IntegerRange x, IntegerRange y) {
    long a = Math.multiplyExact(x.min, y.min);
    long b = Math.multiplyExact(x.min, y.max);
    long c = Math.multiplyExact(x.max, y.min);
    long d = Math.multiplyExact(x.max, y.max);
    return new IntegerRange(
        Math.min(Math.min(a, b), Math.min(c, d)), Math.max(Math.max(a, b), Math.max(c, d)));
  }
}
