package dev.rialto.jit;

import dev.rialto.jit.Symbol.Iter;
import dev.rialto.spi.data.DType;
import java.util.List;

/**
 * The place of the largest or smallest value, as two assignments: the value is found first, then
 * the first place that has it. NaN is larger and smaller than all numbers, as for {@link Math#max}.
 * Computing the values twice costs less than keeping pairs, which no target has registers for.
 */
final class ArgExtreme {
  private ArgExtreme() {}

  /**
   * Returns the assignments.
   *
   * @param target gets the places, counted in row-major order over the loops that it does not have;
   *     the greatest number of its type where there is no value
   * @param index the element that a place is for
   * @param accum {@link Accum#MAX} or {@link Accum#MIN}
   * @param value what is compared
   */
  static List<Assign> of(Node target, List<Affine> index, Accum accum, ScalarExpression value) {
    Node best = new Node(target.name() + ".best", value.type(), target.shape());
    Assign find = Assign.of(best, index, accum, true, value);
    Affine number = Affine.of(0);
    for (Iter loop : find.reducedLoops()) {
      number = number.times(loop.size()).plus(Affine.of(loop));
    }
    DType type = target.type();
    if (type.kind() != DType.Kind.INTEGER || value.type().kind() == DType.Kind.COMPLEX) {
      throw new IllegalArgumentException(
          "places of %s in %s are integers, found among real numbers".formatted(value, target));
    }
    long most = NumberFormats.greatest(type);
    if (number.max() >= most) {
      throw new IllegalArgumentException(
          "places up to %d do not fit %s of type %s; declare it of i64"
              .formatted(number.max(), target, type));
    }
    ScalarExpression found = new ScalarExpression.Read(best, index, false).orZero();
    ScalarExpression same =
        ScalarExpression.apply(
            Op.OR,
            ScalarExpression.apply(Op.EQ, value, found),
            ScalarExpression.apply(Op.NE, value, value));
    ScalarExpression place =
        ScalarExpression.apply(
            Op.WHERE,
            same.type() == type ? same : new ScalarExpression.Cast(type, same),
            new ScalarExpression.Position(type, number),
            ScalarExpression.Const.of(type, most));
    return List.of(find, Assign.over(target, index, Accum.MIN, true, find.loops(), place));
  }
}
