package dev.rialto.jit.loops;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.Fma;
import dev.rialto.spi.code.Expr.Select;
import dev.rialto.spi.code.Expr.Splat;
import dev.rialto.spi.code.Expr.Unary;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;

/**
 * Replaces expressions by simpler ones of the same value.
 *
 * <p>Strict rules keep every bit, so {@code x * 1} goes but {@code x + 0} stays: it turns −0 into
 * 0. Fast ones treat floating-point numbers as reals without infinities, and contract products and
 * sums.
 */
public final class Simplify {
  /** The products and sums that fast rules make one step, rounded once. */
  public enum Contraction {
    /** None: what compiles them does so itself. */
    NONE,
    /**
     * Those of vectors. Fused scalars are fewer instructions but wait longer for one another:
     * Mandelbrot's took 1.17 times as long on cores.
     */
    VECTORS,
    /** All. */
    ALL;

    private boolean isFor(Type type) {
      return this == ALL || (this == VECTORS && type.lanes() > 1);
    }
  }

  private Simplify() {}

  /** Simplifies all expressions of a statement, strictly. */
  public static Stmt apply(Stmt body) {
    return Ir.mapExpressions(body, e -> Ir.rewrite(e, x -> rule(x, false)));
  }

  /** Simplifies all expressions of a statement by fast rules. */
  public static Stmt fast(Stmt body, Contraction contraction) {
    return Ir.mapExpressions(body, e -> Ir.rewrite(e, x -> rule(x, true, contraction)));
  }

  /** Applies the first rule that fits; the operands are simple already. */
  public static Expr rule(Expr e, boolean fast) {
    return rule(e, fast, Contraction.ALL);
  }

  private static Expr rule(Expr e, boolean fast, Contraction contraction) {
    return switch (e) {
      case Unary(Expr.UnaryOp op, Const c) when !op.isFunction() -> Evaluate.unary(op, c);
      case Unary(Expr.UnaryOp op, Unary(Expr.UnaryOp inner, Expr x))
          when op == inner && (op == Expr.UnaryOp.NEG || op == Expr.UnaryOp.NOT) ->
          x;
      case Binary b -> binary(b, fast, contraction);
      case Select(Const c, Expr yes, Expr no) -> c.bits() != 0 ? yes : no;
      case Select(Splat(int _, Const c), Expr yes, Expr no) -> c.bits() != 0 ? yes : no;
      case Select(Expr _, Expr yes, Expr no) when yes.equals(no) -> yes;
      case Select(
              Binary(BinaryOp op, Select(Expr c, Const one, Const zero), Const none),
              Expr yes,
              Expr no)
          when op == BinaryOp.NE && isNumber(one, 1) && isNumber(zero, 0) && isNumber(none, 0) ->
          new Select(c, yes, no);
      case Expr.Convert(Type type, Const c) -> Evaluate.convert(type, c);
      case Expr.Saturate(Type type, Const c) -> Evaluate.convert(type, c);
      case Expr.Convert(Type type, Expr x) when x.type().equals(type) -> x;
      case Expr.Convert(Type type, Unary(Expr.UnaryOp op, Expr.Convert(Type _, Expr x)))
          when fast && op.isFunction() && type.equals(Type.F32) && x.type().equals(Type.F32) ->
          new Unary(op, x);
      case Expr.Convert(Type type, Unary(Expr.UnaryOp op, Expr.Convert(Type _, Expr x)))
          when op == Expr.UnaryOp.SQRT && type.equals(Type.F32) && x.type().equals(Type.F32) ->
          new Unary(op, x); // rounded once or twice, the root has the same bits
      case Expr.Bits(Type type, Const c) when type.lanes() == 1 -> new Const(type, bits(type, c));
      case Expr.Lane(Splat(int _, Expr x), int _) -> x;
      default -> e;
    };
  }

  private static long bits(Type type, Const c) {
    return type.kind() == Type.Kind.I32 ? (int) c.bits() : c.bits();
  }

  private static Expr binary(Binary b, boolean fast, Contraction contraction) {
    if (b.op().isFunction()) {
      return b;
    }
    if (b.left() instanceof Const x && b.right() instanceof Const y) {
      return Evaluate.binary(b.op(), x, y);
    }
    return b.left().type().isFloat() ? real(b, fast, contraction) : integer(b);
  }

  private static Expr integer(Binary b) {
    Expr x = b.left();
    Expr y = b.right();
    switch (b.op()) {
      case ADD -> {
        if (isNumber(x, 0)) {
          return y;
        }
        if (isNumber(y, 0)) {
          return x;
        }
        if (x instanceof Const) {
          return rule(new Binary(BinaryOp.ADD, y, x), false);
        }
        if (y instanceof Const d
            && x instanceof Binary(BinaryOp op, Expr inner, Const c)
            && op == BinaryOp.ADD) {
          return rule(new Binary(BinaryOp.ADD, inner, Evaluate.binary(BinaryOp.ADD, c, d)), false);
        }
        if (y instanceof Binary(BinaryOp op, Expr inner, Const c) && op == BinaryOp.ADD) {
          return rule(
              new Binary(BinaryOp.ADD, rule(new Binary(BinaryOp.ADD, x, inner), false), c), false);
        }
      }
      case SUB -> {
        if (isNumber(y, 0)) {
          return x;
        }
        if (x.equals(y) && x.type().lanes() == 1) {
          return Expr.of(x.type(), 0);
        }
      }
      case MUL -> {
        if (isNumber(x, 1)) {
          return y;
        }
        if (isNumber(y, 1)) {
          return x;
        }
        if (isNumber(x, 0)) {
          return x;
        }
        if (isNumber(y, 0)) {
          return y;
        }
      }
      case DIV -> {
        if (isNumber(y, 1)) {
          return x;
        }
      }
      default -> {}
    }
    return b;
  }

  private static Expr real(Binary b, boolean fast, Contraction contraction) {
    Expr x = b.left();
    Expr y = b.right();
    boolean contracts = fast && contraction.isFor(b.type());
    return switch (b.op()) {
      case MUL ->
          isNumber(y, 1)
              ? x
              : isNumber(x, 1) ? y : fast && isNumber(x, 0) ? x : fast && isNumber(y, 0) ? y : b;
      case DIV -> isNumber(y, 1) ? x : b;
      case ADD ->
          isMinusZero(y) || (fast && isNumber(y, 0))
              ? x
              : isMinusZero(x) || (fast && isNumber(x, 0)) ? y : contracts ? contract(b, x, y) : b;
      case SUB ->
          isNumber(y, 0) && !isMinusZero(y)
              ? x
              : contracts && y instanceof Binary(BinaryOp op, Expr p, Expr q) && op == BinaryOp.MUL
                  ? new Fma(new Unary(Expr.UnaryOp.NEG, p), q, x)
                  : b;
      default -> b;
    };
  }

  private static Expr contract(Expr sum, Expr x, Expr y) {
    if (y instanceof Binary(BinaryOp op, Expr p, Expr q) && op == BinaryOp.MUL) {
      return new Fma(p, q, x);
    }
    if (x instanceof Binary(BinaryOp op, Expr p, Expr q) && op == BinaryOp.MUL) {
      return new Fma(p, q, y);
    }
    return sum;
  }

  private static Expr scalar(Expr e) {
    return e instanceof Splat(int _, Expr value) ? value : e;
  }

  private static boolean isNumber(Expr e, double value) {
    return scalar(e) instanceof Const c
        && (c.type().isFloat() ? c.real() == value : c.bits() == (long) value);
  }

  private static boolean isMinusZero(Expr e) {
    return scalar(e) instanceof Const c
        && c.type().isFloat()
        && Double.doubleToRawLongBits(c.real()) == Long.MIN_VALUE;
  }
}
