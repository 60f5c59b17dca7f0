package dev.rialto.exchange.plan;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An array over a grid of ranks: each axis is dealt to the grid's parts on its own, and a rank
 * holds the product of what its place in the grid has of each axis.
 *
 * <p>Slabs, pencils and bricks are grids that divide one, some or all axes. The ranks of the grid
 * are numbered row-major, the last axis fastest; ranks beyond it hold nothing. A rank stores its
 * part densely in a {@linkplain #withOrder memory order} of its own.
 */
public final class Grid implements Distribution {
  private final Shape shape;
  private final List<Partition> axes;
  private final int[] order;
  private final int ranks;
  private final int firstRank;

  private Grid(Shape shape, List<Partition> axes, int[] order, int ranks, int firstRank) {
    this.shape = shape;
    this.axes = axes;
    this.order = order;
    this.ranks = ranks;
    this.firstRank = firstRank;
  }

  /**
   * Divides an array in blocks.
   *
   * @param parts how many ranks each axis is divided among; their product is the number of ranks
   */
  public static Grid block(Shape shape, int... parts) {
    Arguments.perRank(parts.length, shape.rank(), "numbers of parts for shape " + shape + " with");
    return of(
        IntStream.range(0, parts.length)
            .mapToObj(axis -> Partition.block(shape.extent(axis), parts[axis]))
            .toArray(Partition[]::new));
  }

  /** Divides an array axis by axis; the partitions' extents are its shape. */
  public static Grid of(Partition... axes) {
    Shape shape = Shape.of(Arrays.stream(axes).mapToLong(Partition::extent).toArray());
    long ranks = 1;
    for (Partition axis : axes) {
      ranks *= axis.parts();
      if (ranks > Integer.MAX_VALUE) {
        throw new IllegalArgumentException("a grid of more than 2^31-1 ranks");
      }
    }
    int[] order = IntStream.range(0, axes.length).toArray();
    return new Grid(shape, List.of(axes), order, (int) ranks, 0);
  }

  static Grid onOne(Shape shape, int ranks, int root) {
    Arguments.rank(root, ranks, "root");
    int[] ones = new int[shape.rank()];
    Arrays.fill(ones, 1);
    Grid grid = block(shape, ones);
    return new Grid(shape, grid.axes, grid.order, ranks, root);
  }

  /**
   * Returns this distribution with another order in memory.
   *
   * @param axesSlowestFirst each axis once: the last one lies contiguous
   */
  public Grid withOrder(int... axesSlowestFirst) {
    int[] sorted = axesSlowestFirst.clone();
    Arrays.sort(sorted);
    if (!Arrays.equals(sorted, IntStream.range(0, axes.size()).toArray())) {
      throw new IllegalArgumentException(
          "order %s is not each of %d axes once"
              .formatted(Arrays.toString(axesSlowestFirst), axes.size()));
    }
    return new Grid(shape, axes, axesSlowestFirst.clone(), ranks, firstRank);
  }

  /** Returns this distribution among more ranks; those beyond the grid hold nothing. */
  public Grid withRanks(int count) {
    if (count < firstRank + gridSize()) {
      throw new IllegalArgumentException(
          "a grid of %d ranks among %d; give at least as many".formatted(gridSize(), count));
    }
    return new Grid(shape, axes, order, count, firstRank);
  }

  private int gridSize() {
    return axes.stream().mapToInt(Partition::parts).reduce(1, (a, b) -> a * b);
  }

  @Override
  public Shape shape() {
    return shape;
  }

  @Override
  public int ranks() {
    return ranks;
  }

  /** Returns how an axis is dealt. */
  public Partition axis(int axis) {
    return axes.get(axis);
  }

  /** Returns a fresh array of the axes in the order of memory, slowest first. */
  public int[] order() {
    return order.clone();
  }

  /** Returns the memory order in letters, slowest first: the last axis is X. */
  String orderName() {
    return Arrays.stream(order)
        .mapToObj(axis -> axes.size() > 3 ? "" + axis : "" + "XYZ".charAt(axes.size() - 1 - axis))
        .collect(Collectors.joining());
  }

  /** Returns whether a rank is in the grid; one that is not holds nothing. */
  public boolean contains(int rank) {
    return rank >= firstRank && rank < firstRank + gridSize();
  }

  /** Returns a rank's place along an axis. */
  public int place(int rank, int axis) {
    int rest = rank - firstRank;
    for (int a = axes.size() - 1; a > axis; a--) {
      rest /= axes.get(a).parts();
    }
    return rest % axes.get(axis).parts();
  }

  /** Returns how many indices of each axis a rank has, in the order of the shape. */
  public Shape localShape(int rank) {
    long[] extents = new long[axes.size()];
    if (contains(rank)) {
      Arrays.setAll(extents, axis -> axes.get(axis).count(place(rank, axis)));
    }
    return Shape.of(extents);
  }

  @Override
  public long localCount(int rank) {
    return contains(rank) ? localShape(rank).count() : 0;
  }

  /** Returns the stride of each axis in a rank's memory, in the order of the shape. */
  public long[] localStrides(int rank) {
    return strides(localShape(rank).extents());
  }

  /** Returns the strides of an array with the given extents that is stored in this order. */
  long[] strides(long[] extents) {
    long[] strides = new long[extents.length];
    long stride = 1;
    for (int i = order.length - 1; i >= 0; i--) {
      strides[order[i]] = stride;
      stride *= Math.max(extents[order[i]], 1);
    }
    return strides;
  }

  @Override
  public int owner(long element) {
    int rank = 0;
    long[] index = index(element);
    for (int axis = 0; axis < axes.size(); axis++) {
      rank = rank * axes.get(axis).parts() + axes.get(axis).part(index[axis]);
    }
    return firstRank + rank;
  }

  @Override
  public long local(long element) {
    long[] index = index(element);
    long[] strides = localStrides(owner(element));
    long local = 0;
    for (int axis = 0; axis < axes.size(); axis++) {
      local += axes.get(axis).local(index[axis]) * strides[axis];
    }
    return local;
  }

  private long[] index(long element) {
    long[] index = new long[axes.size()];
    long rest = element;
    for (int axis = index.length - 1; axis >= 0; axis--) {
      index[axis] = rest % shape.extent(axis);
      rest /= shape.extent(axis);
    }
    return index;
  }

  @Override
  public long[] elements(int rank) {
    long[] elements = contains(rank) ? new long[] {0} : new long[0];
    for (int axis = 0; axis < axes.size() && contains(rank); axis++) {
      long extent = shape.extent(axis);
      long[] indices = axes.get(axis).indices(place(rank, axis));
      elements =
          Arrays.stream(elements)
              .flatMap(e -> Arrays.stream(indices).map(i -> e * extent + i))
              .toArray();
    }
    return elements;
  }

  /** Returns whether another gives every element the same rank and the same place there. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Grid that
        && axes.equals(that.axes)
        && Arrays.equals(order, that.order)
        && ranks == that.ranks
        && firstRank == that.firstRank;
  }

  @Override
  public int hashCode() {
    return 31 * axes.hashCode() + Arrays.hashCode(order);
  }

  @Override
  public String toString() {
    return shape
        + " over "
        + axes.stream().map(axis -> "" + axis.parts()).collect(Collectors.joining("x"))
        + " in order "
        + Arrays.toString(order)
        + (isEven() ? "" : " (blocks %08x)".formatted(axes.hashCode()));
  }

  /** Returns whether its shape and the parts of each axis tell all of it. */
  private boolean isEven() {
    return axes.stream()
        .allMatch(axis -> axis.equals(Partition.block(axis.extent(), axis.parts())));
  }
}
