package dev.rialto.array.algorithm;

import dev.rialto.array.device.DeviceReduce;
import dev.rialto.array.loop.Combination;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.part.View;
import dev.rialto.array.run.ArrayOperation;
import org.jspecify.annotations.Nullable;

/**
 * Algorithms that combine all elements into a few values, which every rank gets, bit for bit.
 *
 * <p>Each rank combines its elements chunk by chunk and all ranks combine the ranks' values in rank
 * order; bracketing depends neither on the number of threads nor on the processor's vectors.
 */
public final class Reduce {
  private Reduce() {}

  /** Combines all elements, or {@code f} of each; returns the words of the result. */
  public static ArrayOperation<long[]> of(
      Operand array, @Nullable Object f, Combination combination) {
    if (array.isOnDevice()) {
      return DeviceReduce.reduce(
          f == null ? "reduce" : "transformReduce", array, null, f, combination);
    }
    return ArrayOperation.collective(
            f == null ? "reduce" : "transformReduce",
            run -> {
              View view =
                  combination.commutative() ? array.values() : HostTemporaries.inOrder(run, array);
              Reduction folding = new Reduction(combination, view.elements(), f, null);
              return folding.ofAllRanks(run, array.type(), view, null);
            })
        .about(array, combination);
  }

  /** Combines {@code pairing(a[i], b[i])} of each pair of elements; see {@link #of}. */
  public static ArrayOperation<long[]> ofPairs(
      Operand a, Operand b, Object pairing, Combination combination) {
    Operands.requireSameShape(a, b);
    if (Operands.anyOnDevice(a, b)) {
      return DeviceReduce.reduce("transformReduce", a, b, pairing, combination);
    }
    return ArrayOperation.collective(
            "transformReduce",
            run -> {
              boolean anyOrder = combination.commutative();
              View view = anyOrder ? a.values() : HostTemporaries.inOrder(run, a);
              View other =
                  anyOrder
                      ? HostTemporaries.aligned(run, b, a)
                      : HostTemporaries.inOrderAs(run, b, view);
              Reduction folding =
                  new Reduction(combination, view.elements(), pairing, other.elements());
              return folding.ofAllRanks(run, a.type(), view, other);
            })
        .about(a, b, combination);
  }

  /** Finds the extremes; returns the least's bits, its element, the greatest's and its element. */
  public static ArrayOperation<long[]> minMax(Operand array) {
    if (array.isOnDevice()) {
      return DeviceReduce.minMax(array);
    }
    return ArrayOperation.collective("minMax", run -> new MinMaxSearch(array).find(run))
        .about(array);
  }

  public static void requireElements(boolean some, String name) {
    if (!some) {
      throw new IllegalStateException(name + " of an array without elements has no result");
    }
  }
}
