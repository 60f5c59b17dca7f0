package dev.rialto.fft;

/** The frequencies that belong to the results of a transform, in the order of the results. */
public final class Frequencies {
  private Frequencies() {}

  /** Returns the number of waves on n points that result j has: 0, 1, …, -2, -1. */
  public static long waves(long n, long j) {
    return 2 * j < n ? j : j - n;
  }

  /**
   * Returns the frequencies of n results.
   *
   * @param spacing the distance between two points
   */
  public static double[] of(int n, double spacing) {
    double[] frequencies = new double[n];
    for (int j = 0; j < n; j++) {
      frequencies[j] = waves(n, j) / (n * spacing);
    }
    return frequencies;
  }

  /** Returns the frequencies of the n/2+1 results of a transform of n reals; none is negative. */
  public static double[] ofHalf(int n, double spacing) {
    double[] frequencies = new double[n / 2 + 1];
    for (int j = 0; j < frequencies.length; j++) {
      frequencies[j] = j / (n * spacing);
    }
    return frequencies;
  }

  /** Returns where result j goes when frequencies are put in ascending order. */
  public static long shifted(long n, long j) {
    return Math.floorMod(j + n / 2, n);
  }

  /** Returns where a result in ascending order came from: undoes {@link #shifted}. */
  public static long unshifted(long n, long j) {
    return Math.floorMod(j - n / 2, n);
  }
}
