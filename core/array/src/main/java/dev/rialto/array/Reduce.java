package dev.rialto.array;

import org.jspecify.annotations.Nullable;

/**
 * Algorithms that combine all elements into a few values, which every rank gets, bit for bit.
 *
 * <p>Each rank combines its elements chunk by chunk and all ranks combine the ranks' values in rank
 * order; bracketing depends neither on the number of threads nor on the processor's vectors. Needs
 * collectives.
 */
public final class Reduce {
  private Reduce() {}

  /**
   * Combines all elements, in row-major order unless the operator is {@linkplain
   * Operator#commutative commutative}. No elements are combined into what the operator's constant
   * starts with: 0 for a sum, 1 for a product, the largest number for the smallest element and the
   * other way round.
   *
   * @throws IllegalStateException when run, if there are no elements and the operator is the user's
   */
  public static Operation<Scalar> of(DistributedArray array, Operator operator) {
    return combined("reduce", array, operator, null);
  }

  /** Combines {@code f} of each element; see {@link #of}. */
  public static Operation<Scalar> transformed(
      DistributedArray array, Mapping mapping, Operator operator) {
    return combined("transformReduce", array, operator, mapping.on(Elements.of(array.type())));
  }

  private static Operation<Scalar> combined(
      String name, DistributedArray array, Operator operator, @Nullable Object function) {
    Folding folding = new Folding(operator, Elements.of(array.type()), function, null);
    return Operation.collective(
            array.team(),
            name,
            run -> {
              View view = operator.isCommutative() ? array.view() : View.inOrder(run, array);
              return folding.ofAllRanks(run, array.type(), view, null);
            })
        .about(array, operator);
  }

  /** Combines {@code pairing(a[i], b[i])} of each pair of elements; see {@link #of}. */
  public static Operation<Scalar> transformed(
      DistributedArray a, DistributedArray b, Operator pairing, Operator operator) {
    Elementwise.sameShape(a, b);
    Elements elements = Elementwise.sameKind(a, b);
    Folding folding = new Folding(operator, elements, pairing.on(elements), Elements.of(b.type()));
    return Operation.collective(
            a.team(),
            "transformReduce",
            run -> {
              boolean anyOrder = operator.isCommutative();
              View view = anyOrder ? a.view() : View.inOrder(run, a);
              View other = anyOrder ? View.aligned(run, b, a) : View.inOrderAs(run, b, view);
              return folding.ofAllRanks(run, a.type(), view, other);
            })
        .about(a, b, pairing, operator);
  }

  /**
   * Returns the sum of {@code a[i] * b[i]}; of complex elements none is conjugated, which a pairing
   * of {@link #transformed(DistributedArray, DistributedArray, Operator, Operator)} can do.
   */
  public static Operation<Scalar> dot(DistributedArray a, DistributedArray b) {
    return transformed(a, b, Operator.PRODUCT, Operator.SUM);
  }

  /**
   * The smallest and the largest element, and where they are; of equal ones, the first.
   *
   * @param min the smallest value
   * @param minElement its element's number
   * @param max the largest value
   * @param maxElement its element's number
   */
  public record MinMax(Scalar min, long minElement, Scalar max, long maxElement) {}

  /**
   * Finds the smallest and the largest element. -0.0 is smaller than 0.0, and NaN is the largest.
   *
   * @throws IllegalStateException when run, if there are no elements
   */
  public static Operation<MinMax> minMax(DistributedArray array) {
    Extremes extremes = new Extremes(array);
    return Operation.collective(array.team(), "minMax", extremes::find).about(array);
  }

  static void requireElements(boolean some, String name) {
    if (!some) {
      throw new IllegalStateException(name + " of an array without elements has no result");
    }
  }
}
