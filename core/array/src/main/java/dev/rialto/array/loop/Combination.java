package dev.rialto.array.loop;

import dev.rialto.array.Complex;
import dev.rialto.array.IntegerArray;
import dev.rialto.array.RealArray;
import dev.rialto.array.part.Elements;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The combination of two elements into one, as loops need it: a function of doubles, longs or
 * complex numbers, whether the order of elements matters, and what no elements are combined into.
 *
 * @param function of two elements
 * @param commutative whether elements may be combined in any order
 * @param named the operator that it is, or null if it is a function of the user's
 */
public record Combination(Object function, boolean commutative, ReduceOp.@Nullable Builtin named) {
  private static final Map<ReduceOp.Builtin, RealArray.Binary> DOUBLES =
      new EnumMap<>(
          Map.of(
              ReduceOp.Builtin.SUM, Double::sum,
              ReduceOp.Builtin.PRODUCT, (a, b) -> a * b,
              ReduceOp.Builtin.MIN, Math::min,
              ReduceOp.Builtin.MAX, Math::max));

  private static final Map<ReduceOp.Builtin, IntegerArray.Binary> LONGS =
      new EnumMap<>(
          Map.of(
              ReduceOp.Builtin.SUM, Long::sum,
              ReduceOp.Builtin.PRODUCT, (a, b) -> a * b,
              ReduceOp.Builtin.MIN, Math::min,
              ReduceOp.Builtin.MAX, Math::max,
              ReduceOp.Builtin.LOGICAL_AND, (a, b) -> a != 0 && b != 0 ? 1 : 0,
              ReduceOp.Builtin.LOGICAL_OR, (a, b) -> a != 0 || b != 0 ? 1 : 0,
              ReduceOp.Builtin.LOGICAL_XOR, (a, b) -> a != 0 ^ b != 0 ? 1 : 0,
              ReduceOp.Builtin.BIT_AND, (a, b) -> a & b,
              ReduceOp.Builtin.BIT_OR, (a, b) -> a | b,
              ReduceOp.Builtin.BIT_XOR, (a, b) -> a ^ b));

  private static final Map<ReduceOp.Builtin, BinaryOperator<Complex>> COMPLEX =
      new EnumMap<>(
          Map.of(
              ReduceOp.Builtin.SUM, Complex::plus,
              ReduceOp.Builtin.PRODUCT, Complex::times));

  /** Returns what a function of the user's does, with elements in their order. */
  public static Combination inOrder(Object function) {
    return new Combination(function, false, null);
  }

  /**
   * Returns what an operator does with elements of a type.
   *
   * @throws IllegalArgumentException if it is not for such elements
   */
  public static Combination of(ReduceOp op, DType type) {
    if (op instanceof ReduceOp.Builtin named) {
      Object function = function(named, type);
      if (function != null) {
        return new Combination(function, true, named);
      }
    }
    throw new IllegalArgumentException(
        "%s of %s elements; give an operator that they have, or a function of two elements"
            .formatted(op.label(), type));
  }

  /** Returns an operator's function of elements of a type, or null if they have none. */
  public static @Nullable Object function(ReduceOp.Builtin named, DType type) {
    return switch (type.kind()) {
      case FLOAT -> DOUBLES.get(named);
      case INTEGER -> LONGS.get(named);
      case COMPLEX -> COMPLEX.get(named);
    };
  }

  /** Returns the words of what no elements are combined into; none if that is not known. */
  public long[] identity(Elements elements) {
    if (named == null) {
      return new long[0];
    }
    boolean floating = elements.isFloating();
    return switch (named) {
      case SUM, LOGICAL_OR, LOGICAL_XOR, BIT_OR, BIT_XOR -> elements.words(0);
      case PRODUCT, LOGICAL_AND -> elements.words(1);
      case BIT_AND -> elements.words(-1);
      case MIN ->
          floating ? elements.words(Double.POSITIVE_INFINITY) : elements.words(elements.largest());
      case MAX ->
          floating
              ? elements.words(Double.NEGATIVE_INFINITY)
              : elements.words(-elements.largest() - 1);
      case REPLACE, NO_OP -> throw new IllegalStateException(named + " combines no elements");
    };
  }

  /** Returns the operator's name, or that it is the user's. */
  @Override
  public String toString() {
    return named == null ? "an operator of the user's" : named.name();
  }
}
