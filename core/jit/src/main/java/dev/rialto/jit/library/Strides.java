package dev.rialto.jit.library;

import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;

/**
 * The places of a tensor's elements, as kernels take them: the first one, and a stride per axis.
 */
final class Strides {
  private Strides() {}

  /**
   * Returns the first place and the strides of the last axes; axes that the tensor does not have
   * have a stride of 0.
   *
   * @param axes how many there are to be, at least as many as the tensor has
   */
  static long[] of(Tensor tensor, int axes) {
    Shape shape = tensor.shape();
    long offset = 0;
    long[] strides;
    switch (tensor.layout()) {
      case Layout.Contiguous _ -> strides = shape.strides();
      case Layout.Strided strided when strided.extents().equals(shape) -> {
        strides = strided.strides();
        offset = strided.offset();
      }
      default ->
          throw new IllegalArgumentException(
              "the elements of a tensor of shape %s lie at %s; give one with a stride per axis"
                  .formatted(shape, tensor.layout()));
    }
    long[] all = new long[axes + 1];
    all[0] = offset;
    System.arraycopy(strides, 0, all, axes + 1 - strides.length, strides.length);
    return all;
  }

  static long[] join(long[]... parts) {
    int count = 0;
    for (long[] part : parts) {
      count += part.length;
    }
    long[] all = new long[count];
    int next = 0;
    for (long[] part : parts) {
      System.arraycopy(part, 0, all, next, part.length);
      next += part.length;
    }
    return all;
  }
}
