package dev.rialto.fft;

import static dev.rialto.spi.memory.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.rialto.exchange.DirectReads;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/**
 * Which box of which rank's array goes where in each tile, for the move from one grid to another
 * where arrays can be read directly.
 */
final class Pulls {
  /** Per tile and rank: where it starts there and in the tile, and three extents. */
  private static final int FIELDS = 5;

  private final int ranks;
  private final DType type;
  private final int size;
  private final long[] boxes;

  /** The strides of each rank's array, three each, in the order of the tiles' axes. */
  private final long[] strides;

  /** The strides of each tile, the last of three being 1. */
  private final long[] tileStrides;

  Pulls(Step.Move move, Tiling tiling, int rank) {
    this.ranks = move.from().ranks();
    this.type = move.type();
    this.size = type.size();
    this.boxes = new long[FIELDS * ranks * tiling.count()];
    this.strides = new long[Tiling.AXES * ranks];
    this.tileStrides = new long[Tiling.AXES * tiling.count()];
    Grid from = (Grid) move.from();
    long[] origin = tiling.ordered(origin((Grid) move.to(), rank), 0);
    for (int peer = 0; peer < ranks; peer++) {
      if (from.localCount(peer) == 0) {
        continue;
      }
      long[] theirs = tiling.ordered(from.localStrides(peer), 0);
      System.arraycopy(theirs, 0, strides, Tiling.AXES * peer, Tiling.AXES);
      long[] begin = tiling.ordered(origin(from, peer), 0);
      long[] extents = tiling.ordered(from.localShape(peer).extents(), 1);
      for (int tile = 0; tile < tiling.count(); tile++) {
        intersect(tile, peer, tiling, origin, begin, extents, theirs);
      }
    }
    for (int tile = 0; tile < tiling.count(); tile++) {
      System.arraycopy(
          Tiling.strides(tiling.extents(tile), type),
          0,
          tileStrides,
          Tiling.AXES * tile,
          Tiling.AXES);
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
      long[] theirs) {
    long[] first = tiling.first(tile);
    long[] mine = tiling.extents(tile);
    long[] inTile = Tiling.strides(mine, type);
    int at = FIELDS * (tile * ranks + peer);
    for (int axis = 0; axis < Tiling.AXES; axis++) {
      long low = Math.max(origin[axis] + first[axis], begin[axis]);
      long high = Math.min(origin[axis] + first[axis] + mine[axis], begin[axis] + extents[axis]);
      boxes[at] += (low - begin[axis]) * theirs[axis];
      boxes[at + 1] += (low - origin[axis] - first[axis]) * inTile[axis];
      boxes[at + 2 + axis] = Math.max(high - low, 0);
    }
  }

  /** Fills a tile from the arrays of all ranks. */
  void run(int tile, DirectReads reads, long target) {
    for (int peer = 0; peer < ranks; peer++) {
      int at = FIELDS * (tile * ranks + peer);
      long rows = boxes[at + 3];
      long length = boxes[at + 4];
      if (length == 0 || rows == 0) {
        continue;
      }
      long from = reads.address(peer) + boxes[at] * size;
      long to = target + boxes[at + 1] * size;
      long inner = strides[Tiling.AXES * peer + 2] * size;
      for (long i = 0; i < boxes[at + 2]; i++) {
        long source = from + i * strides[Tiling.AXES * peer] * size;
        long into = to + i * tileStrides[Tiling.AXES * tile] * size;
        for (long j = 0; j < rows; j++) {
          row(source, inner, into, length);
          source += strides[Tiling.AXES * peer + 1] * size;
          into += tileStrides[Tiling.AXES * tile + 1] * size;
        }
      }
    }
  }

  private void row(long from, long step, long to, long count) {
    if (step == size) {
      MemorySegment.copy(MEMORY, from, MEMORY, to, count * size);
      return;
    }
    for (long i = 0; i < count; i++) {
      long source = from + i * step;
      long target = to + i * size;
      if (size == Integer.BYTES) {
        MEMORY.set(JAVA_INT_UNALIGNED, target, MEMORY.get(JAVA_INT_UNALIGNED, source));
      } else {
        for (int part = 0; part < size; part += Long.BYTES) {
          MEMORY.set(
              JAVA_LONG_UNALIGNED, target + part, MEMORY.get(JAVA_LONG_UNALIGNED, source + part));
        }
      }
    }
  }
}
