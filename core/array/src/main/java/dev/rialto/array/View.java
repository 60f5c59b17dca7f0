package dev.rialto.array;

import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * A rank's part of an array as loops see it, or of a copy that is divided in another way.
 *
 * @param elements what reads and writes them
 * @param memory where they are
 * @param distribution how they are divided
 * @param part where in the memory they lie
 * @param first the number of the first element, or -1 if they do not lie in row-major order
 */
record View(
    Elements elements,
    MemorySegment memory,
    Distribution distribution,
    LocalPart part,
    long first) {
  static View of(
      Elements elements,
      MemorySegment memory,
      Distribution distribution,
      LocalPart part,
      int rank) {
    long first = isInOrder(distribution) ? 0 : -1;
    for (int before = 0; first >= 0 && before < rank; before++) {
      first += distribution.localCount(before);
    }
    return new View(elements, memory, distribution, part, first);
  }

  private static boolean isInOrder(Distribution distribution) {
    if (!(distribution instanceof Grid grid)) {
      return distribution.ranks() == 1;
    }
    int[] order = grid.order();
    for (int axis = 0; axis < order.length; axis++) {
      boolean whole = grid.axis(axis).parts() == 1;
      if (order[axis] != axis || (axis == 0 ? !grid.axis(0).isBlock() : !whole)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether the elements lie in row-major order from rank to rank and within each rank's
   * memory.
   */
  boolean isInOrder() {
    return first >= 0;
  }

  /** Returns the elements' type. */
  DType type() {
    return elements.type;
  }

  long count() {
    return part.count();
  }

  long address(long index) {
    return memory.address() + part.place(index) * elements.type.size();
  }

  /** Returns a view of memory that goes with the operation, for elements divided in a way. */
  static View temporary(OperationRunner run, DType type, Distribution distribution) {
    LocalPart part = LocalPart.of(distribution, null, run.rank());
    MemorySegment memory = run.allocate(type.bytes(part.span()));
    return of(Elements.of(type), memory, distribution, part, run.rank());
  }

  /** Returns the elements of an array, divided as another is: its own memory or a copy. */
  static View aligned(OperationRunner run, Array array, Array as) {
    return array.isAlignedWith(as) ? array.values() : copy(run, array.values(), as.distribution());
  }

  /** Returns the elements of an array in row-major order from rank to rank. */
  static View inOrder(OperationRunner run, Array array) {
    return array.isInOrder()
        ? array.values()
        : copy(run, array.values(), Decomposition.block().divide(array.shape(), run.ranks()));
  }

  /** Returns the elements of an array in row-major order, divided as a view in that order is. */
  static View inOrderAs(OperationRunner run, Array array, View as) {
    return array.isInOrder() && as.hasCountsOf(array.distribution())
        ? array.values()
        : copy(run, array.values(), as.distribution);
  }

  /** Returns whether each rank has as many elements as in another distribution. */
  boolean hasCountsOf(Distribution other) {
    for (int rank = 0; rank < other.ranks(); rank++) {
      if (distribution.localCount(rank) != other.localCount(rank)) {
        return false;
      }
    }
    return true;
  }

  private static View copy(OperationRunner run, View view, Distribution to) {
    View from = stored(run, view);
    View copy = temporary(run, view.type(), to);
    run.move(from, copy);
    return copy;
  }

  /** Returns a view's elements in memory: its own or, if they are computed, a copy. */
  static View stored(OperationRunner run, View view) {
    Elements from = view.elements;
    if (!from.isComputed()) {
      return view;
    }
    View copy = temporary(run, view.type(), view.distribution);
    Object same = from.isFloating() ? (DoubleUnaryOperator) x -> x : (LongUnaryOperator) x -> x;
    Loops loops = Loops.of(same, null, from, copy.elements);
    run.stretches(
        0,
        view.count(),
        (_, at, count) ->
            loops.map(same, from, view.address(at), copy.elements, copy.address(at), count),
        view,
        copy);
    return copy;
  }
}
