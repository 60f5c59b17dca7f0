package dev.rialto.jit.library;

import dev.rialto.jit.kernel.BF16;
import dev.rialto.jit.kernel.F16;
import dev.rialto.jit.kernel.F32;
import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.kernel.Tunable;
import dev.rialto.jit.kernel.Tunable.Candidate;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;

/**
 * Direct convolutions over batches and channels. Launches are over batches and groups of channels,
 * rows and columns of the result.
 *
 * <p>An item computes a few channels of one place, so that it reads what they have in common once.
 * The order of products is that of the weights for any number of channels, and so are the bits.
 */
final class ConvolutionKernels {
  /** Positions of extents, steps and places among a launch's numbers. */
  private static final int CHANNELS = 0;

  private static final int FROM_CHANNELS = 1;
  private static final int FROM_ROWS = 2;
  private static final int FROM_COLUMNS = 3;
  private static final int TAP_ROWS = 4;
  private static final int TAP_COLUMNS = 5;
  private static final int STRIDE = 6;
  private static final int PADDING_ROWS = 7;
  private static final int PADDING_COLUMNS = 8;
  private static final int TO = 9;
  private static final int FROM = 14;
  private static final int WEIGHTS = 19;

  private ConvolutionKernels() {}

  static Tunable of(JavaKernels on, DType type) {
    return Tunable.of(
        "convolution of " + type,
        candidate(on, type, 1),
        candidate(on, type, 4),
        candidate(on, type, 8));
  }

  /**
   * Returns the numbers of a launch, after checking that the tensors fit together.
   *
   * @see KernelLibrary#convolve
   */
  static long[] numbers(Tensor to, Tensor from, Tensor weights, int stride, int padding) {
    TensorRules.written("convolution", to);
    int axes = to.shape().rank();
    TensorRules.axes("convolution", to, 3, 4);
    TensorRules.axes("convolution", from, axes, axes);
    TensorRules.axes("convolution", weights, axes, axes);
    TensorRules.require(
        stride > 0 && padding >= 0,
        () ->
            "a convolution of stride %s and padding %s; give a stride from 1 and a padding from 0"
                .formatted(stride, padding));
    boolean fits =
        to.shape().extent(0) == from.shape().extent(0)
            && to.shape().extent(1) == weights.shape().extent(0)
            && from.shape().extent(1) == weights.shape().extent(1);
    for (int axis = 2; axis < axes; axis++) {
      long free = from.shape().extent(axis) + 2L * padding - weights.shape().extent(axis);
      fits &= to.shape().extent(axis) == (free < 0 ? 0 : free / stride + 1);
    }
    TensorRules.require(
        fits,
        () ->
            "a convolution of shape %s of shape %s with weights of shape %s, stride %s and padding %s; along each axis of a result are (from + 2 padding - weights) / stride + 1 places"
                .formatted(to.shape(), from.shape(), weights.shape(), stride, padding));
    long[] extents = {
      to.shape().extent(1),
      from.shape().extent(1),
      rows(from),
      from.shape().extent(axes - 1),
      rows(weights),
      weights.shape().extent(axes - 1),
      stride,
      axes == 3 ? 0 : padding,
      padding
    };
    return Strides.join(extents, places(to), places(from), places(weights));
  }

  /** Returns the batches, channels, rows and columns of a result. */
  static Shape size(Tensor to) {
    Shape shape = to.shape();
    return Shape.of(shape.extent(0), shape.extent(1), rows(to), shape.extent(shape.rank() - 1));
  }

  /** Returns the rows of images; signals have one. */
  private static long rows(Tensor tensor) {
    return tensor.shape().rank() == 3 ? 1 : tensor.shape().extent(2);
  }

  /** Returns the places of batches, channels, rows and columns. */
  private static long[] places(Tensor tensor) {
    if (tensor.shape().rank() == 4) {
      return Strides.of(tensor, 4);
    }
    long[] all = Strides.of(tensor, 3);
    return new long[] {all[0], all[1], all[2], 0, all[3]};
  }

  private static Candidate candidate(JavaKernels on, DType type, int channels) {
    return new Candidate(
        channels + " channels",
        on.withBlock(1, 4, 64),
        body(type, channels),
        size ->
            Shape.of(
                size.extent(0) * ((size.extent(1) - 1) / channels + 1),
                size.extent(2),
                size.extent(3)));
  }

  private static KernelBody body(DType type, int channels) {
    return switch (type) {
      case F64 ->
          (KernelBody.Of4<F64, F64, F64, I64>)
              (Item it, F64 to, F64 from, F64 weights, I64 at) ->
                  convolve(it, to, from, weights, at, channels);
      case F32 ->
          (KernelBody.Of4<F32, F32, F32, I64>)
              (Item it, F32 to, F32 from, F32 weights, I64 at) ->
                  convolve(
                      it,
                      new Floats.Singles(to),
                      new Floats.Singles(from),
                      new Floats.Singles(weights),
                      at,
                      channels);
      case F16 ->
          (KernelBody.Of4<F16, F16, F16, I64>)
              (Item it, F16 to, F16 from, F16 weights, I64 at) ->
                  convolve(
                      it,
                      new Floats.Halves(to),
                      new Floats.Halves(from),
                      new Floats.Halves(weights),
                      at,
                      channels);
      default ->
          (KernelBody.Of4<BF16, BF16, BF16, I64>)
              (Item it, BF16 to, BF16 from, BF16 weights, I64 at) ->
                  convolve(
                      it,
                      new Floats.Brains(to),
                      new Floats.Brains(from),
                      new Floats.Brains(weights),
                      at,
                      channels);
    };
  }

  private static void convolve(
      Item it, Floats to, Floats from, Floats weights, I64 at, int channels) {
    long groups = (at.get(CHANNELS) - 1) / channels + 1;
    long batch = it.global(0) / groups;
    long channel = it.global(0) % groups * channels;
    long top = it.global(1) * at.get(STRIDE) - at.get(PADDING_ROWS);
    long side = it.global(2) * at.get(STRIDE) - at.get(PADDING_COLUMNS);
    float[] sums = new float[channels];
    for (long c = 0; c < at.get(FROM_CHANNELS); c++) {
      for (long r = 0; r < at.get(TAP_ROWS); r++) {
        for (long s = 0; s < at.get(TAP_COLUMNS); s++) {
          long row = top + r;
          long column = side + s;
          if (row >= 0 && row < at.get(FROM_ROWS) && column >= 0 && column < at.get(FROM_COLUMNS)) {
            float x = from.get(place(at, FROM, batch, c, row, column));
            for (int k = 0; k < channels; k++) {
              long of = Math.min(channel + k, at.get(CHANNELS) - 1);
              sums[k] = Math.fma(x, weights.get(place(at, WEIGHTS, of, c, r, s)), sums[k]);
            }
          }
        }
      }
    }
    for (int k = 0; k < channels; k++) {
      if (channel + k < at.get(CHANNELS)) {
        to.set(place(at, TO, batch, channel + k, it.global(1), it.global(2)), sums[k]);
      }
    }
  }

  private static void convolve(Item it, F64 to, F64 from, F64 weights, I64 at, int channels) {
    long groups = (at.get(CHANNELS) - 1) / channels + 1;
    long batch = it.global(0) / groups;
    long channel = it.global(0) % groups * channels;
    long top = it.global(1) * at.get(STRIDE) - at.get(PADDING_ROWS);
    long side = it.global(2) * at.get(STRIDE) - at.get(PADDING_COLUMNS);
    double[] sums = new double[channels];
    for (long c = 0; c < at.get(FROM_CHANNELS); c++) {
      for (long r = 0; r < at.get(TAP_ROWS); r++) {
        for (long s = 0; s < at.get(TAP_COLUMNS); s++) {
          long row = top + r;
          long column = side + s;
          if (row >= 0 && row < at.get(FROM_ROWS) && column >= 0 && column < at.get(FROM_COLUMNS)) {
            double x = from.get(place(at, FROM, batch, c, row, column));
            for (int k = 0; k < channels; k++) {
              long of = Math.min(channel + k, at.get(CHANNELS) - 1);
              sums[k] = Math.fma(x, weights.get(place(at, WEIGHTS, of, c, r, s)), sums[k]);
            }
          }
        }
      }
    }
    for (int k = 0; k < channels; k++) {
      if (channel + k < at.get(CHANNELS)) {
        to.set(place(at, TO, batch, channel + k, it.global(1), it.global(2)), sums[k]);
      }
    }
  }

  private static long place(I64 at, int array, long a, long b, long c, long d) {
    return at.get(array)
        + a * at.get(array + 1)
        + b * at.get(array + 2)
        + c * at.get(array + 3)
        + d * at.get(array + 4);
  }
}
