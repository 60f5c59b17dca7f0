package dev.rialto.jit.library;

/** Intervals of one width, as histograms have them. */
public final class Intervals {
  private Intervals() {}

  /**
   * Returns the interval of a number; -1 if it is outside, or NaN. Interval {@code i} begins at
   * {@code low + i * (high - low) / intervals}, which belongs to it; {@code high} belongs to the
   * last one.
   */
  public static int of(double value, double low, double high, int intervals) {
    if (!(value >= low && value <= high)) {
      return -1;
    }
    // Divides first and corrects, so that an interval's border belongs to it despite rounding.
    int guess = (int) Math.min((value - low) / (high - low) * intervals, intervals - 1);
    if (guess + 1 < intervals && value >= border(guess + 1, low, high, intervals)) {
      return guess + 1;
    }
    return value < border(guess, low, high, intervals) ? guess - 1 : guess;
  }

  /** Returns where an interval begins. */
  public static double border(int interval, double low, double high, int intervals) {
    return low + interval * (high - low) / intervals;
  }
}
