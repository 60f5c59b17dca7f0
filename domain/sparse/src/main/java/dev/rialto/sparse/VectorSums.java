package dev.rialto.sparse;

import static dev.rialto.system.AddressSpace.MEMORY;

import dev.rialto.sparse.local.ExactSum;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.VectorKernels;
import dev.rialto.spi.data.DType;
import java.util.Arrays;

/**
 * Products and norms of vectors at addresses, over all ranks. An element that several ranks own
 * counts once; where sums are to be reproducible they are exact, and rounded once.
 *
 * @param width how many vectors lie side by side
 */
record VectorSums(IndexMap map, VectorKernels kernels, DType type, int width) {
  private int count(int stride) {
    return map.owned() * width / stride;
  }

  private Scalar get(long x, int local, int vector) {
    return Element.get(MEMORY.asSlice(x), type, (long) local * width + vector);
  }

  /**
   * Adds this rank's part of {@code conj(x)·y} to a sum of out.
   *
   * @param first the vector to begin with
   * @param stride which vectors follow: 1 for all, the width for none
   */
  void add(long x, long y, int first, int stride, PartialSums out, int at) {
    long skip = type.bytes(first);
    kernels.dot(count(stride), x + skip, y + skip, stride, out, at);
    for (int copy : map.copies()) {
      for (int vector = first; vector < width; vector += stride) {
        Scalar product = get(x, copy, vector).conjugate().times(get(y, copy, vector));
        out.add(at, -product.re(), -product.im());
      }
    }
  }

  /** Returns {@code conj(x)·y} of all vectors together. */
  Scalar dot(long x, long y) {
    if (map.sums().exact()) {
      return exactDot(x, y, 0, 1);
    }
    double[] parts = new double[2];
    add(x, y, 0, 1, PartialSums.into(parts), 0);
    map.sums().add(parts, 2);
    return new Scalar(parts[0], parts[1]);
  }

  /** Returns {@code conj(x)·y} of each vector. */
  Scalar[] dotEach(long x, long y) {
    Scalar[] results = new Scalar[width];
    if (map.sums().exact()) {
      Arrays.setAll(results, i -> exactDot(x, y, i, width));
      return results;
    }
    double[] parts = new double[2 * width];
    PartialSums out = PartialSums.into(parts);
    for (int i = 0; i < width; i++) {
      add(x, y, i, width, out, i);
    }
    map.sums().add(parts, parts.length);
    Arrays.setAll(results, i -> new Scalar(parts[2 * i], parts[2 * i + 1]));
    return results;
  }

  private Scalar exactDot(long x, long y, int first, int stride) {
    ExactSum real = new ExactSum();
    ExactSum imaginary = new ExactSum();
    long skip = type.bytes(first);
    kernels.exactDot(count(stride), x + skip, y + skip, stride, real, imaginary);
    for (int copy : map.copies()) {
      for (int vector = first; vector < width; vector += stride) {
        Scalar a = get(x, copy, vector);
        Scalar b = get(y, copy, vector);
        real.addProduct(-a.re(), b.re());
        real.addProduct(-a.im(), b.im());
        imaginary.addProduct(-a.re(), b.im());
        imaginary.addProduct(a.im(), b.re());
      }
    }
    double re = map.sums().add(real);
    return new Scalar(re, type.kind() == DType.Kind.COMPLEX ? map.sums().add(imaginary) : 0);
  }

  /** Returns the sum of absolute values. */
  double norm1(long x) {
    if (map.sums().exact()) {
      return exactNorm1(x);
    }
    double[] sum = {kernels.sumAbs(count(1), x)};
    for (int copy : map.copies()) {
      for (int vector = 0; vector < width; vector++) {
        sum[0] -= get(x, copy, vector).abs();
      }
    }
    map.sums().add(sum, 1);
    return sum[0];
  }

  private double exactNorm1(long x) {
    ExactSum sum = new ExactSum();
    for (int vector = 0; vector < width; vector++) {
      for (int i = 0; i < map.owned(); i++) {
        sum.addProduct(get(x, i, vector).abs(), 1);
      }
      for (int copy : map.copies()) {
        sum.addProduct(get(x, copy, vector).abs(), -1);
      }
    }
    return map.sums().add(sum);
  }
}
