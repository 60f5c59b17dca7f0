package dev.rialto.array;

import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * Algorithms that combine all elements into a few values, which every rank gets, bit for bit.
 *
 * <p>Each rank combines its elements chunk by chunk and all ranks combine the ranks' values in rank
 * order; bracketing does not depend on the number of threads. Needs collectives.
 */
public final class Reduce {
  private Reduce() {}

  /**
   * Combines all elements, in row-major order unless the operator is {@linkplain
   * Operator#commutative commutative}.
   *
   * @throws IllegalStateException when run, if there are no elements
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
    Elements elements = Elements.of(array.type());
    Object op = operator.on(elements);
    return Operation.collective(
        array.team(),
        name,
        run -> {
          try (Arena arena = Arena.ofShared()) {
            View view = operator.isCommutative() ? View.of(array) : View.inOrder(run, arena, array);
            Loops loops = Loops.of(op, function, elements);
            return new Folding(run, loops, op, view.count())
                .addAll(function, view, null)
                .ofAllRanks(array.type());
          }
        });
  }

  /** Combines {@code pairing(a[i], b[i])} of each pair of elements; see {@link #of}. */
  public static Operation<Scalar> transformed(
      DistributedArray a, DistributedArray b, Operator pairing, Operator operator) {
    Elementwise.sameShape(a, b);
    Elements elements = Elementwise.sameKind(a, b);
    Object op = operator.on(elements);
    Object pair = pairing.on(elements);
    return Operation.collective(
        a.team(),
        "transformReduce",
        run -> {
          try (Arena arena = Arena.ofShared()) {
            boolean anyOrder = operator.isCommutative();
            View view = anyOrder ? View.of(a) : View.inOrder(run, arena, a);
            View other =
                anyOrder ? View.aligned(run, arena, b, a) : View.inOrderAs(run, arena, b, view);
            Loops loops = Loops.of(op, pair, elements, other.elements());
            return new Folding(run, loops, op, view.count())
                .addAll(pair, view, other)
                .ofAllRanks(a.type());
          }
        });
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
    boolean floating = Elements.real(array.type(), "minMax").isFloating();
    return Operation.collective(
        array.team(),
        "minMax",
        run -> {
          View view = View.of(array);
          long count = view.count();
          long[][] parts = new long[Run.chunksOf(count)][];
          run.chunks(
              count,
              (chunk, begin, end) -> parts[chunk] = extremes(array, view, floating, begin, end));
          long[][] ranks = run.gatherLast(best(parts));
          long[] all = best(ranks);
          requireElements(all.length > 0, "minMax");
          DType type = array.type();
          return new MinMax(
              new Scalar(type, Elements.fromKey(all[0], floating)),
              all[1],
              new Scalar(type, Elements.fromKey(all[2], floating)),
              all[3]);
        });
  }

  private static long[] extremes(
      DistributedArray array, View view, boolean floating, long begin, long end) {
    long[] best = {Long.MAX_VALUE, begin, Long.MIN_VALUE, begin};
    boolean ordered = array.isInOrder();
    View.stretches(
        begin,
        end,
        (at, count) -> {
          Elements elements = view.elements();
          int size = elements.type.size();
          long address = view.address(at);
          for (long i = 0; i < count; i++) {
            long key = Elements.key(elements.get(address + i * size), floating);
            if (key < best[0] || (!ordered && key == best[0] && before(array, at + i, best[1]))) {
              best[0] = key;
              best[1] = at + i;
            }
            if (key > best[2] || (!ordered && key == best[2] && before(array, at + i, best[3]))) {
              best[2] = key;
              best[3] = at + i;
            }
          }
        },
        view);
    best[1] = array.elementAt(best[1]);
    best[3] = array.elementAt(best[3]);
    return best;
  }

  private static boolean before(DistributedArray array, long index, long other) {
    return array.elementAt(index) < array.elementAt(other);
  }

  /** Returns the best of several smallest and largest; empty if all are. */
  private static long[] best(long[][] parts) {
    long[] best = new long[0];
    for (long[] part : parts) {
      if (part.length == 0) {
        continue;
      }
      if (best.length == 0) {
        best = part.clone();
      }
      if (part[0] < best[0] || (part[0] == best[0] && part[1] < best[1])) {
        best[0] = part[0];
        best[1] = part[1];
      }
      if (part[2] > best[2] || (part[2] == best[2] && part[3] < best[3])) {
        best[2] = part[2];
        best[3] = part[3];
      }
    }
    return best;
  }

  static void requireElements(boolean some, String name) {
    if (!some) {
      throw new IllegalStateException(name + " of an array without elements has no result");
    }
  }
}
