package dev.rialto.fft.stage;

import dev.rialto.spi.fft.FftSpec.Kind;

/**
 * The factor of each element of a line: a weight, and exp(-2πi (square j² + linear j + shift) /
 * order).
 *
 * <p>Between two of these a longer complex transform of the line, padded with zeros, is any other
 * transform. A cosine or sine is the real part of an exponential whose exponent is a product; in
 * (j+½)(k+½) only jk is the transform's, and j/2 belongs before it and the rest behind it. A prime
 * number of points is a convolution with a chirp: jk = (j² + k² - (k-j)²) / 2.
 *
 * @param first whether the first element of the line has half the weight
 * @param last whether the last one has
 */
public record Phase(
    long order, long square, long linear, long shift, double weight, boolean first, boolean last) {
  private static Phase turns(long order, long linear, long shift, double weight) {
    return new Phase(order, 0, linear, shift, weight, false, false);
  }

  private Phase ends(boolean halvesFirst, boolean halvesLast) {
    return new Phase(order, square, linear, shift, weight, halvesFirst, halvesLast);
  }

  public double weight(long element, long count) {
    return (first && element == 0) || (last && element == count - 1) ? weight / 2 : weight;
  }

  /** Returns what a prime number of points is multiplied by, before and behind the convolution. */
  public static Phase chirp(long n) {
    return new Phase(2 * n, 1, 0, 0, 1, false, false);
  }

  /** Returns the chirp for half a spectrum: all but its ends stand for their mirrors too. */
  public static Phase halfChirp(long n) {
    return new Phase(2 * n, 1, 0, 0, 2, true, n % 2 == 0);
  }

  /** Returns the points of the complex transform that a real kind of n points is made of. */
  public static long points(Kind kind, long n) {
    return switch (kind) {
      case HARTLEY -> n;
      case DCT1 -> 2 * (n - 1);
      case DST1 -> 2 * (n + 1);
      default -> 2 * n;
    };
  }

  /** Returns what a real kind multiplies by before the complex transform. */
  public static Phase before(Kind kind, long n) {
    long order = 8 * points(kind, n);
    return switch (kind) {
      case HARTLEY -> turns(order, 0, 0, 1);
      case DCT1 -> turns(order, 0, 0, 2).ends(true, true);
      case DCT2 -> turns(order, 0, 0, 2);
      case DCT3 -> turns(order, 4, 0, 2).ends(true, false);
      case DST3 -> turns(order, 4, 0, 2).ends(false, true);
      case DCT4, DST4 -> turns(order, 4, 0, 2);
      case DST1, DST2 -> turns(order, 8, 0, 2);
      default -> throw new IllegalArgumentException(kind + " is complex");
    };
  }

  /** Returns what the results of the complex transform are multiplied by; the real part counts. */
  public static Phase behind(Kind kind, long n) {
    long order = 8 * points(kind, n);
    // The real part of i z, a quarter of a turn back, is that of a sine.
    long sine = order - order / 4;
    return switch (kind) {
      case HARTLEY -> turns(order, 0, order - order / 8, Math.sqrt(2));
      case DCT1, DCT3 -> turns(order, 0, 0, 1);
      case DCT2 -> turns(order, 4, 0, 1);
      case DCT4 -> turns(order, 4, 2, 1);
      case DST1 -> turns(order, 8, 8 + sine, 1);
      case DST2 -> turns(order, 4, 4 + sine, 1);
      case DST3 -> turns(order, 8, 4 + sine, 1);
      case DST4 -> turns(order, 4, 2 + sine, 1);
      default -> throw new IllegalArgumentException(kind + " is complex");
    };
  }
}
