package dev.rialto.fft.stage;

import dev.rialto.exchange.DirectReads;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The boxes of ranks' arrays that go to each tile, and their places there, for the move from one
 * grid to another where arrays can be read directly. Tiles of one shape share their copies.
 */
public final class Pulls {
  private final int ranks;
  private final DType type;

  /** The kind of each copy, by the tile and the rank; -1 for nothing. */
  private final int[] kinds;

  /** The start of each copy in the rank's array and in the tile, in bytes. */
  private final long[] places;

  private final List<StridedCopy> copies = new ArrayList<>();

  /** A copy of a box of an array of some strides to a tile of others. */
  private record Kind(Shape extents, Shape from, Shape to) {}

  public Pulls(Step.Move move, Tiling tiling, int rank) {
    this.ranks = move.from().ranks();
    this.type = move.type();
    this.kinds = new int[ranks * tiling.count()];
    this.places = new long[2 * kinds.length];
    Arrays.fill(kinds, -1);
    Map<Kind, Integer> known = new HashMap<>();
    Grid from = (Grid) move.from();
    long[] origin = tiling.ordered(origin((Grid) move.to(), rank), 0);
    for (int peer = 0; peer < ranks; peer++) {
      if (from.localCount(peer) == 0) {
        continue;
      }
      long[] theirs = tiling.ordered(from.localStrides(peer), 0);
      long[] begin = tiling.ordered(origin(from, peer), 0);
      long[] extents = tiling.ordered(from.localShape(peer).extents(), 1);
      for (int tile = 0; tile < tiling.count(); tile++) {
        intersect(tile, peer, tiling, origin, begin, extents, theirs, known);
      }
    }
  }

  private static long[] origin(Grid grid, int rank) {
    long[] origin = new long[grid.shape().rank()];
    for (int axis = 0; axis < origin.length && grid.contains(rank); axis++) {
      origin[axis] = grid.axis(axis).first(grid.place(rank, axis));
    }
    return origin;
  }

  private void intersect(
      int tile,
      int peer,
      Tiling tiling,
      long[] origin,
      long[] begin,
      long[] extents,
      long[] theirs,
      Map<Kind, Integer> known) {
    long[] first = tiling.first(tile);
    long[] mine = tiling.extents(tile);
    long[] inTile = Tiling.strides(mine, type);
    long[] box = new long[Tiling.AXES];
    int at = tile * ranks + peer;
    for (int axis = 0; axis < Tiling.AXES; axis++) {
      long low = Math.max(origin[axis] + first[axis], begin[axis]);
      long high = Math.min(origin[axis] + first[axis] + mine[axis], begin[axis] + extents[axis]);
      places[2 * at] += (low - begin[axis]) * theirs[axis] * type.size();
      places[2 * at + 1] += (low - origin[axis] - first[axis]) * inTile[axis] * type.size();
      box[axis] = Math.max(high - low, 0);
    }
    if (Shape.of(box).count() > 0) {
      kinds[at] =
          known.computeIfAbsent(
              new Kind(Shape.of(box), Shape.of(theirs), Shape.of(inTile)),
              _ -> copy(box, theirs, inTile));
    }
  }

  private int copy(long[] box, long[] from, long[] to) {
    Shape shape = Shape.of(box);
    copies.add(
        StridedCopy.of(Layout.strided(type, shape, from, 0), Layout.strided(type, shape, to, 0)));
    return copies.size() - 1;
  }

  /** Fills a tile from the arrays of all ranks. */
  public void run(int tile, DirectReads reads, long target) {
    for (int peer = 0; peer < ranks; peer++) {
      int at = tile * ranks + peer;
      if (kinds[at] >= 0) {
        copies
            .get(kinds[at])
            .run(reads.address(peer) + places[2 * at], target + places[2 * at + 1]);
      }
    }
  }
}
