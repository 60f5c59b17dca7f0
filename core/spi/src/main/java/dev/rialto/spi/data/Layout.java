package dev.rialto.spi.data;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The places of the elements of a block in memory, relative to the start of a segment.
 *
 * <p>A layout names a type and a sequence of elements, in a fixed order. Two layouts of equal
 * {@linkplain #type() type} and {@linkplain #count() count} describe the same message: element
 * {@code i} of one is copied to element {@code i} of the other, whatever their strides.
 *
 * <p>Offsets are bytes from the segment's start; strides and indices are elements. A layout that is
 * written to must not name an element twice; readers may.
 */
public sealed interface Layout {
  /** Returns the type of the elements. */
  DType type();

  /** Returns how many elements the layout names. */
  long count();

  /** Returns the bytes from the segment's start to the end of the furthest element; 0 if empty. */
  long span();

  /**
   * Calls {@code visitor} for each maximal contiguous run, in the order of the elements. Nothing is
   * visited for an empty layout.
   */
  void forEachRun(RunVisitor visitor);

  /** Returns the bytes of the elements themselves, without gaps. */
  default long bytes() {
    return type().bytes(count());
  }

  /** Returns whether the elements lie without gaps and in order from the segment's start. */
  default boolean isContiguous() {
    return this instanceof Contiguous;
  }

  /** Receives the contiguous runs of a layout. */
  @FunctionalInterface
  interface RunVisitor {
    /** Takes one run: {@code bytes} bytes from {@code offset} bytes into the segment. */
    void run(long offset, long bytes);
  }

  /** Makes the layout of {@code count} elements without gaps. */
  static Layout contiguous(DType type, long count) {
    return new Contiguous(type, count);
  }

  /**
   * Makes the layout of a box: element (i, j, …) lies at {@code offset + i*strides[0] +
   * j*strides[1] + …} elements, the last axis varying fastest. Strides may be negative or larger
   * than the axis below, as in a transposed view.
   *
   * @throws IllegalArgumentException if strides and extents differ in number, or an element would
   *     lie before the segment's start or beyond 2^63-1 bytes
   */
  static Layout strided(DType type, Shape extents, long[] strides, long offset) {
    Strided box = new Strided(type, extents, strides, offset);
    return box.offset == 0 && Arrays.equals(box.strides, extents.strides())
        ? new Contiguous(type, extents.count())
        : box;
  }

  /**
   * Makes the layout of an array whose innermost rows are padded: each row of {@code
   * shape.extent(last)} elements starts {@code pitch} elements after the one before.
   *
   * @throws IllegalArgumentException if {@code pitch} is smaller than a row or the shape is a
   *     scalar
   */
  static Layout pitched(DType type, Shape shape, long pitch) {
    int last = shape.rank() - 1;
    if (last < 0 || pitch < shape.extent(last)) {
      throw new IllegalArgumentException(
          ("pitch %s does not hold a row of shape %s; give at least the last extent of a "
                  + "shape that has axes")
              .formatted(pitch, shape));
    }
    long[] strides = new long[shape.rank()];
    long stride = pitch;
    strides[last] = 1;
    for (int axis = last - 1; axis >= 0; axis--) {
      strides[axis] = stride;
      stride = times(stride, Math.max(shape.extent(axis), 1));
    }
    return strided(type, shape, strides, 0);
  }

  /**
   * Makes the layout of blocks of {@code blockLength} elements, block {@code i} starting at element
   * {@code indices[i]}. The array is copied.
   *
   * @throws IllegalArgumentException if an index or the block length is negative
   */
  static Layout indexed(DType type, long[] indices, long blockLength) {
    return new Indexed(type, indices, blockLength);
  }

  private static long times(long a, long b) {
    if (a != 0 && (Math.multiplyHigh(a, b) != (a * b) >> 63)) {
      throw new IllegalArgumentException(
          "layout reaches " + a + " times " + b + " elements; the most is 2^63-1 bytes");
    }
    return a * b;
  }

  private static long plus(long a, long b) {
    long sum = a + b;
    if (((a ^ sum) & (b ^ sum)) < 0) {
      throw new IllegalArgumentException(
          "layout reaches " + a + " plus " + b + " elements; the most is 2^63-1 bytes");
    }
    return sum;
  }

  /**
   * Elements without gaps.
   *
   * @param type the elements' type
   * @param count how many
   */
  record Contiguous(DType type, long count) implements Layout {
    /** Checks that the count is not negative and the bytes can be counted. */
    public Contiguous {
      var _ = type.bytes(count);
    }

    @Override
    public long span() {
      return bytes();
    }

    @Override
    public void forEachRun(RunVisitor visitor) {
      if (count > 0) {
        visitor.run(0, bytes());
      }
    }
  }

  /** A box of elements with a stride per axis. */
  final class Strided implements Layout {
    private final DType type;
    private final Shape extents;
    private final long[] strides;
    private final long offset;
    private final long span;

    private Strided(DType type, Shape extents, long[] strides, long offset) {
      this.type = type;
      this.extents = extents;
      this.strides = strides.clone();
      this.offset = offset;
      if (strides.length != extents.rank()) {
        throw new IllegalArgumentException(
            strides.length + " strides for shape " + extents + "; give one per axis");
      }
      long lowest = offset;
      long highest = offset;
      for (int axis = 0; axis < strides.length; axis++) {
        long reach = times(Math.max(extents.extent(axis) - 1, 0), strides[axis]);
        lowest = plus(lowest, Math.min(reach, 0));
        highest = plus(highest, Math.max(reach, 0));
      }
      if (extents.count() > 0 && lowest < 0) {
        throw new IllegalArgumentException(
            ("layout of shape %s with strides %s and offset %s reaches %s elements before "
                    + "the segment; raise the offset")
                .formatted(extents, Arrays.toString(strides), offset, -lowest));
      }
      this.span = extents.count() == 0 ? 0 : type.bytes(plus(highest, 1));
    }

    @Override
    public DType type() {
      return type;
    }

    @Override
    public long count() {
      return extents.count();
    }

    @Override
    public long span() {
      return span;
    }

    /** Returns the extents of the box. */
    public Shape extents() {
      return extents;
    }

    /** Returns a fresh array of the strides in elements, one per axis. */
    public long[] strides() {
      return strides.clone();
    }

    /** Returns the first element's distance from the segment's start, in elements. */
    public long offset() {
      return offset;
    }

    /**
     * Returns whether no two elements lie at one place, as what is written must not; decided from
     * the smallest stride up, which leaves out boxes that interleave.
     */
    public boolean hasPlaceForEach() {
      int[] axes =
          IntStream.range(0, strides.length)
              .filter(axis -> extents.extent(axis) > 1)
              .boxed()
              .sorted(Comparator.comparingLong(axis -> Math.abs(strides[axis])))
              .mapToInt(Integer::intValue)
              .toArray();
      long reach = 0;
      for (int axis : axes) {
        if (Math.abs(strides[axis]) <= reach) {
          return count() == 0;
        }
        reach += (extents.extent(axis) - 1) * Math.abs(strides[axis]);
      }
      return true;
    }

    @Override
    public void forEachRun(RunVisitor visitor) {
      if (count() == 0) {
        return;
      }
      int outer = strides.length;
      long run = 1;
      while (outer > 0 && (strides[outer - 1] == run || extents.extent(outer - 1) == 1)) {
        outer--;
        run *= extents.extent(outer);
      }
      long[] index = new long[outer];
      long at = offset;
      while (true) {
        visitor.run(at * type.size(), run * type.size());
        int axis = outer - 1;
        while (axis >= 0 && ++index[axis] == extents.extent(axis)) {
          at -= (extents.extent(axis) - 1) * strides[axis];
          index[axis--] = 0;
        }
        if (axis < 0) {
          return;
        }
        at += strides[axis];
      }
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Strided that
          && type == that.type
          && offset == that.offset
          && extents.equals(that.extents)
          && Arrays.equals(strides, that.strides);
    }

    @Override
    public int hashCode() {
      return 31 * (31 * extents.hashCode() + Arrays.hashCode(strides)) + Long.hashCode(offset);
    }

    @Override
    public String toString() {
      return type + "[" + extents + " strides " + Arrays.toString(strides) + " at " + offset + "]";
    }
  }

  /** Blocks of elements at listed places. */
  final class Indexed implements Layout {
    private final DType type;
    private final long[] indices;
    private final long blockLength;
    private final long count;
    private final long span;

    private Indexed(DType type, long[] indices, long blockLength) {
      this.type = type;
      this.indices = indices.clone();
      this.blockLength = blockLength;
      if (blockLength < 0) {
        throw new IllegalArgumentException(
            "block length " + blockLength + " is negative; give the elements of one block");
      }
      this.count = times(indices.length, blockLength);
      long highest = 0;
      for (long index : indices) {
        if (index < 0) {
          throw new IllegalArgumentException(
              "index " + index + " is negative; indices count elements from the segment's start");
        }
        highest = Math.max(highest, index);
      }
      this.span =
          indices.length == 0 || blockLength == 0 ? 0 : type.bytes(plus(highest, blockLength));
    }

    @Override
    public DType type() {
      return type;
    }

    @Override
    public long count() {
      return count;
    }

    @Override
    public long span() {
      return span;
    }

    /** Returns a fresh array of where the blocks start, in elements. */
    public long[] indices() {
      return indices.clone();
    }

    /** Returns the elements of each block. */
    public long blockLength() {
      return blockLength;
    }

    @Override
    public void forEachRun(RunVisitor visitor) {
      if (count() == 0) {
        return;
      }
      long start = indices[0];
      long end = start + blockLength;
      for (int i = 1; i < indices.length; i++) {
        if (indices[i] != end) {
          visitor.run(start * type.size(), (end - start) * type.size());
          start = indices[i];
          end = start;
        }
        end += blockLength;
      }
      visitor.run(start * type.size(), (end - start) * type.size());
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Indexed that
          && type == that.type
          && blockLength == that.blockLength
          && Arrays.equals(indices, that.indices);
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(indices) + Long.hashCode(blockLength);
    }

    @Override
    public String toString() {
      return type + "[" + indices.length + " blocks of " + blockLength + "]";
    }
  }
}
