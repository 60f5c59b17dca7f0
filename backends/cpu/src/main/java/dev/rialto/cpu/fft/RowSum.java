package dev.rialto.cpu.fft;

/** A row as a sum of two others: {@code a} times {@code ca} plus {@code b} times {@code cb}. */
record RowSum(long a, double ca, long b, double cb) {
  static RowSum of(long row, double factor) {
    return new RowSum(row, factor, row, 0);
  }

  /** Returns where point j comes from in the order 0, 2, 4, …, 5, 3, 1. */
  static long interleaved(long j, long n) {
    return 2 * j < n ? 2 * j : 2 * (n - j) - 1;
  }

  /** Returns where that order has point k. */
  static long interleavedPlace(long k, long n) {
    return k % 2 == 0 ? k / 2 : n - (k + 1) / 2;
  }

  static long oddExtension(long j, long n) {
    return j % (n + 1) == 0 ? 0 : j <= n ? j - 1 : 2 * n + 1 - j;
  }

  /** X[k] = 2 Re(V[k] exp(-πik/2n)) of a spectrum of which the first half is there. */
  static RowSum cosines(long k, long n) {
    double cos = 2 * RationalAngle.cos(k, 4 * n);
    double sin = 2 * RationalAngle.sin(k, 4 * n);
    return 2 * k <= n
        ? new RowSum(2 * k, cos, 2 * k + 1, sin)
        : new RowSum(2 * (n - k), cos, 2 * (n - k) + 1, -sin);
  }

  /** The inverse of {@link #cosines}: V[k] = (x[k] - i x[n-k]) exp(πik/2n), x[n] being 0. */
  static RowSum spectrum(long row, long n, boolean reversed) {
    long k = row / 2;
    double cos = RationalAngle.cos(k, 4 * n);
    double sin = RationalAngle.sin(k, 4 * n);
    long a = reversed ? n - 1 - k : k;
    long b = reversed ? k - 1 : n - k;
    if (k == 0) {
      return of(a, row % 2 == 0 ? 1 : 0);
    }
    return row % 2 == 0 ? new RowSum(a, cos, b, sin) : new RowSum(a, sin, b, -cos);
  }
}
