package dev.rialto.array.part;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Partition;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The part of an array that a view shows: a box of another array's indices, all or some at equal
 * distances, with its axes in any order. The memory stays that array's, and each rank has what it
 * owns of them.
 *
 * @param whole the array, no view itself
 * @param part what a rank had of it when the view was made
 * @param from the first index along each of its axes
 * @param to an index after the last, and before the next one at that distance
 * @param step the distance from one index to the next
 * @param axes the axis of the whole array that each of the view's is
 */
@SuppressWarnings("ArrayRecordComponent") // shared by views and never changed
public record ViewBox(
    Operand whole, RankPart part, long[] from, long[] to, long[] step, int[] axes) {
  /** Shows all of an array. */
  static ViewBox all(Operand whole) {
    long[] extents = whole.shape().extents();
    int[] axes = IntStream.range(0, extents.length).toArray();
    long[] step = new long[extents.length];
    Arrays.fill(step, 1);
    return new ViewBox(whole, whole.part(), new long[extents.length], extents, step, axes);
  }

  /** Shows less of an axis of this: every so many indices of a part. */
  ViewBox slice(int axis, long first, long end, long every) {
    if (end - first <= every && every > 1) {
      // One index at most: at what distance the next would be is of no account, and may overflow.
      return slice(axis, first, Math.min(end, first + 1), 1);
    }
    int own = axes[axis];
    long[] begin = from.clone();
    long[] stop = to.clone();
    long[] apart = step.clone();
    begin[own] = from[own] + first * step[own];
    stop[own] = Math.min(to[own], from[own] + end * step[own]);
    apart[own] = step[own] * every;
    return new ViewBox(whole, part, begin, stop, apart, axes);
  }

  /** Shows axes in another order. */
  ViewBox transposed(int... order) {
    int[] turned = IntStream.of(order).map(axis -> axes[axis]).toArray();
    return new ViewBox(whole, part, from, to, step, turned);
  }

  /**
   * Returns which rank has what of it.
   *
   * @throws UnsupportedOperationException if the whole is not divided in blocks, or along several
   *     axes that would change places
   */
  Grid distribution() {
    if (!(part.distribution instanceof Grid grid) || !grid.contains(0)) {
      throw unsupported("divide it in blocks");
    }
    Partition[] parts = new Partition[axes.length];
    int divided = 0;
    for (int axis = 0; axis < axes.length; axis++) {
      Partition dealt = grid.axis(axes[axis]);
      if (!dealt.isBlock()) {
        throw unsupported("divide it in blocks");
      }
      divided += dealt.parts() > 1 ? 1 : 0;
      long[] lengths = new long[dealt.parts()];
      for (int part = 0; part < lengths.length; part++) {
        lengths[part] = Math.max(0, end(grid, axes[axis], part) - begin(grid, axes[axis], part));
      }
      parts[axis] = Partition.blocks(lengths);
    }
    if (divided > 1 && !Arrays.equals(axes, IntStream.range(0, axes.length).toArray())) {
      throw unsupported("divide one axis to have it transposed");
    }
    int[] order = IntStream.of(grid.order()).map(this::position).toArray();
    return Grid.of(parts).withOrder(order).withRanks(grid.ranks());
  }

  private UnsupportedOperationException unsupported(String remedy) {
    return new UnsupportedOperationException("a view of " + whole + "; " + remedy);
  }

  private int position(int ofWhole) {
    int axis = 0;
    while (axes[axis] != ofWhole) {
      axis++;
    }
    return axis;
  }

  /** Returns the first of the view's indices along an axis of the whole that a part has. */
  private long begin(Grid grid, int axis, int part) {
    return index(axis, Math.max(from[axis], grid.axis(axis).first(part)));
  }

  /** Returns the one after the last. */
  private long end(Grid grid, int axis, int part) {
    return index(
        axis,
        Math.max(
            from[axis],
            Math.min(to[axis], grid.axis(axis).first(part) + grid.axis(axis).count(part))));
  }

  /** Returns the first of the view's indices that is not before one of the whole. */
  private long index(int axis, long ofWhole) {
    return Math.ceilDiv(ofWhole - from[axis], step[axis]);
  }

  /** Returns how far apart elements are along each axis of the view. */
  long[] strides() {
    long[] ofWhole = wholeStrides();
    return IntStream.of(axes).mapToLong(axis -> ofWhole[axis] * step[axis]).toArray();
  }

  private long[] wholeStrides() {
    int[] order = ((Grid) part.distribution).order();
    long[] strides = new long[order.length];
    long stride = 1;
    for (int i = order.length - 1; i >= 0; i--) {
      strides[order[i]] = stride;
      stride *= Math.max(part.layout.shape().extent(order[i]), 1);
    }
    return strides;
  }

  /** Returns where the first element that a rank has of it lies in the whole's memory. */
  long offset(int rank) {
    Grid grid = (Grid) part.distribution;
    long[] strides = wholeStrides();
    long offset = part.layout.first();
    for (int axis = 0; axis < strides.length; axis++) {
      int at = grid.place(rank, axis);
      long first = from[axis] + begin(grid, axis, at) * step[axis];
      offset += (first - grid.axis(axis).first(at)) * strides[axis];
    }
    return offset;
  }

  /** Returns the extents of the whole's memory, in the order of the view's axes. */
  Shape memory() {
    Shape ofWhole = part.layout.shape();
    return Shape.of(IntStream.of(axes).mapToLong(ofWhole::extent).toArray());
  }

  long element(long... index) {
    long[] ofWhole = new long[index.length];
    for (int axis = 0; axis < axes.length; axis++) {
      ofWhole[axes[axis]] = from[axes[axis]] + index[axis] * step[axes[axis]];
    }
    return whole.element(ofWhole);
  }

  /** Returns whether the memory is that of the whole still. */
  boolean isCurrent() {
    return whole.part() == part;
  }

  /** Returns whether some element is in both and lies at another index in each. */
  boolean mixesWith(ViewBox other) {
    boolean same =
        Arrays.equals(from, other.from)
            && Arrays.equals(to, other.to)
            && Arrays.equals(step, other.step)
            && Arrays.equals(axes, other.axes);
    return !same && overlaps(other);
  }

  boolean overlaps(ViewBox other) {
    if (whole != other.whole) {
      return false;
    }
    boolean apart = false;
    for (int axis = 0; axis < from.length; axis++) {
      apart |= from[axis] >= other.to[axis] || other.from[axis] >= to[axis];
      // Such as the even and the odd ones.
      apart |= step[axis] == other.step[axis] && (from[axis] - other.from[axis]) % step[axis] != 0;
    }
    return !apart;
  }
}
