package dev.rialto.fft;

import dev.rialto.array.Complex;
import dev.rialto.array.ComplexArray;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Partition;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * This rank's part of the results of a plan's forward transform, and what solvers do with them:
 * derivatives, Poisson's equation, convolutions, dealiasing. All of it multiplies each mode by a
 * number that depends on its wave vector; nothing is sent.
 *
 * <p>The field lives on a periodic box; what is given to the methods is overwritten.
 */
public final class Modes {
  /** A factor for each mode; a kernel where the modes are on a device. */
  @FunctionalInterface
  public interface Factor extends Serializable {
    /**
     * Sets the factor of one mode.
     *
     * @param waves the number of waves along each axis of the box, signed; not to be kept
     * @param factor real and imaginary part, to be set
     */
    void set(long[] waves, double[] factor);
  }

  /** A factor that may depend on the box as well. */
  interface Multiplier extends Serializable {
    /** Sets the factor of one mode; points and wave numbers are those along each axis. */
    void set(long[] waves, long[] points, double[] numbers, double[] factor);
  }

  private final FourierPlan plan;
  private final double[][] waveNumbers;
  private final long[] points;
  private final long[][] indices;
  private final Grid grid;
  private final int rank;

  /**
   * Describes the modes of a plan on this rank.
   *
   * @param plan a plan with complex results
   * @param rank this process's rank, 0 without a communicator
   * @param lengths the box's edges, one per axis
   * @throws IllegalArgumentException if results are real, or there are more or fewer edges than
   *     axes
   */
  public Modes(FourierPlan plan, int rank, double... lengths) {
    this.grid = plan.outputGrid();
    this.rank = rank;
    int axes = grid.shape().rank();
    if (plan.outputType().kind() != DType.Kind.COMPLEX || lengths.length != axes) {
      throw new IllegalArgumentException(
          "modes of %s results of shape %s with %d edges; they are complex, with an edge per axis"
              .formatted(plan.outputType(), grid.shape(), lengths.length));
    }
    this.plan = plan;
    this.points = plan.inputGrid().shape().extents();
    this.indices = new long[axes][];
    this.waveNumbers = new double[axes][];
    int rest = rank;
    for (int axis = axes - 1; axis >= 0; axis--) {
      Partition dealt = grid.axis(axis);
      int place = rest % dealt.parts();
      indices[axis] =
          LongStream.range(0, grid.localCount(rank) == 0 ? 0 : dealt.extent())
              .filter(index -> dealt.part(index) == place)
              .toArray();
      long n = points[axis];
      double length = lengths[axis];
      waveNumbers[axis] =
          Arrays.stream(indices[axis])
              .mapToDouble(index -> 2 * Math.PI * Frequencies.waves(n, index) / length)
              .toArray();
      rest /= dealt.parts();
    }
  }

  /**
   * Multiplies each mode by a factor, where the modes are.
   *
   * @throws IllegalArgumentException if the array is of another type than the plan's results, or
   *     divided in another way
   */
  public void multiply(ComplexArray modes, Factor factor) {
    multiply(modes, (waves, _, _, value) -> factor.set(waves, value), factor);
  }

  private void multiply(ComplexArray modes, Multiplier factor) {
    multiply(modes, factor, factor);
  }

  private void multiply(ComplexArray modes, Multiplier factor, Object function) {
    plan.requireOutput(modes);
    if (modes.owned().count() == 0) {
      return;
    }
    if (modes.isOnDevice()) {
      plan.modeKernels().multiply(modes, table(modes), indices.length, factor, function);
    } else {
      multiply(modes.local(), offset(modes), strides(modes), factor);
    }
  }

  /** Multiplies each mode by a factor, in memory as the plan's results have it. */
  public void multiply(MemorySegment modes, Factor factor) {
    if (grid.localCount(rank) > 0) {
      Multiplier wrapped = (waves, _, _, value) -> factor.set(waves, value);
      multiply(modes, 0, grid.localStrides(rank), wrapped);
    }
  }

  /** Returns where the first element lies in this rank's memory of an array. */
  private static long offset(ComplexArray modes) {
    return modes.owned() instanceof Layout.Strided box ? box.offset() : 0;
  }

  /** Returns how far elements are apart along each axis in this rank's memory of an array. */
  private long[] strides(ComplexArray modes) {
    if (!(modes.owned() instanceof Layout.Strided box)) {
      return grid.localStrides(rank);
    }
    long[] strides = new long[indices.length];
    for (int i = 0; i < strides.length; i++) {
      strides[grid.order()[i]] = box.strides()[i];
    }
    return strides;
  }

  /** Returns what {@link ModeKernels} are told of an array. */
  private long[] table(ComplexArray modes) {
    long[] strides = strides(modes);
    LongStream.Builder axes = LongStream.builder().add(offset(modes));
    LongStream.Builder waves = LongStream.builder();
    long at = 1 + (long) ModeKernels.AXIS * strides.length;
    for (int axis : grid.order()) {
      int extent = indices[axis].length;
      axes.add(extent).add(strides[axis]).add(axis).add(points[axis]).add(at).add(at + extent);
      for (long index : indices[axis]) {
        waves.add(Frequencies.waves(points[axis], index));
      }
      for (double number : waveNumbers[axis]) {
        waves.add(Double.doubleToRawLongBits(number));
      }
      at += 2L * extent;
    }
    return LongStream.concat(axes.build(), waves.build()).toArray();
  }

  private void multiply(MemorySegment modes, long offset, long[] strides, Multiplier factor) {
    int axes = indices.length;
    int[] at = new int[axes];
    long[] waves = new long[axes];
    double[] numbers = new double[axes];
    double[] value = new double[2];
    while (true) {
      long element = offset;
      for (int axis = 0; axis < axes; axis++) {
        element += at[axis] * strides[axis];
        waves[axis] = Frequencies.waves(points[axis], indices[axis][at[axis]]);
        numbers[axis] = waveNumbers[axis][at[axis]];
      }
      factor.set(waves, points, numbers, value);
      double re = get(modes, 2 * element);
      double im = get(modes, 2 * element + 1);
      set(modes, 2 * element, re * value[0] - im * value[1]);
      set(modes, 2 * element + 1, re * value[1] + im * value[0]);
      int axis = axes - 1;
      while (axis >= 0 && ++at[axis] == indices[axis].length) {
        at[axis--] = 0;
      }
      if (axis < 0) {
        return;
      }
    }
  }

  /**
   * Turns a field's modes into those of a derivative of it. The mode of n/2 waves on an even number
   * of points has no sign, so odd derivatives leave it out.
   *
   * @param order which derivative, from 0
   */
  public void differentiate(ComplexArray modes, int axis, int order) {
    multiply(
        modes,
        (waves, extents, numbers, factor) -> {
          boolean unsigned = order % 2 != 0 && 2 * Math.abs(waves[axis]) == extents[axis];
          double power = unsigned ? 0 : Math.pow(numbers[axis], order);
          // i to the power of the order.
          factor[0] = order % 4 == 0 ? power : order % 4 == 2 ? -power : 0;
          factor[1] = order % 4 == 1 ? power : order % 4 == 3 ? -power : 0;
        });
  }

  /** Turns the modes of f into those of the u with mean 0 for which ∇²u = f, f without its mean. */
  public void solvePoisson(ComplexArray modes) {
    multiply(
        modes,
        (_, _, numbers, factor) -> {
          double square = 0;
          for (double number : numbers) {
            square += number * number;
          }
          factor[0] = square == 0 ? 0 : -1 / square;
          factor[1] = 0;
        });
  }

  /** Removes the modes above two thirds of what the points resolve: products then do not alias. */
  public void dealias(ComplexArray modes) {
    multiply(
        modes,
        (waves, extents, _, factor) -> {
          boolean keeps = true;
          for (int axis = 0; axis < waves.length; axis++) {
            keeps &= 3 * Math.abs(waves[axis]) < extents[axis] || extents[axis] == 1;
          }
          factor[0] = keeps ? 1 : 0;
          factor[1] = 0;
        });
  }

  /**
   * Turns the modes of two fields into those of their circular convolution, in the first.
   *
   * <p>With {@link Normalization#INVERSE} or {@link Normalization#NONE}; otherwise it comes scaled.
   */
  public void convolve(ComplexArray modes, ComplexArray others) {
    plan.requireOutput(modes);
    plan.requireOutput(others);
    if (modes.isOnDevice() && others.isOnDevice() && modes.owned().count() > 0) {
      plan.modeKernels().convolve(modes, table(modes), others, table(others), indices.length);
    } else {
      modes.set(modes, others, Complex::times);
    }
  }

  private double get(MemorySegment modes, long index) {
    return plan.outputType() == DType.C128
        ? modes.getAtIndex(ValueLayout.JAVA_DOUBLE, index)
        : modes.getAtIndex(ValueLayout.JAVA_FLOAT, index);
  }

  private void set(MemorySegment modes, long index, double value) {
    if (plan.outputType() == DType.C128) {
      modes.setAtIndex(ValueLayout.JAVA_DOUBLE, index, value);
    } else {
      modes.setAtIndex(ValueLayout.JAVA_FLOAT, index, (float) value);
    }
  }
}
