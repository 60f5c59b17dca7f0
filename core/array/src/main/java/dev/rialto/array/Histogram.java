package dev.rialto.array;

import dev.rialto.jit.library.Intervals;
import java.util.Arrays;

/** How many elements lie in each of several intervals of one width; see {@link Array#histogram}. */
public final class Histogram {
  private final double low;
  private final double high;
  private final long[] counts;
  private final long outside;

  private Histogram(double low, double high, long[] counts, long outside) {
    this.low = low;
    this.high = high;
    this.counts = counts;
    this.outside = outside;
  }

  static ArrayOperation<Histogram> of(Array array, double low, double high, int intervals) {
    if (intervals < 1 || !(low < high) || Double.isInfinite(high - low)) {
      throw new IllegalArgumentException(
          "%d intervals from %s to %s; give at least 1, of finite width"
              .formatted(intervals, low, high));
    }
    boolean floating = Elements.real(array.type(), "a histogram").isFloating();
    return ArrayOperation.collective(
            array.team(),
            "histogram",
            run -> {
              View view = array.values();
              long[][] parts = new long[OperationRunner.chunksOf(view.count())][intervals + 1];
              run.stretches(
                  0,
                  view.count(),
                  (chunk, at, count) -> count(view, at, count, floating, low, high, parts[chunk]),
                  view);
              long[] all = sum(run.gatherLast(sum(parts, intervals + 1)), intervals + 1);
              return new Histogram(low, high, Arrays.copyOf(all, intervals), all[intervals]);
            })
        .about(array, low, high, intervals);
  }

  private static void count(
      View view, long at, long count, boolean floating, double low, double high, long[] counts) {
    Elements elements = view.elements();
    int intervals = counts.length - 1;
    for (long i = 0; i < count; i++) {
      long bits = elements.get(view.address(at + i));
      double value = floating ? Double.longBitsToDouble(bits) : bits;
      int interval = Intervals.of(value, low, high, intervals);
      counts[interval < 0 ? intervals : interval]++;
    }
  }

  private static long[] sum(long[][] parts, int length) {
    long[] sum = new long[length];
    for (long[] part : parts) {
      Arrays.setAll(sum, i -> sum[i] + part[i]);
    }
    return sum;
  }

  /** Returns how many intervals there are. */
  public int intervals() {
    return counts.length;
  }

  /** Returns the elements in an interval. */
  public long count(int interval) {
    return counts[interval];
  }

  /** Returns where an interval begins; that after the last gives its end. */
  public double border(int interval) {
    return Intervals.border(interval, low, high, counts.length);
  }

  /** Returns the elements in none of the intervals, NaN among them. */
  public long outside() {
    return outside;
  }
}
