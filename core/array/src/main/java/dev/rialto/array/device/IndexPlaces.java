package dev.rialto.array.device;

import dev.rialto.jit.kernel.IndexedMemory;
import java.io.Serializable;

/**
 * The places of elements by their indices in the whole array; compiled into kernels. Arrays of
 * fewer axes have the last ones.
 */
@FunctionalInterface
public interface IndexPlaces extends Serializable {
  /** The elements of memory up to which places are computed in 32 bits. */
  long MOST_NARROW = 1L << 30;

  long of(long i, long j, long k);

  /** Returns the places of an array of one to three axes. */
  static IndexPlaces of(IndexedMemory memory) {
    long[] low = new long[3];
    long[] strides = new long[3];
    for (int axis = 0; axis < memory.axes(); axis++) {
      int last = 3 - memory.axes() + axis;
      low[last] = memory.low().get(axis);
      strides[last] = memory.strides().get(axis);
    }
    return memory.span() <= MOST_NARROW
        ? narrow((int) memory.offset(), low, strides)
        : wide(memory.offset(), low, strides);
  }

  private static IndexPlaces narrow(int first, long[] low, long[] strides) {
    long i0 = low[0];
    long j0 = low[1];
    long k0 = low[2];
    int a = (int) strides[0];
    int b = (int) strides[1];
    int c = (int) strides[2];
    return (i, j, k) -> first + (int) (i - i0) * a + (int) (j - j0) * b + (int) (k - k0) * c;
  }

  private static IndexPlaces wide(long first, long[] low, long[] strides) {
    long i0 = low[0];
    long j0 = low[1];
    long k0 = low[2];
    long a = strides[0];
    long b = strides[1];
    long c = strides[2];
    return (i, j, k) -> first + (i - i0) * a + (j - j0) * b + (k - k0) * c;
  }
}
