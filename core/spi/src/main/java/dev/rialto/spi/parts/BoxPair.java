package dev.rialto.spi.parts;

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
    if (from instanceof Layout.Strided source
        && to instanceof Layout.Strided target
        && source.extents().equals(target.extents())) {
      shape = source.extents();
    } else if (from instanceof Layout.Strided source && to instanceof Layout.Contiguous) {
      shape = source.extents();
    } else if (from instanceof Layout.Contiguous && to instanceof Layout.Strided target) {
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

  private static long[] strides(Layout layout, Shape shape, int size) {
    long[] strides = layout instanceof Layout.Strided strided ? strided.strides() : shape.strides();
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

  /**
   * Returns this with the axis that lies closest in the target last, and of the others the one that
   * lies closest in the source before it. Elements that do not overlap may be copied in any order.
   */
  BoxPair withClosestAxesLast() {
    int last = rank() - 1;
    return last < 1 ? this : swapped(closest(to, last), last).withClosestSourceBefore(last);
  }

  private BoxPair withClosestSourceBefore(int last) {
    return swapped(closest(from, last - 1), last - 1);
  }

  /** Returns which of the axes up to {@code last} has the smallest stride. */
  private static int closest(long[] strides, int last) {
    int closest = last;
    for (int axis = last - 1; axis >= 0; axis--) {
      if (Math.abs(strides[axis]) < Math.abs(strides[closest])) {
        closest = axis;
      }
    }
    return closest;
  }

  private BoxPair swapped(int a, int b) {
    BoxPair other = new BoxPair(extents.clone(), from.clone(), to.clone(), fromOffset, toOffset);
    for (long[] values : new long[][] {other.extents, other.from, other.to}) {
      long value = values[a];
      values[a] = values[b];
      values[b] = value;
    }
    return other;
  }

  /** Takes a place in the source and one in the target, in bytes. */
  @FunctionalInterface
  interface PlaceVisitor {
    void visit(long fromAt, long toAt);
  }

  /** Visits every index of the first {@code axes} axes, at 0 along the others. */
  void forEach(int axes, PlaceVisitor visitor) {
    long[] index = new long[axes];
    long fromAt = fromOffset;
    long toAt = toOffset;
    while (true) {
      visitor.visit(fromAt, toAt);
      int axis = axes - 1;
      while (axis >= 0 && ++index[axis] == extents[axis]) {
        fromAt -= (extents[axis] - 1) * from[axis];
        toAt -= (extents[axis] - 1) * to[axis];
        index[axis--] = 0;
      }
      if (axis < 0) {
        return;
      }
      fromAt += from[axis];
      toAt += to[axis];
    }
  }
}
