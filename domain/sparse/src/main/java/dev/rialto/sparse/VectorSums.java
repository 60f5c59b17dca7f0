package dev.rialto.sparse;

import dev.rialto.sparse.local.ExactSum;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.data.DType;
import java.util.Arrays;

/**
 * Products and norms of vectors over all ranks. An element that several ranks own counts once;
 * where sums are to be reproducible they are exact, and rounded once.
 */
final class VectorSums {
  private VectorSums() {}

  /**
   * Adds this rank's part of {@code conj(x)·y} to a sum of out.
   *
   * @param first the vector to begin with
   * @param stride which vectors follow: 1 for all, the width for none
   */
  static void add(MultiVector x, MultiVector y, int first, int stride, PartialSums out, int at) {
    long skip = x.type().bytes(first);
    x.kernels()
        .dot(
            x.count() / stride, x.address() + skip, x.checked(y).address() + skip, stride, out, at);
    for (int copy : x.map().copies()) {
      for (int vector = first; vector < x.width(); vector += stride) {
        Scalar product = x.get(copy, vector).conjugate().times(y.get(copy, vector));
        out.add(at, -product.re(), -product.im());
      }
    }
  }

  /** Returns the products of the first and second vector, of the third and fourth, and so on. */
  static Scalar[] dots(MultiVector... pairs) {
    if (pairs.length == 0 || pairs.length % 2 != 0) {
      throw new IllegalArgumentException(pairs.length + " vectors; give pairs");
    }
    Sums sums = pairs[0].map().sums();
    Scalar[] results = new Scalar[pairs.length / 2];
    if (sums.exact()) {
      Arrays.setAll(results, i -> exactDot(pairs[2 * i], pairs[2 * i + 1], 0, 1));
      return results;
    }
    double[] parts = new double[pairs.length];
    PartialSums out = PartialSums.into(parts);
    for (int i = 0; i < results.length; i++) {
      add(pairs[2 * i], pairs[2 * i + 1], 0, 1, out, i);
    }
    sums.add(parts, parts.length);
    Arrays.setAll(results, i -> new Scalar(parts[2 * i], parts[2 * i + 1]));
    return results;
  }

  private static Scalar exactDot(MultiVector x, MultiVector y, int first, int stride) {
    ExactSum real = new ExactSum();
    ExactSum imaginary = new ExactSum();
    long skip = x.type().bytes(first);
    x.kernels()
        .exactDot(
            x.count() / stride,
            x.address() + skip,
            x.checked(y).address() + skip,
            stride,
            real,
            imaginary);
    for (int copy : x.map().copies()) {
      for (int vector = first; vector < x.width(); vector += stride) {
        Scalar a = x.get(copy, vector);
        Scalar b = y.get(copy, vector);
        real.addProduct(-a.re(), b.re());
        real.addProduct(-a.im(), b.im());
        imaginary.addProduct(-a.re(), b.im());
        imaginary.addProduct(a.im(), b.re());
      }
    }
    Sums sums = x.map().sums();
    double re = sums.add(real);
    return new Scalar(re, x.type().kind() == DType.Kind.COMPLEX ? sums.add(imaginary) : 0);
  }

  /** Returns the products of each vector of x with that of y. */
  static Scalar[] dotEach(MultiVector x, MultiVector y) {
    int width = x.width();
    Sums sums = x.map().sums();
    Scalar[] results = new Scalar[width];
    if (sums.exact()) {
      Arrays.setAll(results, i -> exactDot(x, y, i, width));
      return results;
    }
    double[] parts = new double[2 * width];
    PartialSums out = PartialSums.into(parts);
    for (int i = 0; i < width; i++) {
      add(x, y, i, width, out, i);
    }
    sums.add(parts, parts.length);
    Arrays.setAll(results, i -> new Scalar(parts[2 * i], parts[2 * i + 1]));
    return results;
  }

  /** Returns the Euclidean norm, whatever the size of the elements. */
  static double norm2(MultiVector x) {
    double square = x.dot(x).re();
    if (Double.isNaN(square) || (square > 0x1p-900 && square < Double.POSITIVE_INFINITY)) {
      return Math.sqrt(square);
    }
    double largest = x.normInf();
    if (largest == 0 || largest == Double.POSITIVE_INFINITY) {
      return largest;
    }
    // The squares are too small or too large for doubles: those of a scaled copy are not.
    int power = Math.max(-1000, Math.getExponent(largest));
    try (MultiVector scaled = x.like()) {
      scaled.axpby(Scalar.of(Math.scalb(1.0, -power)), x, Scalar.ZERO);
      return Math.scalb(Math.sqrt(scaled.dot(scaled).re()), power);
    }
  }

  /** Returns the sum of absolute values. */
  static double norm1(MultiVector x) {
    Sums sums = x.map().sums();
    if (sums.exact()) {
      return exactNorm1(x);
    }
    double[] sum = {x.kernels().sumAbs(x.count(), x.address())};
    for (int copy : x.map().copies()) {
      for (int vector = 0; vector < x.width(); vector++) {
        sum[0] -= x.get(copy, vector).abs();
      }
    }
    sums.add(sum, 1);
    return sum[0];
  }

  private static double exactNorm1(MultiVector x) {
    ExactSum sum = new ExactSum();
    for (int vector = 0; vector < x.width(); vector++) {
      for (int i = 0; i < x.map().owned(); i++) {
        sum.addProduct(x.get(i, vector).abs(), 1);
      }
      for (int copy : x.map().copies()) {
        sum.addProduct(x.get(copy, vector).abs(), -1);
      }
    }
    return x.map().sums().add(sum);
  }
}
