package dev.rialto.array;

import org.jspecify.annotations.Nullable;

/**
 * Algorithms that combine all elements into a few values, which every rank gets, bit for bit.
 *
 * <p>Each rank combines its elements chunk by chunk and all ranks combine the ranks' values in rank
 * order; bracketing depends neither on the number of threads nor on the processor's vectors.
 */
final class Reduce {
  private Reduce() {}

  /** Combines all elements, or {@code f} of each; returns the words of the result. */
  static ArrayOperation<long[]> of(Array array, @Nullable Object f, Combination combination) {
    if (array.isOnDevice()) {
      return DeviceReduce.reduce(
          f == null ? "reduce" : "transformReduce", array, null, f, combination);
    }
    return ArrayOperation.collective(
            array.team(),
            f == null ? "reduce" : "transformReduce",
            run -> {
              View view = combination.commutative() ? array.values() : View.inOrder(run, array);
              Folding folding = new Folding(combination, view.elements(), f, null);
              return folding.ofAllRanks(run, array.type(), view, null);
            })
        .about(array, combination);
  }

  /** Combines {@code pairing(a[i], b[i])} of each pair of elements; see {@link #of}. */
  static ArrayOperation<long[]> ofPairs(Array a, Array b, Object pairing, Combination combination) {
    Elementwise.sameShape(a, b);
    if (OnDevice.any(a, b)) {
      return DeviceReduce.reduce("transformReduce", a, b, pairing, combination);
    }
    return ArrayOperation.collective(
            a.team(),
            "transformReduce",
            run -> {
              boolean anyOrder = combination.commutative();
              View view = anyOrder ? a.values() : View.inOrder(run, a);
              View other = anyOrder ? View.aligned(run, b, a) : View.inOrderAs(run, b, view);
              Folding folding =
                  new Folding(combination, view.elements(), pairing, other.elements());
              return folding.ofAllRanks(run, a.type(), view, other);
            })
        .about(a, b, combination);
  }

  /** Finds the extremes; returns the least's bits, its element, the greatest's and its element. */
  static ArrayOperation<long[]> minMax(Array array) {
    if (array.isOnDevice()) {
      return DeviceReduce.minMax(array);
    }
    Extremes extremes = new Extremes(array);
    return ArrayOperation.collective(array.team(), "minMax", extremes::find).about(array);
  }

  static void requireElements(boolean some, String name) {
    if (!some) {
      throw new IllegalStateException(name + " of an array without elements has no result");
    }
  }
}
