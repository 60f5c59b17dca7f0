package dev.rialto.jit.kernel;

import dev.rialto.spi.data.Shape;
import java.util.Objects;

/** The axes of an array of a kernel that is run as plain Java. */
final class Extents {
  static final Extents NONE = new Extents(Shape.of(), 0);

  private final Shape shape;
  private final long offset;
  private final long[] strides;

  /**
   * Makes axes.
   *
   * @param offset the place of the first element
   * @param strides the elements of memory from one index to the next, along each axis
   */
  Extents(Shape shape, long offset, long... strides) {
    this.shape = shape;
    this.offset = offset;
    this.strides = strides.clone();
    if (strides.length != shape.rank()) {
      throw new IllegalArgumentException(
          "%d strides for shape %s; give one per axis".formatted(strides.length, shape));
    }
  }

  static Extents dense(long... extents) {
    Shape shape = Shape.of(extents);
    return new Extents(shape, 0, shape.strides());
  }

  long extent(int axis) {
    return shape.extent(axis);
  }

  /** Returns where an element lies. */
  long place(long... index) {
    if (index.length != strides.length) {
      throw new IllegalArgumentException(
          "%d indices of an array of shape %s; give one per axis, or make it an array with shaped"
              .formatted(index.length, shape));
    }
    long place = offset;
    for (int axis = 0; axis < index.length; axis++) {
      place += Objects.checkIndex(index[axis], shape.extent(axis)) * strides[axis];
    }
    return place;
  }
}
