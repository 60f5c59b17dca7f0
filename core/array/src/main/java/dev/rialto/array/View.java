package dev.rialto.array;

import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/**
 * A rank's part of an array as loops see it, or of a copy that is divided in another way.
 *
 * @param type of the elements
 * @param memory where they are
 * @param distribution how they are divided
 * @param part where in the memory they lie
 * @param first the number of the first element, or -1 if they do not lie in row-major order
 */
record View(
    DType type, MemorySegment memory, Distribution distribution, LocalPart part, long first) {
  static View of(
      DType type, MemorySegment memory, Distribution distribution, LocalPart part, int rank) {
    long first = isInOrder(distribution) ? 0 : -1;
    for (int before = 0; first >= 0 && before < rank; before++) {
      first += distribution.localCount(before);
    }
    return new View(type, memory, distribution, part, first);
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

  /** Returns what reads and writes the elements. */
  Elements elements() {
    return Elements.of(type);
  }

  long count() {
    return part.count();
  }

  long address(long index) {
    return memory.address() + part.place(index) * type.size();
  }

  /** Returns a view of memory that goes with the operation, for elements divided in a way. */
  static View temporary(Run run, DType type, Distribution distribution) {
    LocalPart part = LocalPart.of(distribution, null, run.rank());
    MemorySegment memory = run.allocate(type.bytes(part.span()));
    return of(type, memory, distribution, part, run.rank());
  }

  /** Returns the elements of an array, divided as another is: its own memory or a copy. */
  static View aligned(Run run, Array array, Array as) {
    return array.isAlignedWith(as) ? array.view() : copy(run, array.view(), as.distribution());
  }

  /** Returns the elements of an array in row-major order from rank to rank. */
  static View inOrder(Run run, Array array) {
    return array.isInOrder()
        ? array.view()
        : copy(run, array.view(), Decomposition.block().divide(array.shape(), run.ranks()));
  }

  /** Returns the elements of an array in row-major order, divided as a view in that order is. */
  static View inOrderAs(Run run, Array array, View as) {
    return array.isInOrder() && as.hasCountsOf(array.distribution())
        ? array.view()
        : copy(run, array.view(), as.distribution);
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

  private static View copy(Run run, View view, Distribution to) {
    View copy = temporary(run, view.type, to);
    run.move(view, copy);
    return copy;
  }
}
