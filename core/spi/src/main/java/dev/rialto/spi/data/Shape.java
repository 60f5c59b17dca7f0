package dev.rialto.spi.data;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The extents of an array, slowest-varying axis first (row-major order).
 *
 * <p>A shape of rank 0 is a scalar and has one element; any extent may be 0, and then there are no
 * elements.
 */
public final class Shape {
  private final long[] extents;
  private final long count;

  private Shape(long[] extents) {
    this.extents = extents;
    long product = 1;
    for (long extent : extents) {
      if (extent < 0) {
        throw new IllegalArgumentException(
            "extent %s in shape %s is negative; extents start at 0"
                .formatted(extent, Arrays.toString(extents)));
      }
    }
    for (long extent : extents) {
      if (extent == 0) {
        product = 0;
        break;
      }
      if (product > Long.MAX_VALUE / extent) {
        throw new IllegalArgumentException(
            "shape " + Arrays.toString(extents) + " has more than 2^63-1 elements");
      }
      product *= extent;
    }
    this.count = product;
  }

  /**
   * Makes a shape of the given extents.
   *
   * @throws IllegalArgumentException if an extent is negative or the elements exceed 2^63-1
   */
  public static Shape of(long... extents) {
    return new Shape(extents.clone());
  }

  /**
   * Reads a shape such as {@code 256x256x128}.
   *
   * @throws IllegalArgumentException if the text is not extents joined by {@code x}
   */
  public static Shape parse(String text) {
    String[] parts = text.split("x", -1);
    long[] extents = new long[parts.length];
    for (int i = 0; i < parts.length; i++) {
      try {
        extents[i] = Long.parseLong(parts[i].strip());
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(
            "'" + text + "' is not a shape; write extents joined by x, such as 256x256x128", e);
      }
    }
    return new Shape(extents);
  }

  /** Returns the number of axes. */
  public int rank() {
    return extents.length;
  }

  /**
   * Returns the extent of one axis.
   *
   * @throws IndexOutOfBoundsException if there is no such axis
   */
  public long extent(int axis) {
    return extents[axis];
  }

  /** Returns a fresh array of all extents. */
  public long[] extents() {
    return extents.clone();
  }

  /** Returns the number of elements: the product of the extents. */
  public long count() {
    return count;
  }

  /** Returns the row-major strides in elements: the last axis has stride 1. */
  public long[] strides() {
    long[] strides = new long[extents.length];
    long stride = 1;
    for (int axis = extents.length - 1; axis >= 0; axis--) {
      strides[axis] = stride;
      stride *= Math.max(extents[axis], 1);
    }
    return strides;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Shape shape && Arrays.equals(extents, shape.extents);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(extents);
  }

  @Override
  public String toString() {
    return extents.length == 0
        ? "scalar"
        : Arrays.stream(extents).mapToObj(Long::toString).collect(Collectors.joining("x"));
  }
}
