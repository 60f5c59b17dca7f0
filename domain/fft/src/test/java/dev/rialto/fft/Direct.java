package dev.rialto.fft;

import dev.rialto.spi.fft.FftSpec.Kind;

/** Transforms as their definitions read, axis by axis: the reference of the tests. */
final class Direct {
  private Direct() {}

  /**
   * Transforms along one axis of an array of pairs (re, im).
   *
   * @return the array, whose axis has as many points as the kind gives
   */
  static double[] axis(Kind kind, double[] x, long[] shape, int axis, double scale) {
    int n = (int) shape[axis];
    int outputs = kind == Kind.REAL_TO_COMPLEX ? n / 2 + 1 : n;
    int inner = 1;
    for (int a = axis + 1; a < shape.length; a++) {
      inner *= (int) shape[a];
    }
    int outer = 1;
    for (int a = 0; a < axis; a++) {
      outer *= (int) shape[a];
    }
    double[] y = new double[2 * outer * outputs * inner];
    for (int o = 0; o < outer; o++) {
      for (int i = 0; i < inner; i++) {
        for (int k = 0; k < outputs; k++) {
          double re = 0;
          double im = 0;
          for (int j = 0; j < n; j++) {
            int at = 2 * ((o * n + j) * inner + i);
            double c = cos(kind, n, j, k);
            double s = sin(kind, n, j, k);
            re += x[at] * c - x[at + 1] * s;
            im += x[at] * s + x[at + 1] * c;
          }
          int at = 2 * ((o * outputs + k) * inner + i);
          y[at] = scale * re;
          y[at + 1] = scale * im;
        }
      }
    }
    return y;
  }

  private static double cos(Kind kind, long n, long j, long k) {
    double sign = k % 2 == 0 ? 1 : -1;
    return switch (kind) {
      case FORWARD, INVERSE, REAL_TO_COMPLEX -> Math.cos(turn(j * k, n));
      case DCT1 -> j == 0 ? 1 : j == n - 1 ? sign : 2 * Math.cos(turn(j * k, 2 * (n - 1)));
      case DCT2 -> 2 * Math.cos(turn((2 * j + 1) * k, 4 * n));
      case DCT3 -> j == 0 ? 1 : 2 * Math.cos(turn(j * (2 * k + 1), 4 * n));
      case DCT4 -> 2 * Math.cos(turn((2 * j + 1) * (2 * k + 1), 8 * n));
      case DST1 -> 2 * Math.sin(turn((j + 1) * (k + 1), 2 * (n + 1)));
      case DST2 -> 2 * Math.sin(turn((2 * j + 1) * (k + 1), 4 * n));
      case DST3 -> j == n - 1 ? sign : 2 * Math.sin(turn((j + 1) * (2 * k + 1), 4 * n));
      case DST4 -> 2 * Math.sin(turn((2 * j + 1) * (2 * k + 1), 8 * n));
      case HARTLEY -> Math.cos(turn(j * k, n)) + Math.sin(turn(j * k, n));
      case COMPLEX_TO_REAL -> throw new IllegalArgumentException("not a forward kind");
    };
  }

  private static double sin(Kind kind, long n, long j, long k) {
    return switch (kind) {
      case FORWARD, REAL_TO_COMPLEX -> -Math.sin(turn(j * k, n));
      case INVERSE -> Math.sin(turn(j * k, n));
      default -> 0;
    };
  }

  private static double turn(long numerator, long denominator) {
    return 2 * Math.PI * Math.floorMod(numerator, denominator) / denominator;
  }
}
