package dev.rialto.array.part;

import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import org.jspecify.annotations.Nullable;

/**
 * The indices that a rank's memory has, halo and all, and their places; for arrays of one to three
 * axes that are divided in blocks. Others have the box of {@link #NONE}.
 */
public final class IndexBox {
  /** The result of {@link #place} for indices that are not in the box. */
  static final long ELSEWHERE = -1;

  static final IndexBox NONE = new IndexBox(0, new long[3], new long[3], new long[3]);

  private final int axes;
  private final long low0;
  private final long low1;
  private final long low2;
  private final long last0;
  private final long last1;
  private final long last2;
  private final long stride0;
  private final long stride1;
  private final long stride2;

  private IndexBox(int axes, long[] low, long[] extents, long[] strides) {
    this.axes = axes;
    this.low0 = low[0];
    this.low1 = low[1];
    this.low2 = low[2];
    this.last0 = extents[0] - 1;
    this.last1 = extents[1] - 1;
    this.last2 = extents[2] - 1;
    this.stride0 = strides[0];
    this.stride1 = strides[1];
    this.stride2 = strides[2];
  }

  static IndexBox of(Distribution distribution, Halo.@Nullable Stencil stencil, int rank) {
    int axes = distribution.shape().rank();
    if (!(distribution instanceof Grid grid)
        || axes < 1
        || axes > 3
        || grid.localCount(rank) == 0) {
      return NONE;
    }
    long[] low = new long[3];
    long[] extents = new long[3];
    long[] strides = new long[3];
    long stride = 1;
    int[] order = grid.order();
    for (int i = axes - 1; i >= 0; i--) {
      int axis = order[i];
      if (!grid.axis(axis).isBlock()) {
        return NONE;
      }
      int below = stencil == null ? 0 : stencil.low(axis);
      int above = stencil == null ? 0 : stencil.high(axis);
      int place = grid.place(rank, axis);
      low[axis] = grid.axis(axis).first(place) - below;
      extents[axis] = grid.axis(axis).count(place) + below + above;
      strides[axis] = stride;
      stride *= extents[axis];
    }
    return new IndexBox(axes, low, extents, strides);
  }

  /** Returns the box of a view, which starts with its memory. */
  static IndexBox of(Grid grid, long[] apart, int rank) {
    int axes = grid.shape().rank();
    if (axes < 1 || axes > 3 || grid.localCount(rank) == 0) {
      return NONE;
    }
    long[] low = new long[3];
    long[] extents = new long[3];
    long[] strides = new long[3];
    for (int axis = 0; axis < axes; axis++) {
      int place = grid.place(rank, axis);
      low[axis] = grid.axis(axis).first(place);
      extents[axis] = grid.axis(axis).count(place);
      strides[axis] = apart[axis];
    }
    return new IndexBox(axes, low, extents, strides);
  }

  /** Returns where an element lies, in elements from the start of the memory. */
  public long place(long i) {
    long a = i - low0;
    return axes == 1 && (a | last0 - a) >= 0 ? a * stride0 : ELSEWHERE;
  }

  /** Returns where an element lies; see {@link #place(long)}. */
  public long place(long i, long j) {
    long a = i - low0;
    long b = j - low1;
    return axes == 2 && (a | last0 - a | b | last1 - b) >= 0
        ? a * stride0 + b * stride1
        : ELSEWHERE;
  }

  /** Returns where an element lies; see {@link #place(long)}. */
  public long place(long i, long j, long k) {
    long a = i - low0;
    long b = j - low1;
    long c = k - low2;
    return axes == 3 && (a | last0 - a | b | last1 - b | c | last2 - c) >= 0
        ? a * stride0 + b * stride1 + c * stride2
        : ELSEWHERE;
  }

  /** Returns where an element lies; see {@link #place(long)}. */
  public long place(long... index) {
    return switch (index.length) {
      case 1 -> place(index[0]);
      case 2 -> place(index[0], index[1]);
      case 3 -> place(index[0], index[1], index[2]);
      default -> ELSEWHERE;
    };
  }

  /** Returns the first and the last index along each axis, as {@code 0..3 x 4..7}. */
  @Override
  public String toString() {
    long[] low = {low0, low1, low2};
    long[] last = {last0, last1, last2};
    StringBuilder text = new StringBuilder();
    for (int axis = 0; axis < axes; axis++) {
      text.append(axis == 0 ? "" : " x ")
          .append(low[axis])
          .append("..")
          .append(low[axis] + last[axis]);
    }
    return text.toString();
  }
}
