package dev.rialto.jit;

import static dev.rialto.jit.ScalarExpression.apply;
import static dev.rialto.spi.data.DType.Kind.COMPLEX;
import static dev.rialto.spi.data.DType.Kind.INTEGER;

import dev.rialto.jit.ScalarExpression.Apply;
import dev.rialto.jit.ScalarExpression.Cast;
import dev.rialto.jit.ScalarExpression.Const;
import dev.rialto.jit.ScalarExpression.Position;
import dev.rialto.jit.ScalarExpression.Random;
import dev.rialto.jit.ScalarExpression.Read;
import dev.rialto.jit.ScalarExpression.Within;
import dev.rialto.spi.data.DType;
import java.util.List;

/**
 * The derivative of a tree of operators with respect to one element that it reads, in the type of
 * the tree.
 */
final class Derivative {
  private Derivative() {}

  static boolean isZero(ScalarExpression s) {
    return s instanceof Const c && c.value() == 0;
  }

  static boolean isOne(ScalarExpression s) {
    return s instanceof Const c && c.value() == 1;
  }

  private static ScalarExpression constant(DType type, double value) {
    return new Const(type, value);
  }

  static ScalarExpression of(ScalarExpression whole, Read by) {
    return whole.fold((s, inner) -> of(s, inner, by));
  }

  /** The derivative, from those of the parts. */
  private static ScalarExpression of(ScalarExpression s, List<ScalarExpression> inner, Read by) {
    DType type = s.type();
    return switch (s) {
      case Read read -> constant(type, read.equals(by) ? 1 : 0);
      case Const _, Position _, Random _ -> constant(type, 0);
      case Cast cast -> cast(cast, inner.getFirst());
      case Within _ -> inner.getFirst();
      case Apply apply -> chain(apply, inner);
    };
  }

  private static ScalarExpression cast(Cast cast, ScalarExpression value) {
    DType type = cast.type();
    DType from = cast.value().type();
    boolean steps = type.kind() == INTEGER || from.kind() == INTEGER;
    ScalarExpression inner = steps ? constant(type, 0) : value;
    if (!isZero(inner) && (type.kind() == COMPLEX) != (from.kind() == COMPLEX)) {
      throw new IllegalArgumentException("complex programs cannot be differentiated: " + cast);
    }
    return isZero(inner) || isOne(inner)
        ? constant(type, isOne(inner) ? 1 : 0)
        : new Cast(type, inner);
  }

  private static ScalarExpression chain(Apply f, List<ScalarExpression> operands) {
    ScalarExpression sum = constant(f.type(), 0);
    for (int i = 0; i < operands.size(); i++) {
      ScalarExpression inner = operands.get(i);
      if (!isZero(inner)) {
        ScalarExpression term = times(partial(f, i), inner);
        sum = isZero(sum) ? term : apply(Op.ADD, sum, term);
      }
    }
    return sum;
  }

  private static ScalarExpression times(ScalarExpression a, ScalarExpression b) {
    return isOne(a) ? b : isOne(b) ? a : isZero(a) ? a : apply(Op.MUL, a, b);
  }

  /** The derivative of an operator with respect to its operand {@code i}. */
  private static ScalarExpression partial(Apply f, int i) {
    ScalarExpression x = f.operands().get(0);
    ScalarExpression y = f.operands().size() > 1 ? f.operands().get(1) : x;
    DType type = f.type();
    ScalarExpression one = constant(type, 1);
    ScalarExpression zero = constant(type, 0);
    return switch (f.op()) {
      case NEG -> constant(type, -1);
      case ABS -> apply(Op.SUB, apply(Op.LT, zero, x), apply(Op.LT, x, zero));
      case SQRT -> apply(Op.DIV, constant(type, 0.5), f);
      case EXP -> f;
      case LOG -> apply(Op.RECIP, x);
      case SIN -> apply(Op.COS, x);
      case COS -> apply(Op.NEG, apply(Op.SIN, x));
      case TANH -> apply(Op.SUB, one, apply(Op.MUL, f, f));
      case FLOOR, LT, LE, GT, GE, EQ, NE, NOT, AND, OR, XOR -> zero;
      case BIT_NOT, BIT_AND, BIT_OR, BIT_XOR, SHL, SHR, USHR -> zero;
      case REM -> i == 0 ? one : apply(Op.DIV, apply(Op.SUB, f, x), y);
      case RELU -> apply(Op.RELU_GATE, x, one);
      case RECIP -> apply(Op.NEG, apply(Op.MUL, f, f));
      case ADD -> one;
      case SUB -> i == 0 ? one : constant(type, -1);
      case MUL -> i == 0 ? y : x;
      case DIV -> i == 0 ? apply(Op.RECIP, y) : apply(Op.NEG, apply(Op.DIV, f, y));
      case POW ->
          i == 0 && isZero(y)
              ? zero
              : i == 0
                  ? apply(Op.MUL, y, apply(Op.POW, x, less(y)))
                  : apply(Op.MUL, f, apply(Op.LOG, x));
      case MAX, MIN -> {
        ScalarExpression first = f.op() == Op.MAX ? apply(Op.LT, y, x) : apply(Op.LT, x, y);
        yield i == 0 ? first : apply(Op.SUB, one, first);
      }
      case RELU_GATE -> i == 0 ? zero : apply(Op.RELU_GATE, x, one);
      case WHERE ->
          i == 0 ? zero : i == 1 ? apply(Op.WHERE, x, one, zero) : apply(Op.WHERE, x, zero, one);
      case FMA -> i == 0 ? y : i == 1 ? x : one;
      case CONJ ->
          throw new IllegalArgumentException("complex programs cannot be differentiated: " + f);
    };
  }

  private static ScalarExpression less(ScalarExpression y) {
    return y instanceof Const c
        ? new Const(c.type(), c.value() - 1)
        : apply(Op.SUB, y, new Const(y.type(), 1));
  }
}
