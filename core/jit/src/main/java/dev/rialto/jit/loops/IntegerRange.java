package dev.rialto.jit.loops;

import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Type;
import org.jspecify.annotations.Nullable;

/**
 * Bounds of an integer, and the distance of the values between them.
 *
 * @param min it is not less
 * @param max it is not greater
 * @param step it is {@code min} and a multiple of this; 0 if it is {@code min} itself
 */
public record IntegerRange(long min, long max, long step) {
  private static final IntegerRange INTS = new IntegerRange(Integer.MIN_VALUE, Integer.MAX_VALUE);
  private static final IntegerRange LONGS = new IntegerRange(Long.MIN_VALUE, Long.MAX_VALUE);

  /** Any integer between bounds. */
  public IntegerRange(long min, long max) {
    this(min, max, min == max ? 0 : 1);
  }

  /** The integers between bounds that are {@code known} and multiples of a step. */
  public static IntegerRange every(long step, long known, long min, long max) {
    if (step < 2 || min > max) {
      return new IntegerRange(min, max);
    }
    // Remainders one by one: a difference could wrap around.
    long at = Math.floorMod(known, step);
    long up = Math.floorMod(at - Math.floorMod(min, step), step);
    long down = Math.floorMod(Math.floorMod(max, step) - at, step);
    if (min > Long.MAX_VALUE - up || max < Long.MIN_VALUE + down) {
      return new IntegerRange(min, max);
    }
    long first = min + up;
    long last = max - down;
    return first < last
        ? new IntegerRange(first, last, step)
        : new IntegerRange(first, last); // one, or none
  }

  public static IntegerRange of(Type type) {
    return switch (type.kind()) {
      case I32 -> INTS;
      case BOOL -> new IntegerRange(0, 1);
      default -> LONGS;
    };
  }

  public static IntegerRange of(long value) {
    return new IntegerRange(value, value);
  }

  public boolean isInt() {
    return min >= Integer.MIN_VALUE && max <= Integer.MAX_VALUE;
  }

  public boolean isEmpty() {
    return min > max;
  }

  public IntegerRange join(IntegerRange other) {
    return every(together(other), min, Math.min(min, other.min), Math.max(max, other.max));
  }

  /** The largest step between the values of both; 1 if there is none. */
  private long together(IntegerRange other) {
    long apart = min - other.min;
    boolean wraps = ((min ^ other.min) & (min ^ apart)) < 0 || apart == Long.MIN_VALUE;
    return wraps ? 1 : divisor(divisor(step, other.step), apart);
  }

  private static long divisor(long x, long y) {
    return y == 0 ? Math.abs(x) : divisor(y, x % y);
  }

  public IntegerRange meet(IntegerRange other) {
    IntegerRange sparse = step == 0 || (other.step != 0 && step >= other.step) ? this : other;
    long least = Math.max(min, other.min);
    long most = Math.min(max, other.max);
    return every(sparse.step, sparse.min, least, most);
  }

  /** The values from these on by steps, and none above {@code last}. */
  public IntegerRange upTo(long last, long by) {
    return every(divisor(step, by), min, min, last);
  }

  /** The bounds that a next round has not changed, and those of the type for the others. */
  public IntegerRange widen(IntegerRange next, Type type) {
    IntegerRange all = of(type);
    return every(
        together(next), min, next.min < min ? all.min : min, next.max > max ? all.max : max);
  }

  /**
   * The range of an operator's result if none of the results wraps around; otherwise that of all
   * numbers of the type.
   */
  public static IntegerRange combine(BinaryOp op, IntegerRange x, IntegerRange y, Type type) {
    IntegerRange result = exact(op, x, y);
    return result != null && isWithin(result, of(type)) ? result : of(type);
  }

  /** Returns whether the range of a result is known because none of the results wraps around. */
  public static boolean isExact(BinaryOp op, IntegerRange x, IntegerRange y, Type type) {
    IntegerRange result = exact(op, x, y);
    return result != null && isWithin(result, of(type));
  }

  private static boolean isWithin(IntegerRange range, IntegerRange other) {
    return range.min >= other.min && range.max <= other.max;
  }

  /** The range of a result as if numbers had no end; null if little is known of it. */
  private static @Nullable IntegerRange exact(BinaryOp op, IntegerRange x, IntegerRange y) {
    return switch (op) {
      case ADD ->
          adds(x.min, y.min) && adds(x.max, y.max)
              ? every(divisor(x.step, y.step), x.min + y.min, x.min + y.min, x.max + y.max)
              : null;
      case SUB ->
          differs(x.min, y.max) && differs(x.max, y.min)
              ? every(divisor(x.step, y.step), x.min - y.max, x.min - y.max, x.max - y.min)
              : null;
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
  }

  /** Whether it is one number of bits that any integer can be shifted by. */
  private static boolean isCount(IntegerRange y) {
    return y.min == y.max && y.min >= 0 && y.min < Integer.SIZE - 1;
  }

  // Most ranges of 64-bit numbers do not fit: an exception for each takes longer than all else.

  /** Whether a sum fits 64 bits. */
  private static boolean adds(long a, long b) {
    return ((a ^ (a + b)) & (b ^ (a + b))) >= 0;
  }

  /** Whether a difference fits 64 bits. */
  private static boolean differs(long a, long b) {
    return ((a ^ b) & (a ^ (a - b))) >= 0;
  }

  /** Whether a product fits 64 bits. */
  private static boolean multiplies(long a, long b) {
    return Math.multiplyHigh(a, b) == (a * b) >> (Long.SIZE - 1);
  }

  private static @Nullable IntegerRange product(IntegerRange x, IntegerRange y) {
    // One of two factors that is a single number stretches the step of the other.
    boolean stretches = x.step == 0 || y.step == 0;
    long single = x.step == 0 ? x.min : y.min;
    long step = x.step + y.step;
    if (!multiplies(x.min, y.min)
        || !multiplies(x.min, y.max)
        || !multiplies(x.max, y.min)
        || !multiplies(x.max, y.max)
        || (stretches && !multiplies(single, step))) {
      return null;
    }
    long a = x.min * y.min;
    long b = x.min * y.max;
    long c = x.max * y.min;
    long d = x.max * y.max;
    long least = Math.min(Math.min(a, b), Math.min(c, d));
    long most = Math.max(Math.max(a, b), Math.max(c, d));
    long by = stretches ? single * step : 1;
    return every(by == Long.MIN_VALUE ? 1 : Math.abs(by), a, least, most);
  }
}
