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
    int guess = guess(value, low, high, intervals);
    if (guess + 1 < intervals && value >= border(guess + 1, low, high, intervals)) {
      return guess + 1;
    }
    return value < border(guess, low, high, intervals) ? guess - 1 : guess;
  }

  /**
   * Returns the interval of a number inside, or one beside it: rounding may put a number at a
   * border on the wrong side, which the caller corrects.
   */
  private static int guess(double value, double low, double high, int intervals) {
    double inverse = 1 / (high - low);
    double part =
        inverse < Double.POSITIVE_INFINITY ? (value - low) * inverse : (value - low) / (high - low);
    return (int) Math.min(part * intervals, intervals - 1);
  }

  /** Returns where an interval begins. */
  public static double border(int interval, double low, double high, int intervals) {
    return low + interval * (high - low) / intervals;
  }
}
