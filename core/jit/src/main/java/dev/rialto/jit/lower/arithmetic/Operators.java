package dev.rialto.jit.lower.arithmetic;

import static dev.rialto.spi.code.Expr.BinaryOp.AND;
import static dev.rialto.spi.code.Expr.BinaryOp.DIV;
import static dev.rialto.spi.code.Expr.BinaryOp.EQ;
import static dev.rialto.spi.code.Expr.BinaryOp.LE;
import static dev.rialto.spi.code.Expr.BinaryOp.LT;
import static dev.rialto.spi.code.Expr.BinaryOp.NE;
import static dev.rialto.spi.code.Expr.BinaryOp.OR;
import static dev.rialto.spi.code.Expr.BinaryOp.REM;
import static dev.rialto.spi.code.Expr.BinaryOp.SHL;
import static dev.rialto.spi.code.Expr.BinaryOp.USHR;
import static dev.rialto.spi.code.Expr.BinaryOp.XOR;

import dev.rialto.jit.Op;
import dev.rialto.jit.lower.arithmetic.Arithmetic.Value;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Type.Kind;
import dev.rialto.spi.data.DType;
import java.util.List;

/**
 * The operators of programs in those of the loops, on real and on complex numbers, so that all
 * machines agree at the edges.
 *
 * @param e writes them
 * @param elementary writes the functions among them
 */
record Operators(Emitter e, Elementary elementary) {
  Value of(Op op, DType type, List<Value> operands) {
    return type.kind() == DType.Kind.COMPLEX ? complex(op, operands) : real(op, type, operands);
  }

  private Value real(Op op, DType type, List<Value> operands) {
    Expr x = operands.get(0).re();
    Expr y = operands.size() > 1 ? operands.get(1).re() : x;
    Expr z = operands.size() > 2 ? operands.get(2).re() : x;
    Expr zero = Emitter.constant(x, 0);
    Expr one = Emitter.constant(x, 1);
    boolean whole = type.kind() == DType.Kind.INTEGER;
    IntegerOperations integers = new IntegerOperations(e);
    if (whole && op.compareTo(Op.SQRT) >= 0 && op.compareTo(Op.TANH) <= 0) {
      throw new IllegalArgumentException(op.word() + " is not for " + type + "; cast to f64");
    }
    return Value.of(
        switch (op) {
          case NEG -> e.unary(UnaryOp.NEG, x);
          case ABS ->
              whole
                  ? e.select(integers.compare(LT, type, x, zero), e.unary(UnaryOp.NEG, x), x)
                  : e.unary(UnaryOp.ABS, x);
          case SQRT -> e.unary(UnaryOp.SQRT, x);
          case EXP -> elementary.exp(x);
          case LOG -> elementary.log(x);
          case SIN -> elementary.sine(x, 0);
          case COS -> elementary.sine(x, 1);
          case TANH -> elementary.tanh(x);
          case FLOOR -> whole ? x : elementary.floor(x);
          case RELU -> e.select(integers.compare(LT, type, zero, x), x, zero);
          case RECIP -> whole ? integers.divide(type, one, x) : e.binary(DIV, one, x);
          case CONJ -> x;
          case ADD -> e.add(x, y);
          case SUB -> e.sub(x, y);
          case MUL -> e.mul(x, y);
          case DIV -> whole ? integers.divide(type, x, y) : e.binary(DIV, x, y);
          case REM -> whole ? e.sub(x, e.mul(y, integers.divide(type, x, y))) : e.binary(REM, x, y);
          case POW -> throw new IllegalArgumentException("powers need their exponent as it is");
          case MAX -> extreme(type, x, y, true);
          case MIN -> extreme(type, x, y, false);
          case RELU_GATE -> e.select(integers.compare(LT, type, zero, x), y, zero);
          case LT -> truth(integers.compare(LT, type, x, y), x);
          case LE -> truth(integers.compare(LE, type, x, y), x);
          case GT -> truth(integers.compare(LT, type, y, x), x);
          case GE -> truth(integers.compare(LE, type, y, x), x);
          case EQ -> truth(e.binary(EQ, x, y), x);
          case NE -> truth(e.binary(NE, x, y), x);
          case NOT -> truth(e.binary(EQ, x, zero), x);
          case AND -> truth(e.binary(AND, e.binary(NE, x, zero), e.binary(NE, y, zero)), x);
          case OR -> truth(e.binary(OR, e.binary(NE, x, zero), e.binary(NE, y, zero)), x);
          case XOR -> truth(e.binary(XOR, e.binary(NE, x, zero), e.binary(NE, y, zero)), x);
          case BIT_NOT -> e.binary(XOR, x, Emitter.integer(x, -1));
          case BIT_AND -> e.binary(AND, x, y);
          case BIT_OR -> e.binary(OR, x, y);
          case BIT_XOR -> e.binary(XOR, x, y);
          case SHL -> e.binary(SHL, x, shift(y));
          case SHR -> integers.right(type, x, shift(y));
          case USHR -> e.binary(USHR, x, shift(y));
          case WHERE -> e.select(e.binary(NE, x, zero), y, z);
          case FMA -> e.add(e.mul(x, y), z);
        });
  }

  private Expr truth(Expr condition, Expr like) {
    return e.select(condition, Emitter.constant(like, 1), Emitter.constant(like, 0));
  }

  /** Machines disagree about moving bits further than there are. */
  private Expr shift(Expr count) {
    return e.binary(AND, count, Emitter.integer(count, count.type().kind().bits() - 1));
  }

  /**
   * The larger or smaller as {@link Math#max} and {@link Math#min} have it, so that the order in
   * which values are combined does not matter: 0 is larger than -0. What does not compare leaves
   * the first operand, so only the second is asked whether it is NaN.
   */
  private Expr extreme(DType type, Expr x, Expr y, boolean largest) {
    Expr less = new IntegerOperations(e).compare(LT, type, largest ? x : y, largest ? y : x);
    Expr chosen = e.select(less, y, x);
    if (type.kind() == DType.Kind.INTEGER) {
      return chosen;
    }
    Kind kind = x.type().kind();
    Kind bits = kind == Kind.F64 ? Kind.I64 : Kind.I32;
    Expr both = e.binary(largest ? AND : OR, e.bits(bits, x), e.bits(bits, y));
    Expr signed = e.select(e.binary(EQ, x, y), e.bits(kind, both), chosen);
    return e.select(e.binary(NE, y, y), y, signed);
  }

  private Value complex(Op op, List<Value> operands) {
    Expr a = operands.get(0).re();
    Expr b = operands.get(0).imaginary();
    Expr c = operands.size() > 1 ? operands.get(1).re() : a;
    Expr d = operands.size() > 1 ? operands.get(1).imaginary() : b;
    return switch (op) {
      case NEG -> new Value(e.unary(UnaryOp.NEG, a), e.unary(UnaryOp.NEG, b));
      case CONJ -> new Value(a, e.unary(UnaryOp.NEG, b));
      case ADD -> new Value(e.add(a, c), e.add(b, d));
      case SUB -> new Value(e.sub(a, c), e.sub(b, d));
      case MUL -> new Value(e.sub(e.mul(a, c), e.mul(b, d)), e.add(e.mul(a, d), e.mul(b, c)));
      case DIV, RECIP -> {
        boolean recip = op == Op.RECIP;
        Expr p = recip ? a : c;
        Expr q = recip ? b : d;
        Expr norm = e.add(e.mul(p, p), e.mul(q, q));
        Expr re = recip ? p : e.add(e.mul(a, c), e.mul(b, d));
        Expr im = recip ? e.unary(UnaryOp.NEG, q) : e.sub(e.mul(b, c), e.mul(a, d));
        yield new Value(e.binary(DIV, re, norm), e.binary(DIV, im, norm));
      }
      case ABS -> new Value(e.unary(UnaryOp.SQRT, e.add(e.mul(a, a), e.mul(b, b))), null);
      case FMA -> {
        Value product = complex(Op.MUL, operands.subList(0, 2));
        yield new Value(
            e.add(product.re(), operands.get(2).re()),
            e.add(product.imaginary(), operands.get(2).imaginary()));
      }
      default ->
          throw new IllegalArgumentException(
              op.word()
                  + " is not for complex numbers; those have neg, conj, abs, add, sub, mul,"
                  + " div, recip and fma");
    };
  }
}
