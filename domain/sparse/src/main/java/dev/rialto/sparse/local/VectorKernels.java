package dev.rialto.sparse.local;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.data.DType;
import java.lang.invoke.MethodHandles;
import java.util.Map;

/**
 * Loops over vectors of one type in native memory, each reading what it needs once.
 *
 * <p>Vectors are addresses of {@code n} elements that the caller has checked and that do not
 * overlap except where they are the same. Sums are in double precision and in an order that depends
 * on {@code n} only: a few partial sums that take elements in turn. Results that are sums are added
 * to a sum of {@code out}.
 */
public interface VectorKernels {
  /** Returns the loops for a type. */
  static VectorKernels of(DType type) {
    return requireNonNull(Loaded.BY_TYPE.get(Specialized.checked(type)));
  }

  /** The loops of each type. */
  final class Loaded {
    private static final Map<DType, VectorKernels> BY_TYPE =
        Specialized.forEach(MethodHandles.lookup(), VectorKernels.class, VectorLoops.class);

    private Loaded() {}
  }

  /** The partial sums of {@link #dotBlock}: those of real parts, then as many imaginary. */
  int LANES = 16;

  /** Adds partial sums up and to {@code out}: real part, then imaginary part. */
  static void addLanes(double[] lanes, double[] out) {
    out[0] += sumOfEight(lanes, 0);
    out[1] += sumOfEight(lanes, LANES / 2);
  }

  /** Returns the sum of the partial sums of real parts, or from {@code LANES / 2} of the others. */
  static double sumOfEight(double[] lanes, int first) {
    return ((lanes[first] + lanes[first + 1]) + (lanes[first + 2] + lanes[first + 3]))
        + ((lanes[first + 4] + lanes[first + 5]) + (lanes[first + 6] + lanes[first + 7]));
  }

  /**
   * Adds the elements of a block to the partial sums of {@code conj(x)·y}. Blocks that follow one
   * another give the bits of {@link #dot}, if each but the last ends at a multiple of 8.
   */
  void dotBlock(int from, int to, long x, long y, double[] lanes);

  /** Sets every element. */
  void fill(long x, int n, Scalar value);

  /** Sets {@code y = a x + b y}; with {@code b} 0, y is not read. */
  void axpby(int n, Factor a, long x, Factor b, long y);

  /** Sets {@code z = a x + b y + c z}; with {@code c} 0, z is not read. */
  void axpbypcz(int n, Factor a, long x, Factor b, long y, Factor c, long z);

  /** Sets {@code z = d x} element by element and adds {@code conj(x)·z} to {@code out}. */
  void scale(int n, long d, long x, long z, PartialSums out, int at);

  /** Adds {@code conj(x)·y}, taking every {@code stride}-th element, to {@code out}. */
  void dot(int n, long x, long y, int stride, PartialSums out, int at);

  /** Sets {@code x += a p}, {@code r -= a q} and adds {@code conj(r)·r} to {@code out}. */
  void conjugateStep(int n, Factor a, long p, long q, long x, long r, PartialSums out, int at);

  /** Sets {@code r -= a q} and adds {@code conj(r)·r} to {@code out}. */
  void subtractDot(int n, Factor a, long q, long r, PartialSums out, int at);

  /** Sets {@code x += a p} and then {@code p = z + b p}. */
  void nextDirection(int n, Factor a, long x, long z, Factor b, long p);

  /**
   * Sets {@code p = z + b p}, {@code s = w + b s}, {@code x += a p}, {@code r -= a s}, which is one
   * pass of conjugate gradients with a single reduction, and adds {@code conj(r)·r} to {@code out}.
   */
  void pipelinedStep(
      int n,
      Factor a,
      Factor b,
      long z,
      long w,
      long p,
      long s,
      long x,
      long r,
      PartialSums out,
      int at);

  /** Returns the largest absolute value. */
  double maxAbs(int n, long x);

  /** Returns the sum of absolute values. */
  double sumAbs(int n, long x);

  /** Adds {@code conj(x)·y}, taking every {@code stride}-th element, exactly. */
  void exactDot(int n, long x, long y, int stride, ExactSum re, ExactSum im);
}
