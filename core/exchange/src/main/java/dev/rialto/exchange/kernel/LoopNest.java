package dev.rialto.exchange.kernel;

import dev.rialto.exchange.plan.Region;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.parts.BoxPair;
import org.jspecify.annotations.Nullable;

/**
 * A {@link BoxPair} in the order in which its loops are to run.
 *
 * <p>A short innermost axis that is contiguous on both sides becomes part of the element. Axes are
 * then sorted, slowest in the target first: elements that do not overlap may be moved in any order.
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

  private LoopNest(BoxPair pair, int size) {
    int last = pair.rank() - 1;
    boolean rows = last >= 0 && pair.from[last] == size && pair.to[last] == size;
    long row = rows ? pair.extents[last] * size : 0;
    boolean merged = rows && row <= 16 && Long.bitCount(row) == 1;
    this.rank = merged ? last : last + 1;
    this.size = merged ? (int) row : size;
    this.extents = pair.extents.clone();
    this.from = pair.from.clone();
    this.to = pair.to.clone();
    this.fromOffset = pair.fromOffset;
    this.toOffset = pair.toOffset;
    sort();
  }

  /** Returns the nest, or null if the regions are not boxes of one shape. */
  static @Nullable LoopNest of(Region source, Region target, DType type) {
    if (!(source instanceof Region.Box a) || !(target instanceof Region.Box b)) {
      return null;
    }
    Shape shape = (a.contiguousFrom() >= 0 ? b : a).extents();
    BoxPair pair = BoxPair.of(shaped(a, shape, type), shaped(b, shape, type));
    return pair == null ? null : new LoopNest(pair, type.size());
  }

  /** Returns where elements lie; those without gaps can have any shape. */
  private static Layout shaped(Region.Box box, Shape shape, DType type) {
    return box.contiguousFrom() >= 0
        ? Layout.strided(type, shape, shape.strides(), box.contiguousFrom())
        : box.layout(type);
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
