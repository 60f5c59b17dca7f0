package dev.rialto.fft.stage;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Partition;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.fft.FftSpec;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/** Chooses grids for transforms, and describes the lines of a rank's part of one. */
public final class Layouts {
  private Layouts() {}

  /**
   * Returns slabs if there are planes for all ranks, else pencils, as square as they can be; or
   * what is chosen.
   */
  public static Grid standard(Shape shape, int ranks, List<Integer> chosen) {
    if (!chosen.isEmpty()) {
      return Grid.block(shape, chosen.stream().mapToInt(Integer::intValue).toArray());
    }
    int[] parts = ones(shape.rank());
    if (shape.rank() < 3 || shape.extent(0) >= ranks) {
      parts[0] = ranks;
    } else {
      split(parts, 0, 1, shape, ranks);
    }
    return Grid.block(shape, parts);
  }

  /** Divides ranks among two axes so that the largest part of a rank is the smallest. */
  private static void split(int[] parts, int first, int second, Shape shape, int ranks) {
    long best = Long.MAX_VALUE;
    for (int a = 1; a <= ranks; a++) {
      if (ranks % a == 0) {
        long largest =
            Math.ceilDiv(shape.extent(first), a) * Math.ceilDiv(shape.extent(second), ranks / a);
        // Of equals, the one that cuts the slower axis least leaves the longer runs.
        if (largest < best) {
          best = largest;
          parts[first] = a;
          parts[second] = ranks / a;
        }
      }
    }
  }

  public static boolean isLocal(Grid grid, int axis) {
    return grid.axis(axis).parts() == 1;
  }

  /**
   * Returns a grid in which {@code axis} is local: with all other axes to be transformed local too
   * if one of the rest has indices for all ranks (a move less), else with that axis's ranks given
   * to an axis that is not needed, else pencils.
   *
   * @param remaining the axes that are yet to be transformed, {@code axis} among them
   * @param slabs whether the first of these may be taken
   */
  public static Grid withLocal(Grid grid, int axis, Collection<Integer> remaining, boolean slabs) {
    Shape shape = grid.shape();
    int axes = shape.rank();
    int ranks = grid.ranks();
    int[] parts = ones(axes);
    for (int a = 0; slabs && a < axes; a++) {
      if (!remaining.contains(a) && shape.extent(a) >= ranks) {
        parts[a] = ranks;
        return Grid.block(shape, parts);
      }
    }
    int free = -1;
    for (int a = axes - 1; a >= 0; a--) {
      if (a != axis && !remaining.contains(a) && isLocal(grid, a)) {
        free = a;
      }
    }
    if (free >= 0) {
      Partition[] dealt = new Partition[axes];
      for (int a = 0; a < axes; a++) {
        int divided = a == free ? grid.axis(axis).parts() : a == axis ? 1 : -1;
        dealt[a] = divided < 0 ? grid.axis(a) : Partition.block(shape.extent(a), divided);
      }
      return Grid.of(dealt).withRanks(ranks);
    }
    int first = axis == 0 ? 1 : 0;
    int second = first + 1 == axis ? first + 2 : first + 1;
    if (second >= axes || shape.extent(first) >= ranks) {
      parts[first] = ranks;
    } else {
      split(parts, first, second, shape, ranks);
    }
    return Grid.block(shape, parts);
  }

  /**
   * Puts divided axes first in memory, so that what is local lies together: a tile is then one run
   * of memory, or a few. The last axis stays last, since moves copy what is contiguous.
   */
  public static Grid together(Grid grid) {
    int last = grid.shape().rank() - 1;
    return inOrder(grid, axis -> axis == last ? 2 : isLocal(grid, axis) ? 1 : 0);
  }

  /**
   * Puts the local ones of some axes first in memory: the lines of the first are then one batch,
   * which a device transforms by one launch.
   */
  public static Grid inFront(Grid grid, Collection<Integer> axes) {
    return inOrder(grid, axis -> axes.contains(axis) && isLocal(grid, axis) ? 0 : 1);
  }

  private static Grid inOrder(Grid grid, ToIntFunction<Integer> place) {
    return grid.withOrder(
        IntStream.range(0, grid.shape().rank())
            .boxed()
            .sorted(Comparator.comparingInt(place))
            .mapToInt(Integer::intValue)
            .toArray());
  }

  public static Grid withExtent(Grid grid, int axis, long extent) {
    Partition[] dealt = new Partition[grid.shape().rank()];
    Arrays.setAll(
        dealt, a -> a == axis ? Partition.block(extent, grid.axis(a).parts()) : grid.axis(a));
    return Grid.of(dealt).withOrder(grid.order()).withRanks(grid.ranks());
  }

  /**
   * Returns the lines along an axis, from one grid to one that differs in that axis's extent at
   * most: those of the faster axes are neighbours, and the slower axes are planes of them.
   */
  public static FftSpec lines(
      FftSpec.Kind kind, DType precision, long length, Grid from, Grid to, int axis, int rank) {
    long inStride = from.localStrides(rank)[axis];
    long outStride = to.localStrides(rank)[axis];
    long[] extents = from.localShape(rank).extents();
    // A rank that is not in the grid has no lines, although its other axes may all be of extent 1.
    long count = from.localCount(rank) == 0 ? 0 : 1;
    for (int a = 0; a < extents.length; a++) {
      count *= a == axis ? 1 : extents[a];
    }
    long lines = Math.min(count, inStride);
    long planes = lines == 0 ? 0 : count / lines;
    FftSpec dense = FftSpec.of(kind, precision, length, 1);
    return new FftSpec(kind, precision, length, lines, inStride, 1, outStride, 1)
        .withPlanes(planes, inStride * dense.inPoints(), outStride * dense.outPoints());
  }

  private static int[] ones(int count) {
    int[] ones = new int[count];
    Arrays.fill(ones, 1);
    return ones;
  }
}
