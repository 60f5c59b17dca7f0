package dev.rialto.exchange.plan;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Fills each rank's copies of elements that others own.
 *
 * <p>A halo is updated in place: input and output are one local array that holds what the rank owns
 * and, around it or behind it, the copies.
 */
public final class Halo {
  private Halo() {}

  /** The layers of copies around the block of each rank. Immutable. */
  public static final class Stencil {
    private final int[] low;
    private final int[] high;
    private final boolean[] periodic;
    private final boolean corners;

    private Stencil(int[] low, int[] high, boolean[] periodic, boolean corners) {
      this.low = low.clone();
      this.high = high.clone();
      this.periodic = periodic.clone();
      this.corners = corners;
    }

    /**
     * Makes a stencil.
     *
     * @param low layers below the block, per axis
     * @param high layers above it
     * @param periodic whether the axis wraps around; otherwise layers beyond the array stay as they
     *     are
     * @param corners whether elements outside the block along more than one axis are needed
     */
    public static Stencil of(int[] low, int[] high, boolean[] periodic, boolean corners) {
      return new Stencil(low, high, periodic, corners);
    }

    /** Makes a stencil of one width on all sides. */
    public static Stencil of(int axes, int width, boolean periodic, boolean corners) {
      int[] widths = new int[axes];
      Arrays.fill(widths, width);
      boolean[] wraps = new boolean[axes];
      Arrays.fill(wraps, periodic);
      return new Stencil(widths, widths, wraps, corners);
    }

    /** Returns the layers below the block along an axis. */
    public int low(int axis) {
      return low[axis];
    }

    /** Returns the layers above the block along an axis. */
    public int high(int axis) {
      return high[axis];
    }
  }

  /** Returns the extents of a rank's array with its layers, in the order of the shape. */
  public static Shape paddedShape(Grid grid, Stencil stencil, int rank) {
    long[] extents = grid.localShape(rank).extents();
    Arrays.setAll(extents, axis -> extents[axis] + stencil.low[axis] + stencil.high[axis]);
    return Shape.of(extents);
  }

  /**
   * Plans the layers of an array in blocks, for one rank. The local array is the block with its
   * layers, {@linkplain #paddedShape padded}, in the grid's memory order.
   *
   * @throws IllegalArgumentException if an axis is not divided in blocks, or layers exceed it
   */
  public static ExchangePlan stencil(Grid grid, Stencil stencil, int rank) {
    int axes = grid.shape().rank();
    for (int axis = 0; axis < axes; axis++) {
      long extent = grid.shape().extent(axis);
      if (!grid.axis(axis).isBlock()
          || stencil.low[axis] < 0
          || stencil.high[axis] < 0
          || Math.max(stencil.low[axis], stencil.high[axis]) > extent) {
        throw new IllegalArgumentException(
            "layers of %d and %d on axis %d of %d indices; give blocks, and from 0 to that many"
                .formatted(stencil.low[axis], stencil.high[axis], axis, extent));
      }
    }
    List<Block> sends = new ArrayList<>();
    List<Block> receives = new ArrayList<>();
    for (int peer = 0; peer < grid.ranks(); peer++) {
      sends.add(new Block(peer, shared(grid, stencil, peer, rank, false)));
      receives.add(new Block(peer, shared(grid, stencil, rank, peer, true)));
    }
    long count = paddedShape(grid, stencil, rank).count();
    return ExchangePlan.made(
        "halo of " + grid.shape(),
        rank,
        grid.ranks(),
        count,
        count,
        sends,
        receives,
        Combine.REPLACE);
  }

  /**
   * Lists what lies in {@code holder}'s layers and is owned by {@code owner}, in either's array.
   */
  private static List<Region> shared(
      Grid grid, Stencil stencil, int holder, int owner, boolean inHolder) {
    List<Region> regions = new ArrayList<>();
    if (grid.localCount(holder) == 0 || grid.localCount(owner) == 0) {
      return regions;
    }
    int axes = grid.shape().rank();
    int side = inHolder ? holder : owner;
    long[] strides = grid.strides(paddedShape(grid, stencil, side).extents());
    int[] order = grid.order();
    forEachSign(
        axes,
        direction -> {
          int outside = (int) Arrays.stream(direction).filter(d -> d != 0).count();
          if (outside == 0 || (outside > 1 && !stencil.corners)) {
            return;
          }
          forEachSign(
              axes,
              wrap -> {
                long[] extents = new long[axes];
                long[] steps = new long[axes];
                long offset = 0;
                for (int i = 0; i < axes; i++) {
                  int axis = order[i];
                  if (wrap[axis] != 0 && !stencil.periodic[axis]) {
                    return;
                  }
                  Partition dealt = grid.axis(axis);
                  long first = dealt.first(grid.place(holder, axis));
                  long end = first + dealt.count(grid.place(holder, axis));
                  long from =
                      direction[axis] == 0
                          ? first
                          : direction[axis] < 0 ? first - stencil.low[axis] : end;
                  long to =
                      direction[axis] == 0
                          ? end
                          : direction[axis] < 0 ? first : end + stencil.high[axis];
                  long shift = wrap[axis] * grid.shape().extent(axis);
                  long owned = dealt.first(grid.place(owner, axis)) + shift;
                  long ownedEnd = owned + dealt.count(grid.place(owner, axis));
                  from = Math.max(from, owned);
                  to = Math.min(to, ownedEnd);
                  if (from >= to) {
                    return;
                  }
                  extents[i] = to - from;
                  steps[i] = strides[axis];
                  offset += (from - (inHolder ? first : owned) + stencil.low[axis]) * strides[axis];
                }
                regions.add(Region.box(Shape.of(extents), steps, offset));
              });
        });
    return regions;
  }

  private interface SignVisitor {
    void visit(int[] signs);
  }

  /** Visits each vector of -1, 0 and 1. */
  private static void forEachSign(int axes, SignVisitor visitor) {
    int total = 1;
    for (int axis = 0; axis < axes; axis++) {
      total *= 3;
    }
    for (int code = 0; code < total; code++) {
      int[] signs = new int[axes];
      int rest = code;
      for (int axis = axes - 1; axis >= 0; axis--) {
        signs[axis] = rest % 3 - 1;
        rest /= 3;
      }
      visitor.visit(signs);
    }
  }

  /**
   * Plans copies of listed elements, as a sparse matrix needs them. Collective; needs collectives.
   *
   * <p>The local array holds what the rank owns, then the copies in the order of the list. Copies
   * that are listed owner by owner, in ascending order, are received in place.
   *
   * @param copies global elements; one that the rank owns itself is copied too
   */
  public static ExchangePlan indexed(Communicator comm, Distribution owned, long[] copies) {
    long own = owned.localCount(comm.rank());
    LongLists wanted = new LongLists(comm.size());
    LongLists places = new LongLists(comm.size());
    for (int i = 0; i < copies.length; i++) {
      int owner = owned.owner(copies[i]);
      wanted.add(owner, copies[i]);
      places.add(owner, own + i);
    }
    LongLists asked = wanted.exchange(comm);
    List<Block> sends = new ArrayList<>();
    List<Block> receives = new ArrayList<>();
    for (int peer = 0; peer < comm.size(); peer++) {
      long[] elements = asked.get(peer);
      Arrays.setAll(elements, i -> owned.local(elements[i]));
      sends.add(Block.of(peer, Region.indices(elements)));
      receives.add(Block.of(peer, Region.indices(places.get(peer))));
    }
    return ExchangePlan.made(
        "halo of " + copies.length + " copies",
        comm.rank(),
        comm.size(),
        own + copies.length,
        own + copies.length,
        sends,
        receives,
        Combine.REPLACE);
  }
}
