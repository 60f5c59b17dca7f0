package dev.rialto.exchange.kernel;

import dev.rialto.exchange.plan.Region;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Two boxes as one nest of loops: extents, and a stride in bytes per axis for either side.
 *
 * <p>Axes of one index are gone and neighbours that one axis can do for are one. A short innermost
 * axis that is contiguous on both sides becomes part of the element. Axes are then sorted, slowest
 * in the target first: elements that do not overlap may be moved in any order.
 */
final class LoopNest {
  private final int rank;

  /** The bytes of an element: 1, 2, 4, 8 or 16. */
  final int size;

  /** Elements per axis. */
  final long[] extents;

  /** Strides of the source, in bytes. */
  final long[] from;

  /** Strides of the target, in bytes. */
  final long[] to;

  /** The source's first element, in bytes. */
  final long fromOffset;

  /** The target's first element, in bytes. */
  final long toOffset;

  private LoopNest(
      int rank, int size, long[] extents, long[] from, long[] to, long fromOffset, long toOffset) {
    this.rank = rank;
    this.size = size;
    this.extents = extents;
    this.from = from;
    this.to = to;
    this.fromOffset = fromOffset;
    this.toOffset = toOffset;
  }

  /** Returns the nest, or null if the regions are not boxes of one shape. */
  static @Nullable LoopNest of(Region source, Region target, int size) {
    if (!(source instanceof Region.Box a) || !(target instanceof Region.Box b)) {
      return null;
    }
    Region.Box shaped = a.contiguousFrom() >= 0 ? b : a;
    if (a.contiguousFrom() < 0 && b.contiguousFrom() < 0 && !a.extents().equals(b.extents())) {
      return null;
    }
    long[] extents = shaped.extents().extents();
    return simplified(
        size,
        extents,
        strides(a, shaped, size),
        strides(b, shaped, size),
        a.offset() * size,
        b.offset() * size);
  }

  private static long[] strides(Region.Box box, Region.Box shaped, int size) {
    long[] strides = box.contiguousFrom() >= 0 ? shaped.extents().strides() : box.strides();
    Arrays.setAll(strides, axis -> strides[axis] * size);
    return strides;
  }

  private static LoopNest simplified(
      int size, long[] extents, long[] from, long[] to, long fromOffset, long toOffset) {
    int rank = 0;
    for (int axis = 0; axis < extents.length; axis++) {
      if (extents[axis] == 1) {
        continue;
      }
      int outer = rank - 1;
      if (outer >= 0
          && from[outer] == from[axis] * extents[axis]
          && to[outer] == to[axis] * extents[axis]) {
        extents[outer] *= extents[axis];
        from[outer] = from[axis];
        to[outer] = to[axis];
      } else {
        extents[rank] = extents[axis];
        from[rank] = from[axis];
        to[rank] = to[axis];
        rank++;
      }
    }
    int element = size;
    if (rank > 0 && from[rank - 1] == size && to[rank - 1] == size) {
      long row = extents[rank - 1] * size;
      if (row <= 16 && Long.bitCount(row) == 1) {
        element = (int) row;
        rank--;
      }
    }
    LoopNest nest = new LoopNest(rank, element, extents, from, to, fromOffset, toOffset);
    nest.sort();
    return nest;
  }

  int rank() {
    return rank;
  }

  /** Sorts the axes by descending stride in the target; there are only a few. */
  private void sort() {
    for (int i = 1; i < rank; i++) {
      for (int j = i; j > 0 && Math.abs(to[j - 1]) < Math.abs(to[j]); j--) {
        swap(j, j - 1);
      }
    }
  }

  /** Exchanges two axes. */
  private void swap(int a, int b) {
    for (long[] values : new long[][] {extents, from, to}) {
      long value = values[a];
      values[a] = values[b];
      values[b] = value;
    }
  }

  /**
   * Moves the axis that lies closest in the source to the last place but one, if the last is
   * another: then the last two are a plane to transpose.
   *
   * @return whether there is such a plane
   */
  boolean bringPlaneTogether() {
    int closest = rank - 1;
    for (int axis = rank - 2; axis >= 0; axis--) {
      if (Math.abs(from[axis]) < Math.abs(from[closest])) {
        closest = axis;
      }
    }
    if (closest == rank - 1) {
      return false;
    }
    for (int axis = closest; axis < rank - 2; axis++) {
      swap(axis, axis + 1);
    }
    return true;
  }
}
