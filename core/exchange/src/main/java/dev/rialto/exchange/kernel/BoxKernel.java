package dev.rialto.exchange.kernel;

import dev.rialto.spi.exec.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Moves boxes. Where the innermost axis is the same on both sides, rows are copied; where it is
 * not, planes are transposed tile by tile, so that of each cache line that is fetched all bytes are
 * used before it is dropped.
 *
 * <p>The inner loop runs along the target, whose lines are then written whole. A tile takes {@value
 * #RUN} bytes of each of {@value #COLUMNS} lines of the source: long runs keep the prefetcher busy,
 * and few lines survive in one set of the second-level cache, where all of them meet if they lie a
 * power of two apart. Square tiles of 64 elements were as fast with lines 4 KiB apart and took
 * twice as long with lines 1 MiB apart; {@code bench exchange} shows the distance to a plain copy.
 */
final class BoxKernel extends SharedKernel {
  private static final int RUN = 2048;
  private static final int COLUMNS = 32;

  private final LoopNest nest;
  private final boolean planes;

  /** Axes that are looped over outside, rows of tiles included; and the indices of each. */
  private final int outer;

  private final long[] counts;

  BoxKernel(LoopNest nest, @Nullable Executor executor) {
    this(nest, nest.rank() > 1 && nest.bringPlaneTogether(), executor);
  }

  private BoxKernel(LoopNest nest, boolean planes, @Nullable Executor executor) {
    super(units(nest, planes), bytes(nest), executor);
    this.nest = nest;
    this.planes = planes;
    this.outer = planes ? nest.rank() - 1 : Math.max(nest.rank() - 1, 0);
    this.counts = counts(nest, planes);
  }

  private static long bytes(LoopNest nest) {
    long bytes = nest.size;
    for (int axis = 0; axis < nest.rank(); axis++) {
      bytes *= nest.extents[axis];
    }
    return bytes;
  }

  private static long[] counts(LoopNest nest, boolean planes) {
    int outer = Math.max(nest.rank() - 1, 0);
    long[] counts = new long[outer];
    for (int axis = 0; axis < outer; axis++) {
      counts[axis] = nest.extents[axis];
    }
    if (planes) {
      counts[outer - 1] = (counts[outer - 1] + rows(nest) - 1) / rows(nest);
    }
    return counts;
  }

  private static long units(LoopNest nest, boolean planes) {
    long units = 1;
    for (long count : counts(nest, planes)) {
      units *= count;
    }
    return units;
  }

  private static int rows(LoopNest nest) {
    return RUN / nest.size;
  }

  @Override
  public void run(long begin, long end) {
    for (long unit = begin; unit < end; unit++) {
      long rest = unit;
      long source = from + nest.fromOffset;
      long target = to + nest.toOffset;
      long strip = 0;
      for (int axis = outer - 1; axis >= 0; axis--) {
        long index = rest % counts[axis];
        rest /= counts[axis];
        if (planes && axis == outer - 1) {
          strip = index * rows(nest);
          index = strip;
        }
        source += index * nest.from[axis];
        target += index * nest.to[axis];
      }
      if (planes) {
        strip(source, target, Math.min(rows(nest), nest.extents[outer - 1] - strip));
      } else {
        row(source, target);
      }
    }
  }

  /** Transposes a row of tiles: {@code rows} lines of the target. */
  private void strip(long source, long target, long rows) {
    int last = nest.rank() - 1;
    long columns = nest.extents[last];
    for (long column = 0; column < columns; column += COLUMNS) {
      long count = Math.min(COLUMNS, columns - column);
      for (long row = 0; row < rows; row++) {
        Address.line(
            nest.size,
            source + row * nest.from[last - 1] + column * nest.from[last],
            nest.from[last],
            target + row * nest.to[last - 1] + column * nest.to[last],
            nest.to[last],
            count);
      }
    }
  }

  private void row(long source, long target) {
    int last = nest.rank() - 1;
    if (last < 0) {
      Address.copy(source, target, nest.size);
    } else if (nest.from[last] == nest.size && nest.to[last] == nest.size) {
      Address.copy(source, target, nest.extents[last] * nest.size);
    } else {
      Address.line(nest.size, source, nest.from[last], target, nest.to[last], nest.extents[last]);
    }
  }
}
