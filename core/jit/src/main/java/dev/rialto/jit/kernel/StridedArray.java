package dev.rialto.jit.kernel;

import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;

/** The memory and the axes of an array of one type that a kernel is given. */
abstract sealed class StridedArray<A> permits F64, F32, I64, I32, I16, I8 {
  final MemorySegment memory;
  final Extents extents;
  private final long elementBytes;

  StridedArray(MemorySegment memory, Extents extents, long elementBytes) {
    this.memory = memory;
    this.extents = extents;
    this.elementBytes = elementBytes;
  }

  abstract A with(Extents axes);

  /** Returns how many elements there are. */
  public final long length() {
    return memory.byteSize() / elementBytes;
  }

  /** Returns this array with axes, the last fastest, as a launch passes a dense tensor. */
  public final A shaped(long... extents) {
    return with(Extents.dense(extents));
  }

  /** Returns this array with axes, as a launch passes a tensor with strides. */
  public final A strided(Shape extents, long offset, long... strides) {
    return with(new Extents(extents, offset, strides));
  }

  /**
   * Returns how many elements there are along an axis of a tensor.
   *
   * @param axis a constant from 0
   */
  public final long extent(int axis) {
    return extents.extent(axis);
  }
}
