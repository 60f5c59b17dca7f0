package dev.rialto.spi.copy;

import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Whether two layouts name a common byte.
 *
 * <p>Exact: interleaved layouts of one array, such as its even and its odd columns, do not overlap.
 * Cheap answers come first: other memory, ranges apart, runs that lie in one another's gaps because
 * all distances have a common divisor. Only what is left pays for sorting its runs.
 */
final class Overlap {
  private Overlap() {}

  /**
   * Returns whether the layouts name a common byte. Memory of a device, which has no size here, is
   * compared by its addresses.
   */
  static boolean exists(MemorySegment source, Layout from, MemorySegment target, Layout to) {
    if (from.count() == 0 || apart(source, from, target, to)) {
      return false;
    }
    Runs read = new Runs(source.address(), from);
    Runs written = new Runs(target.address(), to);
    return read.low < written.high
        && written.low < read.high
        && !read.interleave(written)
        && written.meet(read);
  }

  private static boolean apart(MemorySegment source, Layout from, MemorySegment target, Layout to) {
    if (source.byteSize() > 0 && target.byteSize() > 0) {
      return source.asOverlappingSlice(target).isEmpty();
    }
    return source.address() + from.span() <= target.address()
        || target.address() + to.span() <= source.address();
  }

  /** The places of the runs of a layout. */
  private static final class Runs {
    private final long base;
    private final Layout layout;
    private int count;
    private long low = Long.MAX_VALUE;
    private long high = Long.MIN_VALUE;
    private long longest;

    /** Divides the distance between any two runs; 0 if there is one. */
    private long divisor;

    Runs(long base, Layout layout) {
      this.base = base;
      this.layout = layout;
      layout.forEachRun(
          (offset, bytes) -> {
            long start = base + offset;
            if (count++ > 0) {
              divisor = divisor(divisor, Math.abs(start - low));
            }
            low = Math.min(low, start);
            high = Math.max(high, start + bytes);
            longest = Math.max(longest, bytes);
          });
    }

    private static long divisor(long a, long b) {
      while (b != 0) {
        long rest = a % b;
        a = b;
        b = rest;
      }
      return a;
    }

    /** Returns whether both repeat with one period, in different places of it. */
    boolean interleave(Runs other) {
      long period = divisor(divisor, other.divisor);
      if (period == 0) {
        return false;
      }
      long distance = Math.floorMod(other.low - low, period);
      return distance >= longest && period - distance >= other.longest;
    }

    /**
     * Returns whether any two runs meet. With starts and ends sorted apart from one another, the
     * runs that meet one of the others are those that start before its end, less those that end
     * before its start.
     */
    boolean meet(Runs other) {
      long[] starts = new long[count];
      long[] ends = new long[count];
      int[] next = {0};
      layout.forEachRun(
          (offset, bytes) -> {
            starts[next[0]] = base + offset;
            ends[next[0]++] = base + offset + bytes;
          });
      Arrays.sort(starts);
      Arrays.sort(ends);
      boolean[] met = {false};
      other.layout.forEachRun(
          (offset, bytes) -> {
            long start = other.base + offset;
            met[0] |= countBelow(starts, start + bytes) > countBelow(ends, start + 1);
          });
      return met[0];
    }

    /** Returns how many of the sorted values are less than a limit. */
    private static int countBelow(long[] sorted, long limit) {
      int low = 0;
      int high = sorted.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (sorted[middle] < limit) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }
}
