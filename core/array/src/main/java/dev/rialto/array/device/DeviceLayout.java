package dev.rialto.array.device;

import dev.rialto.array.Decomposition;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Places;
import dev.rialto.array.part.RankPart;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.jit.kernel.IndexedMemory;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The indices and numbers of a rank's elements on a device, and where elements lie by them. */
public final class DeviceLayout {
  private final Operand array;
  private final RankPart part;
  private final Distribution distribution;

  private DeviceLayout(Operand array) {
    this.array = array;
    this.part = array.part();
    this.distribution = part.distribution;
  }

  public static DeviceLayout of(Operand array) {
    return new DeviceLayout(array);
  }

  private int rank() {
    return array.team().communicator().rank();
  }

  /** Returns where elements lie, in the order in which another array has them in memory. */
  Places places(Operand other) {
    if (array == other
        || !(distribution instanceof Grid grid)
        || !(other.distribution() instanceof Grid theirs)
        || Arrays.equals(grid.order(), theirs.order())) {
      return part.places();
    }
    int[] order = theirs.order();
    Shape extents = extents();
    List<Long> strides = memory().strides();
    Places found =
        Places.of(
            Arrays.stream(order).mapToLong(extents::extent).toArray(),
            Arrays.stream(order).mapToLong(strides::get).toArray(),
            part.layout.first());
    if (found == null) {
      throw new UnsupportedOperationException(
          "%s in the order of %s: elements along more than %d axes; copy it first"
              .formatted(array, other, Places.MOST_AXES));
    }
    return found;
  }

  /** Returns whether each rank has the same indices in blocks as of another array. */
  boolean hasBlocksOf(Operand other) {
    if (!(distribution instanceof Grid grid)
        || !(other.distribution() instanceof Grid theirs)
        || !grid.shape().equals(theirs.shape())
        || grid.ranks() != theirs.ranks()) {
      return false;
    }
    for (int axis = 0; axis < grid.shape().rank(); axis++) {
      if (!grid.axis(axis).isBlock() || !theirs.axis(axis).isBlock()) {
        return false;
      }
    }
    for (int each = 0; each < grid.ranks(); each++) {
      if (grid.localCount(each) == 0 && theirs.localCount(each) == 0) {
        continue;
      }
      for (int axis = 0; axis < grid.shape().rank(); axis++) {
        int here = grid.place(each, axis);
        int there = theirs.place(each, axis);
        if (grid.axis(axis).first(here) != theirs.axis(axis).first(there)
            || grid.axis(axis).count(here) != theirs.axis(axis).count(there)) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Returns the numbers of the rank's elements in the whole array, in the order of memory and from
   * the first one's on; null if they follow no rule.
   */
  @Nullable Places numbers() {
    if (array.isInOrder()) {
      return Places.DENSE;
    }
    if (!(distribution instanceof Grid grid)) {
      return null;
    }
    int[] order = grid.order();
    long[] extents = new long[order.length];
    long[] strides = new long[order.length];
    for (int i = 0; i < order.length; i++) {
      if (!grid.axis(order[i]).isBlock()) {
        return null;
      }
      extents[i] = grid.localShape(rank()).extent(order[i]);
      strides[i] = distribution.shape().strides()[order[i]];
    }
    return Places.of(extents, strides, 0);
  }

  /**
   * Returns which indices the memory has, halo and all, and where each lies, for kernels.
   *
   * @throws UnsupportedOperationException if the array is not divided in blocks
   */
  IndexedMemory memory() {
    Grid grid = blocks();
    int axes = grid.shape().rank();
    Long[] low = new Long[axes];
    Long[] extents = new Long[axes];
    Long[] strides = new Long[axes];
    Halo.Stencil stencil = part.stencil;
    long[] apart = part.viewedStrides();
    boolean none = part.layout.count() == 0;
    long stride = 1;
    for (int i = axes - 1; i >= 0; i--) {
      int axis = grid.order()[i];
      int below = stencil == null ? 0 : stencil.low(axis);
      int above = stencil == null ? 0 : stencil.high(axis);
      low[axis] = none ? 0 : first(grid, axis) - below;
      extents[axis] = none ? 0 : grid.localShape(rank()).extent(axis) + below + above;
      strides[axis] = apart == null ? stride : apart[axis];
      stride *= extents[axis];
    }
    long offset = apart == null || none ? 0 : part.layout.first();
    return new IndexedMemory(
        array.type(), List.of(low), List.of(extents), List.of(strides), offset);
  }

  /** Returns the blocks that the ranks have, for functions of indices on a device. */
  private Grid blocks() {
    if (distribution instanceof Grid grid
        && IntStream.range(0, grid.shape().rank()).allMatch(axis -> grid.axis(axis).isBlock())) {
      return grid;
    }
    if (distribution.ranks() == 1 && array.isInOrder()) {
      return (Grid) Decomposition.block().divide(distribution.shape(), 1);
    }
    throw new UnsupportedOperationException(
        "a function of indices for %s, which is not in blocks, on %s; use a function of numbers of elements, or redistribute it"
            .formatted(array, array.client().device().name()));
  }

  private long first(Grid grid, int axis) {
    return grid.axis(axis).first(grid.place(rank(), axis));
  }

  /** Returns the first of the indices along an axis that the rank owns in blocks. */
  public long first(int axis) {
    return first(blocks(), axis);
  }

  /** Returns how many indices of each axis the rank owns in blocks. */
  Shape extents() {
    return blocks().localShape(rank());
  }
}
