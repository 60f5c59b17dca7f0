package dev.rialto.exchange.kernel;

import dev.rialto.spi.exec.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Moves boxes. Where the innermost axis is the same on both sides, rows are copied; where it is
 * not, planes are transposed tile by tile, so that of each cache line that is fetched all bytes are
 * used before it is dropped.
 *
 * <p>The inner loop runs along the target, whose lines are then written whole; see {@link Tile} for
 * the source. What is too large for caches is transposed into a small piece of memory and copied
 * from there {@linkplain NonTemporal past them}. {@code bench exchange} shows the distance to a
 * plain copy.
 */
final class BoxKernel extends SharedKernel {
  private final LoopNest nest;
  private final Tile tile;
  private final boolean planes;
  private final boolean past;

  /** Axes that are looped over outside, rows of tiles included; and the indices of each. */
  private final int outer;

  private final long[] counts;

  BoxKernel(LoopNest nest, Tile tile, @Nullable Executor executor) {
    this(nest, nest.rank() > 1 && nest.bringPlaneTogether(), tile, executor);
  }

  private BoxKernel(LoopNest nest, boolean planes, Tile tile, @Nullable Executor executor) {
    super(units(nest, planes, tile), bytes(nest), executor);
    this.nest = nest;
    this.tile = tile;
    this.planes = planes;
    this.past = tile.past() && NonTemporal.pays(bytes(nest)) && dense(nest);
    this.outer = planes ? nest.rank() - 1 : Math.max(nest.rank() - 1, 0);
    this.counts = counts(nest, planes, tile);
  }

  /** Returns whether rows of the target have no gaps and differ by whole units of such a copy. */
  private static boolean dense(LoopNest nest) {
    int last = nest.rank() - 1;
    return last > 0 && nest.to[last] == nest.size && nest.to[last - 1] % NonTemporal.UNIT == 0;
  }

  private static long bytes(LoopNest nest) {
    long bytes = nest.size;
    for (int axis = 0; axis < nest.rank(); axis++) {
      bytes *= nest.extents[axis];
    }
    return bytes;
  }

  private static long[] counts(LoopNest nest, boolean planes, Tile tile) {
    int outer = Math.max(nest.rank() - 1, 0);
    long[] counts = new long[outer];
    for (int axis = 0; axis < outer; axis++) {
      counts[axis] = nest.extents[axis];
    }
    if (planes) {
      int rows = tile.run() / nest.size;
      counts[outer - 1] = (counts[outer - 1] + rows - 1) / rows;
    }
    return counts;
  }

  private static long units(LoopNest nest, boolean planes, Tile tile) {
    long units = 1;
    for (long count : counts(nest, planes, tile)) {
      units *= count;
    }
    return units;
  }

  @Override
  public void run(long begin, long end) {
    int rows = tile.run() / nest.size;
    for (long unit = begin; unit < end; unit++) {
      long rest = unit;
      long source = from + nest.fromOffset;
      long target = to + nest.toOffset;
      long strip = 0;
      for (int axis = outer - 1; axis >= 0; axis--) {
        long index = rest % counts[axis];
        rest /= counts[axis];
        if (planes && axis == outer - 1) {
          strip = index * rows;
          index = strip;
        }
        source += index * nest.from[axis];
        target += index * nest.to[axis];
      }
      if (planes) {
        strip(source, target, Math.min(rows, nest.extents[outer - 1] - strip));
      } else {
        row(source, target);
      }
    }
    if (past) {
      NonTemporal.fence();
    }
  }

  /** Transposes a row of tiles: {@code rows} lines of the target. */
  private void strip(long source, long target, long rows) {
    int last = nest.rank() - 1;
    long columns = nest.extents[last];
    for (long column = 0; column < columns; column += tile.columns()) {
      long count = Math.min(tile.columns(), columns - column);
      long first = source + column * nest.from[last];
      long place = target + column * nest.to[last];
      long bytes = count * nest.size;
      if (past && (place | bytes) % NonTemporal.UNIT == 0) {
        past(first, place, rows, bytes);
      } else {
        tile(first, place, nest.to[last - 1], rows, count);
      }
    }
  }

  /** Transposes a tile past the caches: at once where elements are units of such a copy. */
  private void past(long source, long target, long rows, long bytes) {
    int last = nest.rank() - 1;
    long toRow = nest.to[last - 1];
    if (nest.size == NonTemporal.UNIT) {
      NonTemporal.rows(source, nest.from[last - 1], nest.from[last], target, toRow, rows, bytes);
    } else {
      long scratch = NonTemporal.scratch();
      tile(source, scratch, bytes, rows, bytes / nest.size);
      NonTemporal.rows(scratch, bytes, NonTemporal.UNIT, target, toRow, rows, bytes);
    }
  }

  /** Transposes a tile to rows that are so many bytes apart. */
  private void tile(long source, long target, long apart, long rows, long count) {
    int last = nest.rank() - 1;
    for (long row = 0; row < rows; row++) {
      Address.line(
          nest.size,
          source + row * nest.from[last - 1],
          nest.from[last],
          target + row * apart,
          nest.to[last],
          count);
    }
  }

  private void row(long source, long target) {
    int last = nest.rank() - 1;
    if (last < 0) {
      Address.copy(source, target, nest.size);
    } else if (nest.from[last] == nest.size && nest.to[last] == nest.size) {
      long bytes = nest.extents[last] * nest.size;
      if (past && (target | bytes) % NonTemporal.UNIT == 0) {
        NonTemporal.copy(source, target, bytes);
      } else {
        Address.copy(source, target, bytes);
      }
    } else {
      Address.line(nest.size, source, nest.from[last], target, nest.to[last], nest.extents[last]);
    }
  }
}
