package dev.rialto.tck.host;

import dev.rialto.spi.fft.FftSpec;

/**
 * The transforms as their definitions read: a sum per output point, of a product per input point.
 *
 * <p>Angles are reduced exactly, as fractions of a turn in integers, and sums are compensated, so
 * that what is left is the rounding of the trigonometric functions: far below what a fast transform
 * of the same precision can reach. Costs n² operations per line.
 */
public final class FftReference {
  private FftReference() {}

  /**
   * Transforms one line.
   *
   * @param in the input points, complex ones as pairs
   * @return the output points, complex ones as pairs
   */
  public static double[] transform(FftSpec.Kind kind, int n, double[] in) {
    return switch (kind) {
      case FORWARD -> complex(n, n, in, -1);
      case INVERSE -> complex(n, n, in, 1);
      case REAL_TO_COMPLEX -> complex(n, n / 2 + 1, pairs(in), -1);
      case COMPLEX_TO_REAL -> reals(complex(n, n, hermitian(n, in), 1));
      default -> real(kind, n, in);
    };
  }

  private static double[] complex(int n, int outputs, double[] in, int sign) {
    double[] out = new double[2 * outputs];
    for (int k = 0; k < outputs; k++) {
      Sum re = new Sum();
      Sum im = new Sum();
      for (int j = 0; j < n; j++) {
        double cos = cosTurns((long) j * k, n);
        double sin = sign * sinTurns((long) j * k, n);
        re.add(in[2 * j], cos).add(-in[2 * j + 1], sin);
        im.add(in[2 * j], sin).add(in[2 * j + 1], cos);
      }
      out[2 * k] = re.value();
      out[2 * k + 1] = im.value();
    }
    return out;
  }

  private static double[] real(FftSpec.Kind kind, int n, double[] in) {
    double[] out = new double[n];
    for (int k = 0; k < n; k++) {
      Sum sum = new Sum();
      for (int j = 0; j < n; j++) {
        sum.add(in[j], weight(kind, n, j, k));
      }
      out[k] = sum.value();
    }
    return out;
  }

  /** Returns the factor of input j in output k; angles of π·a/b are a/(2b) turns. */
  private static double weight(FftSpec.Kind kind, long n, long j, long k) {
    double alternating = k % 2 == 0 ? 1 : -1;
    return switch (kind) {
      case DCT1 -> j == 0 ? 1 : j == n - 1 ? alternating : 2 * cosTurns(j * k, 2 * (n - 1));
      case DCT2 -> 2 * cosTurns((2 * j + 1) * k, 4 * n);
      case DCT3 -> j == 0 ? 1 : 2 * cosTurns(j * (2 * k + 1), 4 * n);
      case DCT4 -> 2 * cosTurns((2 * j + 1) * (2 * k + 1), 8 * n);
      case DST1 -> 2 * sinTurns((j + 1) * (k + 1), 2 * (n + 1));
      case DST2 -> 2 * sinTurns((2 * j + 1) * (k + 1), 4 * n);
      case DST3 -> j == n - 1 ? alternating : 2 * sinTurns((j + 1) * (2 * k + 1), 4 * n);
      case DST4 -> 2 * sinTurns((2 * j + 1) * (2 * k + 1), 8 * n);
      case HARTLEY -> cosTurns(j * k, n) + sinTurns(j * k, n);
      case FORWARD, INVERSE, REAL_TO_COMPLEX, COMPLEX_TO_REAL ->
          throw new IllegalArgumentException(kind + " is complex");
    };
  }

  private static double[] pairs(double[] reals) {
    double[] pairs = new double[2 * reals.length];
    for (int j = 0; j < reals.length; j++) {
      pairs[2 * j] = reals[j];
    }
    return pairs;
  }

  private static double[] reals(double[] pairs) {
    double[] reals = new double[pairs.length / 2];
    for (int j = 0; j < reals.length; j++) {
      reals[j] = pairs[2 * j];
    }
    return reals;
  }

  /** Completes the first half of the points of a line whose transform is real. */
  private static double[] hermitian(int n, double[] half) {
    double[] all = new double[2 * n];
    for (int j = 0; j < n; j++) {
      boolean given = j <= n / 2;
      int from = given ? j : n - j;
      all[2 * j] = half[2 * from];
      all[2 * j + 1] = given ? half[2 * from + 1] : -half[2 * from + 1];
    }
    return all;
  }

  private static double cosTurns(long numerator, long denominator) {
    return sinTurns(numerator * 4 + denominator, denominator * 4);
  }

  /** Returns the sine of a fraction of a turn, from the first eighth of it. */
  private static double sinTurns(long numerator, long denominator) {
    long n = Math.floorMod(numerator, denominator);
    if (2 * n > denominator) {
      return -sinTurns(denominator - n, denominator);
    }
    if (4 * n > denominator) {
      return sinTurns(denominator - 2 * n, 2 * denominator);
    }
    return 8 * n > denominator
        ? Math.cos(Math.PI * (denominator - 4 * n) / (2.0 * denominator))
        : Math.sin(2 * Math.PI * n / denominator);
  }

  /** A sum of products in twice the precision of a double. */
  private static final class Sum {
    private double high;
    private double low;

    Sum add(double a, double b) {
      double product = a * b;
      double sum = high + product;
      double part = sum - high;
      low += Math.fma(a, b, -product) + ((high - (sum - part)) + (product - part));
      high = sum;
      return this;
    }

    double value() {
      return high + low;
    }
  }
}
