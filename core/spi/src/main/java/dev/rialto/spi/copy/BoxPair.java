package dev.rialto.spi.copy;

import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Two layouts as one nest of loops: extents, and a stride in bytes per axis for either side.
 *
 * <p>Axes of one element are gone, and neighbours that one axis can do for are one, so a box in a
 * larger array is rows, planes of whole rows are one long row, and a transpose has two axes.
 */
public final class BoxPair {
  /** Elements per axis. */
  public final long[] extents;

  /** Strides of the source, in bytes. */
  public final long[] from;

  /** Strides of the target, in bytes. */
  public final long[] to;

  /** The source's first element, in bytes. */
  public final long fromOffset;

  /** The target's first element, in bytes. */
  public final long toOffset;

  private BoxPair(long[] extents, long[] from, long[] to, long fromOffset, long toOffset) {
    this.extents = extents;
    this.from = from;
    this.to = to;
    this.fromOffset = fromOffset;
    this.toOffset = toOffset;
  }

  /** Returns the nest, or null if the layouts are not boxes of one shape. */
  public static @Nullable BoxPair of(Layout from, Layout to) {
    Shape shape;
    if (from instanceof Layout.Strided source && denseFrom(to) >= 0) {
      shape = source.extents();
    } else if (to instanceof Layout.Strided target
        && (denseFrom(from) >= 0
            || (from instanceof Layout.Strided source
                && source.extents().equals(target.extents())))) {
      shape = target.extents();
    } else {
      return null;
    }
    int size = from.type().size();
    return new BoxPair(
            shape.extents(),
            strides(from, shape, size),
            strides(to, shape, size),
            offset(from, size),
            offset(to, size))
        .simplified();
  }

  /** Returns where elements start, in bytes, if they lie in order and without gaps; else -1. */
  static long denseFrom(Layout layout) {
    if (layout.count() == 0) {
      return 0;
    }
    return switch (layout) {
      case Layout.Contiguous _ -> 0;
      case Layout.Indexed _ -> -1;
      case Layout.Strided box -> isDense(box) ? box.offset() * box.type().size() : -1;
    };
  }

  private static boolean isDense(Layout.Strided box) {
    long[] strides = box.strides();
    long dense = 1;
    for (int axis = strides.length - 1; axis >= 0; axis--) {
      if (box.extents().extent(axis) != 1 && strides[axis] != dense) {
        return false;
      }
      dense *= box.extents().extent(axis);
    }
    return true;
  }

  private static long[] strides(Layout layout, Shape shape, int size) {
    // Elements without gaps can have any shape.
    long[] strides =
        layout instanceof Layout.Strided box && !isDense(box) ? box.strides() : shape.strides();
    Arrays.setAll(strides, axis -> strides[axis] * size);
    return strides;
  }

  private static long offset(Layout layout, int size) {
    return layout instanceof Layout.Strided strided ? strided.offset() * size : 0;
  }

  private BoxPair simplified() {
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
    return new BoxPair(
        Arrays.copyOf(extents, rank),
        Arrays.copyOf(from, rank),
        Arrays.copyOf(to, rank),
        fromOffset,
        toOffset);
  }

  /** Returns how many axes there are; 0 for one element. */
  public int rank() {
    return extents.length;
  }

  /** Returns the elements. */
  long count() {
    long count = 1;
    for (long extent : extents) {
      count *= extent;
    }
    return count;
  }

  /** Returns the bytes of a row that can be moved as one element, or else those of an element. */
  int shortRow(int size) {
    int last = rank() - 1;
    if (last < 0 || from[last] != size || to[last] != size || extents[last] > 16 / size) {
      return size;
    }
    int row = (int) extents[last] * size;
    return Integer.bitCount(row) == 1 ? row : size;
  }

  /**
   * Returns this with the axes in the order of the target, slowest first: elements that do not
   * overlap may be copied in any order.
   *
   * @param without how many of the last axes are left out
   */
  BoxPair inOrderOfTarget(int without) {
    int rank = rank() - without;
    BoxPair sorted =
        new BoxPair(
            Arrays.copyOf(extents, rank),
            Arrays.copyOf(from, rank),
            Arrays.copyOf(to, rank),
            fromOffset,
            toOffset);
    for (int i = 1; i < rank; i++) {
      for (int j = i; j > 0 && Math.abs(sorted.to[j - 1]) < Math.abs(sorted.to[j]); j--) {
        sorted.swap(j, j - 1);
      }
    }
    return sorted;
  }

  /** Returns the axis with the smallest stride in the source; -1 for one element. */
  int closestInSource() {
    int closest = rank() - 1;
    for (int axis = rank() - 2; axis >= 0; axis--) {
      if (Math.abs(from[axis]) < Math.abs(from[closest])) {
        closest = axis;
      }
    }
    return closest;
  }

  BoxPair withAxisBeforeLast(int moved) {
    BoxPair other = new BoxPair(extents.clone(), from.clone(), to.clone(), fromOffset, toOffset);
    for (int axis = moved; axis < rank() - 2; axis++) {
      other.swap(axis, axis + 1);
    }
    return other;
  }

  private void swap(int a, int b) {
    for (long[] values : new long[][] {extents, from, to}) {
      long value = values[a];
      values[a] = values[b];
      values[b] = value;
    }
  }
}
