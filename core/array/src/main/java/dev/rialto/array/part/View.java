package dev.rialto.array.part;

import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/**
 * A rank's part of an array as loops see it, or of a copy that is divided in another way.
 *
 * @param elements what reads and writes them
 * @param memory where they are
 * @param distribution how they are divided
 * @param layout where in the memory they lie
 * @param first the number of the first element, or -1 if they do not lie in row-major order
 */
public record View(
    Elements elements,
    MemorySegment memory,
    Distribution distribution,
    PartLayout layout,
    long first) {
  public static View of(
      Elements elements,
      MemorySegment memory,
      Distribution distribution,
      PartLayout layout,
      int rank) {
    long first = isInOrder(distribution) ? 0 : -1;
    for (int before = 0; first >= 0 && before < rank; before++) {
      first += distribution.localCount(before);
    }
    return new View(elements, memory, distribution, layout, first);
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
  public boolean isInOrder() {
    return first >= 0;
  }

  public DType type() {
    return elements.type;
  }

  public long count() {
    return layout.count();
  }

  public long address(long index) {
    return memory.address() + layout.place(index) * elements.type.size();
  }

  /** Returns whether each rank has as many elements as in another distribution. */
  public boolean hasCountsOf(Distribution other) {
    for (int rank = 0; rank < other.ranks(); rank++) {
      if (distribution.localCount(rank) != other.localCount(rank)) {
        return false;
      }
    }
    return true;
  }
}
