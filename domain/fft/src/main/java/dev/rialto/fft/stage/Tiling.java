package dev.rialto.fft.stage;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.fft.FftSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cuts a rank's part of an array into tiles that hold whole lines of one or more axes and fit a
 * cache.
 *
 * <p>Up to three axes; what is said of axes here is in the order of memory, slowest first, padded
 * with axes of one index at the front.
 */
public final class Tiling {
  public static final int AXES = 3;

  /** A part of a second-level cache; more if the whole lines of a tile need more. */
  private static final long TILE_BYTES = 256 << 10;

  /** The most that is worth keeping between two axes: what lies in a third-level cache's share. */
  private static final long MOST_BYTES = 2 << 20;

  /** As many lines as lanes of the widest vectors, so that none is left empty. */
  private static final long FEWEST_LINES = 8;

  private static final int CACHE_LINE = 64;

  private final List<Step.Lines> chain;
  private final int rank;
  private final int[] order;
  private final boolean[] whole = new boolean[AXES];
  private final long[] local;
  private final long[] extents;
  private final long[] counts = new long[AXES];

  public Tiling(List<Step.Lines> chain, int rank) {
    this.chain = chain;
    this.rank = rank;
    Grid grid = chain.getFirst().from();
    this.order = grid.order();
    this.local = ordered(grid.localShape(rank).extents(), 1);
    for (Step.Lines step : chain) {
      whole[position(step.axis())] = true;
    }
    this.extents = new long[AXES];
    long left = Math.max(TILE_BYTES / wholeBytes(chain), chain.size() > 1 ? 1 : FEWEST_LINES);
    for (int axis = AXES - 1; axis >= 0; axis--) {
      if (whole[axis]) {
        extents[axis] = local[axis];
      } else {
        extents[axis] = Math.clamp(left, 1, Math.max(local[axis], 1));
        left = Math.max(1, left / Math.max(local[axis], 1));
      }
      counts[axis] = local[axis] == 0 ? 0 : Math.ceilDiv(local[axis], extents[axis]);
    }
  }

  /** Returns whether a cache holds whole lines of all axes of a chain. */
  public static boolean fits(List<Step.Lines> chain) {
    return chain.getFirst().from().shape().rank() <= AXES && wholeBytes(chain) <= MOST_BYTES;
  }

  /** The same on all ranks. */
  private static long wholeBytes(List<Step.Lines> chain) {
    long most = 1;
    for (Step.Lines step : chain) {
      long extent =
          Math.max(step.from().shape().extent(step.axis()), step.to().shape().extent(step.axis()));
      most *= Math.max(extent, 1);
    }
    DType first = chain.getFirst().fromType();
    DType last = chain.getLast().toType();
    return most * Math.max(first.size(), last.size());
  }

  private int position(int axis) {
    for (int i = 0; i < order.length; i++) {
      if (order[i] == axis) {
        return AXES - order.length + i;
      }
    }
    throw new IllegalArgumentException("no axis " + axis);
  }

  /** Brings values per axis into the order of memory. */
  public long[] ordered(long[] perAxis, long padding) {
    long[] values = new long[AXES];
    Arrays.fill(values, padding);
    for (int i = 0; i < order.length; i++) {
      values[AXES - order.length + i] = perAxis[order[i]];
    }
    return values;
  }

  public int count() {
    return Math.toIntExact(counts[0] * counts[1] * counts[2]);
  }

  /** Returns the first index of a tile along each axis. */
  public long[] first(int tile) {
    long[] first = new long[AXES];
    long rest = tile;
    for (int axis = AXES - 1; axis >= 0; axis--) {
      first[axis] = rest % counts[axis] * extents[axis];
      rest /= counts[axis];
    }
    return first;
  }

  /** Returns how many indices a tile has of each axis; those at the end may have fewer. */
  public long[] extents(int tile) {
    long[] first = first(tile);
    long[] mine = new long[AXES];
    Arrays.setAll(mine, axis -> Math.min(extents[axis], local[axis] - first[axis]));
    return mine;
  }

  /** Returns the extents of a tile after the last step. */
  public long[] results(int tile) {
    long[] mine = extents(tile);
    long[] after = ordered(chain.getLast().to().localShape(rank).extents(), 1);
    for (int axis = 0; axis < AXES; axis++) {
      mine[axis] = whole[axis] ? after[axis] : mine[axis];
    }
    return mine;
  }

  /** Returns the most bytes that a tile has in the course of its chain. */
  public long tileBytes() {
    long most = 0;
    for (Step.Lines step : chain) {
      most = Math.max(most, tileBytes(step.from(), step.fromType()));
      most = Math.max(most, tileBytes(step.to(), step.toType()));
    }
    return most;
  }

  private long tileBytes(Grid grid, DType type) {
    long[] tile = ordered(grid.localShape(rank).extents(), 1);
    for (int axis = 0; axis < AXES; axis++) {
      tile[axis] = whole[axis] ? tile[axis] : extents[axis];
    }
    return type.bytes(tile[0] * strides(tile, type)[0]);
  }

  /**
   * Returns the strides of a tile. Rows that are a multiple of many cache lines get one more: the
   * points of a line across them would all go to the same few places of the first-level cache.
   */
  public static long[] strides(long[] extents, DType type) {
    boolean even = type.bytes(extents[2]) % (8 * CACHE_LINE) == 0;
    long row = extents[2] + (even ? CACHE_LINE / type.size() : 0);
    return new long[] {extents[1] * row, row, 1};
  }

  /** Returns where a tile starts in an array with the given strides, in elements. */
  public static long offset(long[] first, long[] strides) {
    return first[0] * strides[0] + first[1] * strides[1] + first[2] * strides[2];
  }

  /**
   * Returns what is done to a tile, step by step: from the array or a tile to a tile, and at last
   * to the array.
   *
   * @param fromArray whether the first step reads the array
   */
  public List<FftSpec> specs(long[] tile, boolean fromArray, boolean toArray) {
    List<FftSpec> specs = new ArrayList<>();
    long[] before = tile.clone();
    for (int i = 0; i < chain.size(); i++) {
      Step.Lines step = chain.get(i);
      int axis = position(step.axis());
      long[] after = before.clone();
      after[axis] = step.to().localShape(rank).extents()[step.axis()];
      long[] from =
          i == 0 && fromArray
              ? ordered(step.from().localStrides(rank), 1)
              : strides(before, step.fromType());
      long[] to =
          i == chain.size() - 1 && toArray
              ? ordered(step.to().localStrides(rank), 1)
              : strides(after, step.toType());
      int outer = axis == 0 ? 1 : 0;
      int inner = axis == 2 ? 1 : 2;
      specs.add(
          new FftSpec(
                  step.kind(),
                  step.precision(),
                  step.length(),
                  before[inner],
                  from[axis],
                  from[inner],
                  to[axis],
                  to[inner])
              .withPlanes(before[outer], from[outer], to[outer])
              .withScale(step.scale()));
      before = after;
    }
    return specs;
  }
}
