package dev.rialto.spi.code;

import dev.rialto.spi.code.Type.Kind;

/**
 * A value. Evaluating one has no effect, and every operator is defined for every operand, so that
 * all targets give the same bits: integers wrap, shifts take the low bits of their count, floating
 * point is IEEE 754 with rounding to nearest and no contraction. The functions from {@link
 * UnaryOp#SIN} on and their like of two operands are the exception. Operands of an operator have
 * the same type, lanes included.
 */
public sealed interface Expr {
  /** Returns the type of the value. */
  Type type();

  /**
   * A constant.
   *
   * @param type a scalar type
   * @param bits an integer's value, 0 or 1 for a condition, or a floating-point number's raw bits
   */
  record Const(Type type, long bits) implements Expr {
    /** Returns the value of a floating-point constant. */
    public double real() {
      return type.kind() == Kind.F32
          ? Float.intBitsToFloat((int) bits)
          : Double.longBitsToDouble(bits);
    }
  }

  /**
   * A variable: a loop's index, or one that {@link Stmt.Let} made.
   *
   * @param name unique in the procedure
   * @param type what it holds
   */
  record Var(String name, Type type) implements Expr {}

  /**
   * Elements of a buffer, side by side.
   *
   * @param buffer where
   * @param offset the first element's index, an I64
   * @param lanes how many
   */
  record Load(Buffer buffer, Expr offset, int lanes) implements Expr {
    @Override
    public Type type() {
      return new Type(buffer.storage().register(), lanes);
    }
  }

  /**
   * An operator of one operand.
   *
   * @param op which
   * @param value the operand
   */
  record Unary(UnaryOp op, Expr value) implements Expr {
    @Override
    public Type type() {
      return value.type();
    }
  }

  /**
   * An operator of two operands.
   *
   * @param op which
   * @param left the first operand
   * @param right the second operand
   */
  record Binary(BinaryOp op, Expr left, Expr right) implements Expr {
    @Override
    public Type type() {
      return op.compares() ? left.type().withKind(Kind.BOOL) : left.type();
    }
  }

  /**
   * {@code a * b + c}, rounded once.
   *
   * @param a a factor
   * @param b a factor
   * @param c the summand
   */
  record Fma(Expr a, Expr b, Expr c) implements Expr {
    @Override
    public Type type() {
      return a.type();
    }
  }

  /**
   * One of two values, lane by lane.
   *
   * @param condition of kind BOOL
   * @param yes where it holds
   * @param no where it does not
   */
  record Select(Expr condition, Expr yes, Expr no) implements Expr {
    @Override
    public Type type() {
      return yes.type();
    }
  }

  /**
   * The same number in another type: rounded to nearest, or towards zero to an integer. What an
   * integer becomes that is out of range is not defined.
   *
   * @param type the result's
   * @param value not a condition
   */
  record Convert(Type type, Expr value) implements Expr {}

  /**
   * A number as an integer, as Java casts it: rounded towards zero, NaN is 0, and what is out of
   * range is the nearest integer that there is.
   *
   * @param type I32 or I64
   * @param value a floating-point scalar
   */
  record Saturate(Type type, Expr value) implements Expr {}

  /**
   * The same bits in another type of the same size.
   *
   * @param type the result's
   * @param value not a condition
   */
  record Bits(Type type, Expr value) implements Expr {}

  /**
   * A scalar in every lane.
   *
   * @param lanes how many, from 2
   * @param value the scalar
   */
  record Splat(int lanes, Expr value) implements Expr {
    @Override
    public Type type() {
      return value.type().withLanes(lanes);
    }
  }

  /**
   * {@code base, base + 1, …}, an I64 per lane.
   *
   * @param base the first, an I64
   * @param lanes how many, from 2
   */
  record Ramp(Expr base, int lanes) implements Expr {
    @Override
    public Type type() {
      return Type.I64.withLanes(lanes);
    }
  }

  /**
   * One lane of a vector.
   *
   * @param value the vector
   * @param lane which
   */
  record Lane(Expr value, int lane) implements Expr {
    @Override
    public Type type() {
      return value.type().withLanes(1);
    }
  }

  /**
   * Whether a condition holds in a lane, which is expected to be rare.
   *
   * @param condition of kind BOOL, of any number of lanes
   */
  record Any(Expr condition) implements Expr {
    @Override
    public Type type() {
      return Type.BOOL;
    }
  }

  /** The operators of one operand. */
  enum UnaryOp {
    /** The negative. */
    NEG,
    /** The magnitude; of floating-point numbers only. */
    ABS,
    /** The square root; of floating-point numbers only. */
    SQRT,
    /** All bits, or the condition, inverted. */
    NOT,
    /** The greatest whole number that is not above; of floating-point scalars only. */
    FLOOR,
    /** The least whole number that is not below; of floating-point scalars only. */
    CEIL,
    /** The nearest whole number, the even one of two; of floating-point scalars only. */
    RINT,
    /** The number of bits set; of integer scalars only. */
    BIT_COUNT,
    /** The number of zeros above the highest bit set; of integer scalars only. */
    LEADING_ZEROS,
    /**
     * The sine. This and the functions after it are of floating-point scalars only, and the
     * target's own: near the true value, as {@link Math} demands, but not the same bits everywhere.
     */
    SIN,
    /** The cosine. */
    COS,
    /** The tangent. */
    TAN,
    /** The angle whose sine it is. */
    ASIN,
    /** The angle whose cosine it is. */
    ACOS,
    /** The angle whose tangent it is. */
    ATAN,
    /** The hyperbolic sine. */
    SINH,
    /** The hyperbolic cosine. */
    COSH,
    /** The hyperbolic tangent. */
    TANH,
    /** The power of e. */
    EXP,
    /** The power of e, less 1. */
    EXPM1,
    /** The natural logarithm. */
    LOG,
    /** The logarithm to base 10. */
    LOG10,
    /** The natural logarithm of it and 1. */
    LOG1P,
    /** The cube root. */
    CBRT;

    /** Returns whether it is a function of the target's own. */
    public boolean isFunction() {
      return compareTo(SIN) >= 0;
    }
  }

  /** The operators of two operands. */
  enum BinaryOp {
    /** The sum. */
    ADD("+"),
    /** The difference. */
    SUB("-"),
    /** The product. */
    MUL("*"),
    /** The quotient; an integer's is rounded towards zero, and the divisor is never 0 or -1. */
    DIV("/"),
    /**
     * The remainder of a quotient rounded towards zero, with the sign of the first operand,
     * exactly; of scalars only, and an integer divisor is never 0 or -1.
     */
    REM("%"),
    /** Each bit that both have; of integers and conditions. */
    AND("&"),
    /** Each bit that either has; of integers and conditions. */
    OR("|"),
    /** Each bit that one of the two has; of integers and conditions. */
    XOR("^"),
    /** Bits moved to the left; of integers. */
    SHL("<<"),
    /** Bits moved to the right, the sign filling in; of integers. */
    SHR(">>"),
    /** Bits moved to the right, zeros filling in; of integers. */
    USHR(">>>"),
    /**
     * The first operand to the power of the second. This and the functions after it are of
     * floating-point scalars only, and the target's own, as those of one operand are.
     */
    POW("pow"),
    /** The angle of the point whose ordinate is first and whose abscissa is second. */
    ATAN2("atan2"),
    /** The distance of that point from the origin. */
    HYPOT("hypot"),
    /** Equal; false for NaN. */
    EQ("=="),
    /** Not equal; true for NaN. */
    NE("!="),
    /** Less; false for NaN. */
    LT("<"),
    /** Less or equal; false for NaN. */
    LE("<=");

    private final String symbol;

    BinaryOp(String symbol) {
      this.symbol = symbol;
    }

    /** Returns how it is written. */
    public String symbol() {
      return symbol;
    }

    /** Returns whether it is a function of the target's own. */
    public boolean isFunction() {
      return this == POW || this == ATAN2 || this == HYPOT;
    }

    /** Returns whether the result is a condition whatever the operands are. */
    public boolean compares() {
      return compareTo(EQ) >= 0;
    }
  }

  /** Makes a scalar constant of a type; integers take the whole part. */
  static Const of(Type type, double value) {
    return switch (type.kind()) {
      case F32 -> new Const(Type.F32, Float.floatToRawIntBits((float) value));
      case F64 -> new Const(Type.F64, Double.doubleToRawLongBits(value));
      case I32 -> new Const(Type.I32, (int) value);
      case I64 -> new Const(Type.I64, (long) value);
      case BOOL -> new Const(Type.BOOL, value == 0 ? 0 : 1);
    };
  }

  /** Makes an index constant. */
  static Const of(long value) {
    return new Const(Type.I64, value);
  }
}
