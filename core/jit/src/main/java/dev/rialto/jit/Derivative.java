package dev.rialto.jit;

import static dev.rialto.spi.data.DType.Kind.COMPLEX;
import static dev.rialto.spi.data.DType.Kind.INTEGER;

import dev.rialto.spi.data.DType;
import java.util.List;

/**
 * The derivative of a tree of operators with respect to one element that it reads, in the type of
 * the tree.
 */
final class Derivative {
  private Derivative() {}

  static boolean isZero(ScalarExpression s) {
    return s instanceof ScalarExpression.Const c && c.value() == 0;
  }

  static boolean isOne(ScalarExpression s) {
    return s instanceof ScalarExpression.Const c && c.value() == 1;
  }

  private static ScalarExpression constant(DType type, double value) {
    return new ScalarExpression.Const(type, value);
  }

  static ScalarExpression of(ScalarExpression whole, ScalarExpression.Read by) {
    return whole.fold((s, inner) -> of(s, inner, by));
  }

  /** The derivative, from those of the parts. */
  private static ScalarExpression of(
      ScalarExpression s, List<ScalarExpression> inner, ScalarExpression.Read by) {
    DType type = s.type();
    return switch (s) {
      case ScalarExpression.Read read -> constant(type, read.equals(by) ? 1 : 0);
      case ScalarExpression.Const _, ScalarExpression.Position _, ScalarExpression.Random _ ->
          constant(type, 0);
      case ScalarExpression.Cast cast -> cast(cast, inner.getFirst());
      case ScalarExpression.Within _ -> inner.getFirst();
      case ScalarExpression.Apply apply -> apply(apply, inner);
    };
  }

  private static ScalarExpression cast(ScalarExpression.Cast cast, ScalarExpression value) {
    DType type = cast.type();
    DType from = cast.value().type();
    boolean steps = type.kind() == INTEGER || from.kind() == INTEGER;
    ScalarExpression inner = steps ? constant(type, 0) : value;
    if (!isZero(inner) && (type.kind() == COMPLEX) != (from.kind() == COMPLEX)) {
      throw new IllegalArgumentException("complex programs cannot be differentiated: " + cast);
    }
    return isZero(inner) || isOne(inner)
        ? constant(type, isOne(inner) ? 1 : 0)
        : new ScalarExpression.Cast(type, inner);
  }

  private static ScalarExpression apply(ScalarExpression.Apply f, List<ScalarExpression> operands) {
    ScalarExpression sum = constant(f.type(), 0);
    for (int i = 0; i < operands.size(); i++) {
      ScalarExpression inner = operands.get(i);
      if (!isZero(inner)) {
        ScalarExpression term = times(partial(f, i), inner);
        sum = isZero(sum) ? term : ScalarExpression.apply(Op.ADD, sum, term);
      }
    }
    return sum;
  }

  private static ScalarExpression times(ScalarExpression a, ScalarExpression b) {
    return isOne(a) ? b : isOne(b) ? a : isZero(a) ? a : ScalarExpression.apply(Op.MUL, a, b);
  }

  /** The derivative of an operator with respect to its operand {@code i}. */
  private static ScalarExpression partial(ScalarExpression.Apply f, int i) {
    ScalarExpression x = f.operands().get(0);
    ScalarExpression y = f.operands().size() > 1 ? f.operands().get(1) : x;
    DType type = f.type();
    ScalarExpression one = constant(type, 1);
    ScalarExpression zero = constant(type, 0);
    return switch (f.op()) {
      case NEG -> constant(type, -1);
      case ABS ->
          ScalarExpression.apply(
              Op.SUB,
              ScalarExpression.apply(Op.LT, zero, x),
              ScalarExpression.apply(Op.LT, x, zero));
      case SQRT -> ScalarExpression.apply(Op.DIV, constant(type, 0.5), f);
      case EXP -> f;
      case LOG -> ScalarExpression.apply(Op.RECIP, x);
      case SIN -> ScalarExpression.apply(Op.COS, x);
      case COS -> ScalarExpression.apply(Op.NEG, ScalarExpression.apply(Op.SIN, x));
      case TANH -> ScalarExpression.apply(Op.SUB, one, ScalarExpression.apply(Op.MUL, f, f));
      case FLOOR, LT, LE, GT, GE, EQ, NE, NOT, AND, OR, XOR -> zero;
      case BIT_NOT, BIT_AND, BIT_OR, BIT_XOR, SHL, SHR, USHR -> zero;
      case REM ->
          i == 0 ? one : ScalarExpression.apply(Op.DIV, ScalarExpression.apply(Op.SUB, f, x), y);
      case RELU -> ScalarExpression.apply(Op.RELU_GATE, x, one);
      case RECIP -> ScalarExpression.apply(Op.NEG, ScalarExpression.apply(Op.MUL, f, f));
      case ADD -> one;
      case SUB -> i == 0 ? one : constant(type, -1);
      case MUL -> i == 0 ? y : x;
      case DIV ->
          i == 0
              ? ScalarExpression.apply(Op.RECIP, y)
              : ScalarExpression.apply(Op.NEG, ScalarExpression.apply(Op.DIV, f, y));
      case POW ->
          i == 0 && isZero(y)
              ? zero
              : i == 0
                  ? ScalarExpression.apply(Op.MUL, y, ScalarExpression.apply(Op.POW, x, less(y)))
                  : ScalarExpression.apply(Op.MUL, f, ScalarExpression.apply(Op.LOG, x));
      case MAX -> {
        ScalarExpression first = ScalarExpression.apply(Op.LT, y, x);
        yield i == 0 ? first : ScalarExpression.apply(Op.SUB, one, first);
      }
      case MIN -> {
        ScalarExpression first = ScalarExpression.apply(Op.LT, x, y);
        yield i == 0 ? first : ScalarExpression.apply(Op.SUB, one, first);
      }
      case RELU_GATE -> i == 0 ? zero : ScalarExpression.apply(Op.RELU_GATE, x, one);
      case WHERE ->
          i == 0
              ? zero
              : i == 1
                  ? ScalarExpression.apply(Op.WHERE, x, one, zero)
                  : ScalarExpression.apply(Op.WHERE, x, zero, one);
      case FMA -> i == 0 ? y : i == 1 ? x : one;
      case CONJ ->
          throw new IllegalArgumentException("complex programs cannot be differentiated: " + f);
    };
  }

  private static ScalarExpression less(ScalarExpression y) {
    return y instanceof ScalarExpression.Const c
        ? new ScalarExpression.Const(c.type(), c.value() - 1)
        : ScalarExpression.apply(Op.SUB, y, new ScalarExpression.Const(y.type(), 1));
  }
}
