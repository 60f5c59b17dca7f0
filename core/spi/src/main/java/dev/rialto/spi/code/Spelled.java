package dev.rialto.spi.code;

import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.Select;
import dev.rialto.spi.code.Type.Kind;

/**
 * Values spelled out in simpler operators, for targets that have no instruction for them. Operands
 * are scalars that are used more than once, so they should be variables or constants.
 */
public final class Spelled {
  private Spelled() {}

  /**
   * Returns whether a condition is that a number is from 0 up and below another one. Of numbers
   * without a sign that is one comparison, if the other is 0 where it is less.
   */
  public static boolean isWithin(Expr condition) {
    return condition instanceof Binary(BinaryOp and, Expr above, Expr below)
        && and == BinaryOp.AND
        && above instanceof Binary(BinaryOp le, Const none, Expr x)
        && le == BinaryOp.LE
        && none.bits() == 0
        && below instanceof Binary(BinaryOp lt, Expr same, Expr _)
        && lt == BinaryOp.LT
        && x.equals(same)
        && !x.type().isFloat()
        && x.type().lanes() == 1;
  }

  /** Returns the smaller of two numbers, as {@link Math#min(double, double)} does. */
  public static Expr min(Expr x, Expr y) {
    return x.type().isFloat()
        ? ordered(x, y, x, y)
        : new Select(new Binary(BinaryOp.LT, x, y), x, y);
  }

  /** Returns the greater of two numbers, as {@link Math#max(double, double)} does. */
  public static Expr max(Expr x, Expr y) {
    return x.type().isFloat()
        ? ordered(x, y, y, x)
        : new Select(new Binary(BinaryOp.LT, x, y), y, x);
  }

  /** One of two as {@code x} is less than {@code y} or not, -0 being less than 0; or NaN. */
  private static Expr ordered(Expr x, Expr y, Expr yes, Expr no) {
    Expr equalAndNegative =
        new Binary(
            BinaryOp.AND,
            new Binary(BinaryOp.EQ, x, y),
            new Binary(BinaryOp.LT, bits(x), new Const(bits(x).type(), 0)));
    Expr less = new Binary(BinaryOp.OR, new Binary(BinaryOp.LT, x, y), equalAndNegative);
    Expr number = new Select(new Binary(BinaryOp.NE, y, y), y, new Select(less, yes, no));
    return new Select(new Binary(BinaryOp.NE, x, x), x, number);
  }

  private static Expr bits(Expr x) {
    return x.type().isFloat()
        ? new Expr.Bits(x.type().kind() == Kind.F64 ? Type.I64 : Type.I32, x)
        : x;
  }

  /** Returns what {@link Expr.Saturate} means. */
  public static Expr saturate(Type type, Expr x) {
    boolean wide = type.kind() == Kind.I64;
    long most = wide ? Long.MAX_VALUE : Integer.MAX_VALUE;
    Expr limit = Expr.of(x.type(), wide ? 0x1p63 : 0x1p31);
    Expr negative = Expr.of(x.type(), wide ? -0x1p63 : -0x1p31);
    Expr within =
        new Select(
            new Binary(BinaryOp.LE, x, negative),
            new Const(type, -most - 1),
            new Expr.Convert(type, x));
    Expr bounded = new Select(new Binary(BinaryOp.LE, limit, x), new Const(type, most), within);
    return new Select(new Binary(BinaryOp.NE, x, x), new Const(type, 0), bounded);
  }

  /** Returns what an atomic step makes of an element whose value {@code old} holds. */
  public static Expr next(Stmt.AtomicOp op, Expr old, Expr value, Expr expected) {
    return switch (op) {
      case ADD -> new Binary(BinaryOp.ADD, old, value);
      case AND -> new Binary(BinaryOp.AND, old, value);
      case OR -> new Binary(BinaryOp.OR, old, value);
      case XOR -> new Binary(BinaryOp.XOR, old, value);
      case MIN -> min(old, value);
      case MAX -> max(old, value);
      case EXCHANGE -> value;
      case GET -> old;
      case COMPARE_AND_SET ->
          new Select(new Binary(BinaryOp.EQ, bits(old), bits(expected)), value, old);
    };
  }
}
