package dev.rialto.jit.kernel;

import dev.rialto.spi.data.DType;
import java.util.List;

/**
 * The indices that an array has in some memory, and where in it each element lies.
 *
 * @param type of the elements
 * @param low the first index along each axis
 * @param extents how many there are
 * @param strides the elements of memory from one index to the next
 * @param offset those before the element of the first indices
 */
public record IndexedMemory(
    DType type, List<Long> low, List<Long> extents, List<Long> strides, long offset) {
  /** Copies the lists, which are of one length. */
  public IndexedMemory {
    low = List.copyOf(low);
    extents = List.copyOf(extents);
    strides = List.copyOf(strides);
    if (low.size() != extents.size() || low.size() != strides.size()) {
      throw new IllegalArgumentException(
          "first indices %s, extents %s and strides %s; give one of each per axis"
              .formatted(low, extents, strides));
    }
  }

  /** Returns how many axes there are. */
  public int axes() {
    return low.size();
  }

  /** Returns the elements of memory up to the last one of the array. */
  public long span() {
    long last = offset;
    for (int axis = 0; axis < axes(); axis++) {
      last += Math.max(0, extents.get(axis) - 1) * Math.abs(strides.get(axis));
    }
    return last + 1;
  }
}
