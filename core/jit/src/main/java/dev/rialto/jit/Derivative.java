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

  static boolean isZero(Scalar s) {
    return s instanceof Scalar.Const c && c.value() == 0;
  }

  static boolean isOne(Scalar s) {
    return s instanceof Scalar.Const c && c.value() == 1;
  }

  private static Scalar constant(DType type, double value) {
    return new Scalar.Const(type, value);
  }

  static Scalar of(Scalar whole, Scalar.Read by) {
    return whole.fold((s, inner) -> of(s, inner, by));
  }

  /** The derivative, from those of the parts. */
  private static Scalar of(Scalar s, List<Scalar> inner, Scalar.Read by) {
    DType type = s.type();
    return switch (s) {
      case Scalar.Read read -> constant(type, read.equals(by) ? 1 : 0);
      case Scalar.Const _, Scalar.Position _, Scalar.Random _ -> constant(type, 0);
      case Scalar.Cast cast -> cast(cast, inner.getFirst());
      case Scalar.Within _ -> inner.getFirst();
      case Scalar.Apply apply -> apply(apply, inner);
    };
  }

  private static Scalar cast(Scalar.Cast cast, Scalar value) {
    DType type = cast.type();
    DType from = cast.value().type();
    boolean steps = type.kind() == INTEGER || from.kind() == INTEGER;
    Scalar inner = steps ? constant(type, 0) : value;
    if (!isZero(inner) && (type.kind() == COMPLEX) != (from.kind() == COMPLEX)) {
      throw new IllegalArgumentException("complex programs cannot be differentiated: " + cast);
    }
    return isZero(inner) || isOne(inner)
        ? constant(type, isOne(inner) ? 1 : 0)
        : new Scalar.Cast(type, inner);
  }

  private static Scalar apply(Scalar.Apply f, List<Scalar> operands) {
    Scalar sum = constant(f.type(), 0);
    for (int i = 0; i < operands.size(); i++) {
      Scalar inner = operands.get(i);
      if (!isZero(inner)) {
        Scalar term = times(partial(f, i), inner);
        sum = isZero(sum) ? term : Scalar.apply(Op.ADD, sum, term);
      }
    }
    return sum;
  }

  private static Scalar times(Scalar a, Scalar b) {
    return isOne(a) ? b : isOne(b) ? a : isZero(a) ? a : Scalar.apply(Op.MUL, a, b);
  }

  /** The derivative of an operator with respect to its operand {@code i}. */
  private static Scalar partial(Scalar.Apply f, int i) {
    Scalar x = f.operands().get(0);
    Scalar y = f.operands().size() > 1 ? f.operands().get(1) : x;
    DType type = f.type();
    Scalar one = constant(type, 1);
    Scalar zero = constant(type, 0);
    return switch (f.op()) {
      case NEG -> constant(type, -1);
      case ABS -> Scalar.apply(Op.SUB, Scalar.apply(Op.LT, zero, x), Scalar.apply(Op.LT, x, zero));
      case SQRT -> Scalar.apply(Op.DIV, constant(type, 0.5), f);
      case EXP -> f;
      case LOG -> Scalar.apply(Op.RECIP, x);
      case SIN -> Scalar.apply(Op.COS, x);
      case COS -> Scalar.apply(Op.NEG, Scalar.apply(Op.SIN, x));
      case TANH -> Scalar.apply(Op.SUB, one, Scalar.apply(Op.MUL, f, f));
      case FLOOR, LT, EQ -> zero;
      case RELU -> Scalar.apply(Op.RELU_GATE, x, one);
      case RECIP -> Scalar.apply(Op.NEG, Scalar.apply(Op.MUL, f, f));
      case ADD -> one;
      case SUB -> i == 0 ? one : constant(type, -1);
      case MUL -> i == 0 ? y : x;
      case DIV ->
          i == 0 ? Scalar.apply(Op.RECIP, y) : Scalar.apply(Op.NEG, Scalar.apply(Op.DIV, f, y));
      case POW ->
          i == 0 && isZero(y)
              ? zero
              : i == 0
                  ? Scalar.apply(Op.MUL, y, Scalar.apply(Op.POW, x, less(y)))
                  : Scalar.apply(Op.MUL, f, Scalar.apply(Op.LOG, x));
      case MAX -> {
        Scalar first = Scalar.apply(Op.LT, y, x);
        yield i == 0 ? first : Scalar.apply(Op.SUB, one, first);
      }
      case MIN -> {
        Scalar first = Scalar.apply(Op.LT, x, y);
        yield i == 0 ? first : Scalar.apply(Op.SUB, one, first);
      }
      case RELU_GATE -> i == 0 ? zero : Scalar.apply(Op.RELU_GATE, x, one);
      case WHERE ->
          i == 0
              ? zero
              : i == 1
                  ? Scalar.apply(Op.WHERE, x, one, zero)
                  : Scalar.apply(Op.WHERE, x, zero, one);
      case FMA -> i == 0 ? y : i == 1 ? x : one;
      case CONJ ->
          throw new IllegalArgumentException("complex programs cannot be differentiated: " + f);
    };
  }

  private static Scalar less(Scalar y) {
    return y instanceof Scalar.Const c
        ? new Scalar.Const(c.type(), c.value() - 1)
        : Scalar.apply(Op.SUB, y, new Scalar.Const(y.type(), 1));
  }
}
