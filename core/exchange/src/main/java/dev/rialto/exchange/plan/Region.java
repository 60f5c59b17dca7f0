package dev.rialto.exchange.plan;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;

/**
 * Elements of an array, in a fixed order, whatever their type: a strided box or a list of blocks.
 *
 * <p>It is a {@link Layout} whose type is still open, so that one plan serves arrays of every type.
 * All numbers are elements, counted from the array's start. Immutable.
 */
public sealed interface Region {
  /** Returns how many elements there are. */
  long count();

  /** Returns how many elements an array must have to hold them: one past the furthest, or 0. */
  long span();

  /** Returns where the elements of an array of a type lie. */
  Layout layout(DType type);

  /** Returns the region in an array of groups of {@code width} elements, whole groups at a time. */
  Region widened(int width);

  /** Visits each maximal contiguous run, in order. */
  default void forEachRun(Layout.RunVisitor visitor) {
    // Bytes of one-byte elements are elements.
    layout(DType.I8).forEachRun(visitor);
  }

  /** Returns how many contiguous runs there are. */
  default long runs() {
    long[] runs = {0};
    forEachRun((_, _) -> runs[0]++);
    return runs[0];
  }

  /** Returns where the elements start, if they lie without gaps and in order; otherwise -1. */
  long contiguousFrom();

  /** Makes the region of {@code count} elements without gaps. */
  static Region contiguous(long offset, long count) {
    return new Box(Shape.of(count), new long[] {1}, offset);
  }

  /**
   * Makes the region of a box: element (i, j, …) is {@code offset + i*strides[0] + j*strides[1] +
   * …}, the last axis varying fastest.
   *
   * @throws IllegalArgumentException if strides and extents differ in number or an element would
   *     lie before the array
   */
  static Region box(Shape extents, long[] strides, long offset) {
    return new Box(extents, strides.clone(), offset);
  }

  /**
   * Makes the region of listed elements. Lists that are runs of one length, or one run, are found
   * out and kept as such. The array is copied.
   *
   * @throws IllegalArgumentException if an index is negative
   */
  static Region indices(long... indices) {
    for (long index : indices) {
      if (index < 0) {
        throw new IllegalArgumentException("index " + index + " is negative; indices start at 0");
      }
    }
    int length = commonRun(indices);
    if (length == indices.length) {
      return contiguous(indices.length == 0 ? 0 : indices[0], indices.length);
    }
    long[] starts = new long[indices.length / length];
    Arrays.setAll(starts, i -> indices[i * length]);
    return new Indices(starts, length);
  }

  /** Returns the length that all runs of consecutive indices can be cut into; at least 1. */
  private static int commonRun(long[] indices) {
    int common = 0;
    int start = 0;
    for (int i = 1; i <= indices.length; i++) {
      if (i == indices.length || indices[i] != indices[i - 1] + 1) {
        common = gcd(common, i - start);
        start = i;
      }
    }
    return Math.max(common, 1);
  }

  private static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** A box of elements with a stride per axis; made by {@link #box}. */
  final class Box implements Region {
    private final Shape extents;
    private final long[] strides;
    private final long offset;
    private final long contiguousFrom;

    private Box(Shape extents, long[] strides, long offset) {
      this.extents = extents;
      this.strides = strides;
      this.offset = offset;
      // The layout checks what can be wrong.
      var _ = layout(DType.I8);
      this.contiguousFrom = isDense() ? offset : -1;
    }

    private boolean isDense() {
      long dense = 1;
      for (int axis = strides.length - 1; axis >= 0; axis--) {
        if (extents.extent(axis) != 1 && strides[axis] != dense) {
          return extents.count() == 0;
        }
        dense *= extents.extent(axis);
      }
      return true;
    }

    /** Returns the extents. */
    public Shape extents() {
      return extents;
    }

    /** Returns a fresh array of the strides. */
    public long[] strides() {
      return strides.clone();
    }

    /** Returns the first element. */
    public long offset() {
      return offset;
    }

    @Override
    public long count() {
      return extents.count();
    }

    @Override
    public long span() {
      return layout(DType.I8).span();
    }

    @Override
    public Layout layout(DType type) {
      return Layout.strided(type, extents, strides, offset);
    }

    @Override
    public Region widened(int width) {
      int axes = strides.length;
      long[] wide = Arrays.copyOf(extents.extents(), axes + 1);
      long[] steps = new long[axes + 1];
      wide[axes] = width;
      steps[axes] = 1;
      for (int axis = 0; axis < axes; axis++) {
        steps[axis] = Math.multiplyExact(strides[axis], (long) width);
      }
      return new Box(Shape.of(wide), steps, Math.multiplyExact(offset, (long) width));
    }

    @Override
    public long contiguousFrom() {
      return contiguousFrom;
    }

    @Override
    public String toString() {
      return contiguousFrom >= 0
          ? count() + " from " + offset
          : extents + " strides " + Arrays.toString(strides) + " from " + offset;
    }
  }

  /** Blocks of elements at listed places; made by {@link #indices}. */
  final class Indices implements Region {
    private final long[] starts;
    private final int length;

    private Indices(long[] starts, int length) {
      this.starts = starts;
      this.length = length;
    }

    @Override
    public long count() {
      return (long) starts.length * length;
    }

    @Override
    public long span() {
      return layout(DType.I8).span();
    }

    @Override
    public Layout layout(DType type) {
      return Layout.indexed(type, starts, length);
    }

    @Override
    public Region widened(int width) {
      return new Indices(
          Arrays.stream(starts).map(start -> Math.multiplyExact(start, (long) width)).toArray(),
          Math.multiplyExact(length, width));
    }

    @Override
    public long contiguousFrom() {
      return -1;
    }

    @Override
    public String toString() {
      return starts.length + " blocks of " + length;
    }
  }
}
