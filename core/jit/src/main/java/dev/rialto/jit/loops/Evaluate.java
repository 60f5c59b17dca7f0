package dev.rialto.jit.loops;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.code.Type.Kind;

/** The operators on scalar constants, for folding and for the interpreter. */
public final class Evaluate {
  private Evaluate() {}

  /** Applies an operator of one operand. */
  public static Const unary(UnaryOp op, Const x) {
    Type t = x.type();
    return switch (op) {
      case NEG ->
          switch (t.kind()) {
            case F32 -> new Const(t, (int) x.bits() ^ Integer.MIN_VALUE);
            case F64 -> new Const(t, x.bits() ^ Long.MIN_VALUE);
            default -> integer(t, -x.bits());
          };
      case ABS ->
          t.kind() == Kind.F32
              ? new Const(t, (int) x.bits() & Integer.MAX_VALUE)
              : new Const(t, x.bits() & Long.MAX_VALUE);
      case SQRT -> real(t, Math.sqrt(x.real()));
      case NOT -> t.kind() == Kind.BOOL ? new Const(t, 1 - x.bits()) : integer(t, ~x.bits());
      case FLOOR -> real(t, Math.floor(x.real()));
      case CEIL -> real(t, Math.ceil(x.real()));
      case RINT -> real(t, Math.rint(x.real()));
      case BIT_COUNT ->
          integer(
              t, t.kind() == Kind.I32 ? Integer.bitCount((int) x.bits()) : Long.bitCount(x.bits()));
      case LEADING_ZEROS ->
          integer(
              t,
              t.kind() == Kind.I32
                  ? Integer.numberOfLeadingZeros((int) x.bits())
                  : Long.numberOfLeadingZeros(x.bits()));
      default -> real(t, function(op, x.real()));
    };
  }

  private static double function(UnaryOp op, double x) {
    return switch (op) {
      case SIN -> Math.sin(x);
      case COS -> Math.cos(x);
      case TAN -> Math.tan(x);
      case ASIN -> Math.asin(x);
      case ACOS -> Math.acos(x);
      case ATAN -> Math.atan(x);
      case SINH -> Math.sinh(x);
      case COSH -> Math.cosh(x);
      case TANH -> Math.tanh(x);
      case EXP -> Math.exp(x);
      case EXPM1 -> Math.expm1(x);
      case LOG -> Math.log(x);
      case LOG10 -> Math.log10(x);
      case LOG1P -> Math.log1p(x);
      case CBRT -> Math.cbrt(x);
      default -> throw new IllegalArgumentException(op + " is no function");
    };
  }

  private static double function(BinaryOp op, double x, double y) {
    return switch (op) {
      case POW -> Math.pow(x, y);
      case ATAN2 -> Math.atan2(x, y);
      default -> Math.hypot(x, y);
    };
  }

  /** Applies an operator of two operands. */
  public static Const binary(BinaryOp op, Const x, Const y) {
    Type t = x.type();
    if (op.isFunction()) {
      return real(t, function(op, x.real(), y.real()));
    }
    if (t.isFloat()) {
      // Of floats too: rounding the result twice gives what rounding it once would.
      double a = x.real();
      double b = y.real();
      return switch (op) {
        case ADD -> real(t, a + b);
        case SUB -> real(t, a - b);
        case MUL -> real(t, a * b);
        case DIV -> real(t, a / b);
        case REM -> real(t, a % b);
        default -> compare(op, a, b);
      };
    }
    long a = x.bits();
    long b = y.bits();
    int shift = (int) b & (t.kind().bits() - 1);
    return switch (op) {
      case ADD -> integer(t, a + b);
      case SUB -> integer(t, a - b);
      case MUL -> integer(t, a * b);
      case DIV -> integer(t, a / b);
      case REM -> integer(t, a % b);
      case AND -> new Const(t, a & b);
      case OR -> new Const(t, a | b);
      case XOR -> new Const(t, a ^ b);
      case SHL -> integer(t, a << shift);
      case SHR -> integer(t, a >> shift);
      case USHR -> t.kind() == Kind.I32 ? integer(t, (int) a >>> shift) : integer(t, a >>> shift);
      case EQ -> bool(a == b);
      case NE -> bool(a != b);
      case LT -> bool(a < b);
      case LE -> bool(a <= b);
      case POW, ATAN2, HYPOT -> throw new IllegalArgumentException(op + " of integers");
    };
  }

  private static Const compare(BinaryOp op, double a, double b) {
    return switch (op) {
      case EQ -> bool(a == b);
      case NE -> bool(a != b);
      case LT -> bool(a < b);
      case LE -> bool(a <= b);
      default -> throw new IllegalArgumentException(op + " is not for floating-point numbers");
    };
  }

  /** Returns {@code a * b + c}, rounded once. */
  public static Const fma(Const a, Const b, Const c) {
    return a.type().kind() == Kind.F32
        ? real(a.type(), Math.fma((float) a.real(), (float) b.real(), (float) c.real()))
        : real(a.type(), Math.fma(a.real(), b.real(), c.real()));
  }

  /** Converts a number; one that is out of an integer's range as {@link Expr.Saturate} does. */
  public static Const convert(Type to, Const x) {
    Type from = x.type();
    if (from.isFloat()) {
      return switch (to.kind()) {
        case F32, F64 -> real(to, x.real());
        case I32 -> integer(to, (int) x.real());
        default -> integer(to, (long) x.real());
      };
    }
    return switch (to.kind()) {
      case F32 -> real32((float) x.bits());
      case F64 -> real(to, (double) x.bits());
      default -> integer(to, x.bits());
    };
  }

  private static Const real32(float value) {
    return new Const(Type.F32, Float.floatToRawIntBits(value));
  }

  private static Const real(Type t, double value) {
    return t.kind() == Kind.F32
        ? real32((float) value)
        : new Const(Type.F64, Double.doubleToRawLongBits(value));
  }

  private static Const integer(Type t, long value) {
    return new Const(t, t.kind() == Kind.I32 ? (int) value : value);
  }

  private static Const bool(boolean value) {
    return new Const(Type.BOOL, value ? 1 : 0);
  }
}
