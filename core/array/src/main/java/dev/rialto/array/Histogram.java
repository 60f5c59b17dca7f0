package dev.rialto.array;

import dev.rialto.jit.library.Intervals;

/**
 * The number of elements in each of several intervals of one width; see {@link Array#histogram}.
 */
public final class Histogram {
  private final double low;
  private final double high;
  private final long[] counts;
  private final long outside;

  Histogram(double low, double high, long[] counts, long outside) {
    this.low = low;
    this.high = high;
    this.counts = counts;
    this.outside = outside;
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
