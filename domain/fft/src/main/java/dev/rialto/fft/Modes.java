package dev.rialto.fft;

import dev.rialto.array.Complex;
import dev.rialto.array.ComplexArray;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Partition;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.LongStream;

/**
 * This rank's part of the results of a plan's forward transform, and what solvers do with them:
 * derivatives, Poisson's equation, convolutions, dealiasing. All of it multiplies each mode by a
 * number that depends on its wave vector; nothing is sent.
 *
 * <p>The field lives on a periodic box; what is given to the methods is overwritten.
 */
public final class Modes {
  /** A factor for each mode. */
  @FunctionalInterface
  public interface Factor {
    /**
     * Sets the factor of one mode.
     *
     * @param waves the number of waves along each axis of the box, signed; not to be kept
     * @param factor real and imaginary part, to be set
     */
    void set(long[] waves, double[] factor);
  }

  private final FourierPlan plan;
  private final double[] lengths;
  private final long[] points;
  private final long[][] indices;
  private final long[] strides;

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
    Grid grid = plan.outputGrid();
    int axes = grid.shape().rank();
    if (plan.outputType().kind() != DType.Kind.COMPLEX || lengths.length != axes) {
      throw new IllegalArgumentException(
          "modes of %s results of shape %s with %d edges; they are complex, with an edge per axis"
              .formatted(plan.outputType(), grid.shape(), lengths.length));
    }
    this.plan = plan;
    this.lengths = lengths.clone();
    this.points = plan.inputGrid().shape().extents();
    this.strides = grid.localStrides(rank);
    this.indices = new long[axes][];
    int rest = rank;
    for (int axis = axes - 1; axis >= 0; axis--) {
      Partition dealt = grid.axis(axis);
      int place = rest % dealt.parts();
      indices[axis] =
          LongStream.range(0, grid.localCount(rank) == 0 ? 0 : dealt.extent())
              .filter(index -> dealt.part(index) == place)
              .toArray();
      rest /= dealt.parts();
    }
  }

  /** Multiplies each mode by a factor. */
  public void multiply(ComplexArray modes, Factor factor) {
    multiply(modes.local(), factor);
  }

  /** Multiplies each mode by a factor, in memory as the plan's results have it. */
  public void multiply(MemorySegment modes, Factor factor) {
    int axes = indices.length;
    for (long[] index : indices) {
      if (index.length == 0) {
        return;
      }
    }
    int[] at = new int[axes];
    long[] waves = new long[axes];
    double[] value = new double[2];
    while (true) {
      long element = 0;
      for (int axis = 0; axis < axes; axis++) {
        element += at[axis] * strides[axis];
        waves[axis] = Frequencies.waves(points[axis], indices[axis][at[axis]]);
      }
      factor.set(waves, value);
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
        (waves, factor) -> {
          boolean unsigned = order % 2 != 0 && 2 * Math.abs(waves[axis]) == points[axis];
          double power = unsigned ? 0 : Math.pow(waveNumber(axis, waves[axis]), order);
          // i to the power of the order.
          factor[0] = order % 4 == 0 ? power : order % 4 == 2 ? -power : 0;
          factor[1] = order % 4 == 1 ? power : order % 4 == 3 ? -power : 0;
        });
  }

  /** Turns the modes of f into those of the u with mean 0 for which ∇²u = f, f without its mean. */
  public void solvePoisson(ComplexArray modes) {
    multiply(
        modes,
        (waves, factor) -> {
          double square = 0;
          for (int axis = 0; axis < waves.length; axis++) {
            square += Math.pow(waveNumber(axis, waves[axis]), 2);
          }
          factor[0] = square == 0 ? 0 : -1 / square;
          factor[1] = 0;
        });
  }

  /** Removes the modes above two thirds of what the points resolve: products then do not alias. */
  public void dealias(ComplexArray modes) {
    multiply(
        modes,
        (waves, factor) -> {
          boolean keeps = true;
          for (int axis = 0; axis < waves.length; axis++) {
            keeps &= 3 * Math.abs(waves[axis]) < points[axis] || points[axis] == 1;
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
    modes.set(modes, others, Complex::times);
  }

  private double waveNumber(int axis, long waves) {
    return 2 * Math.PI * waves / lengths[axis];
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
