package dev.rialto.sparse;

import dev.rialto.sparse.local.ExactSum;
import dev.rialto.sparse.local.Factor;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.VectorKernels;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.SparseKernels;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;

/**
 * The loops over vectors by kernels of a device.
 *
 * <p>Factors may be variables there, which end all updates by them when their method ends. A sum
 * stays there if its place is; else it is waited for.
 */
final class DeviceVectors implements VectorKernels {
  private final SparseDevice home;
  private final DType type;
  private final SparseKernels kernels;
  private final Stream stream;

  DeviceVectors(SparseDevice home, DType type) {
    if (type != DType.F64 && type != DType.F32) {
      throw new UnsupportedOperationException(
          "vectors of " + type + " on " + home.device().name() + "; choose F32 or F64");
    }
    this.home = home;
    this.type = type;
    this.kernels = home.kernels();
    this.stream = home.stream();
  }

  private static MemorySegment at(long address) {
    return MemorySegment.ofAddress(address);
  }

  /** Returns a factor as kernels take it, all steps that it depends on being under way. */
  private static SparseKernels.Factor factor(Factor factor) {
    return switch (factor) {
      case DeviceNumbers.DeviceVariable number -> number.times(1);
      case DeviceNumbers.Negated negated -> negated.number().times(-1);
      default -> SparseKernels.Factor.of(factor.re());
    };
  }

  /** Returns the numbers that factors are variables of; none if they are known. */
  private static MemorySegment numbers(Factor... factors) {
    for (Factor factor : factors) {
      if (factor instanceof DeviceNumbers.DeviceVariable number) {
        return number.all();
      }
      if (factor instanceof DeviceNumbers.Negated negated) {
        return negated.number().all();
      }
    }
    return MemorySegment.NULL;
  }

  /** Returns where a kernel leaves a sum: its place on the device, or where the host reads it. */
  private MemorySegment place(PartialSums out, int at) {
    return out instanceof DeviceNumbers.Parts parts ? parts.place(at) : home.answer();
  }

  /** Gives a sum to who waits for it, if it has no place on the device. */
  private void deliver(PartialSums out, int at) {
    if (!(out instanceof DeviceNumbers.Parts) && !out.equals(PartialSums.NONE)) {
      out.add(at, home.awaitAnswer(), 0);
    }
  }

  private double reduce(SparseKernels.Sum sum, int n, long x) {
    kernels.reduce(sum, type, n, at(x), at(x), 1, home.answer(), stream);
    return home.awaitAnswer();
  }

  @Override
  public void fill(long x, int n, Scalar value) {
    kernels.fill(type, n, value.re(), at(x), stream);
  }

  @Override
  public void axpby(int n, Factor a, long x, Factor b, long y) {
    axpbypcz(n, a, x, Scalar.ZERO, x, b, y);
  }

  @Override
  public void axpbypcz(int n, Factor a, long x, Factor b, long y, Factor c, long z) {
    kernels.combine(
        type, n, factor(a), at(x), factor(b), at(y), factor(c), at(z), numbers(a, b, c), stream);
  }

  @Override
  public void scale(int n, long d, long x, long z, PartialSums out, int at) {
    kernels.multiply(type, n, at(d), at(x), at(z), stream);
    if (!out.equals(PartialSums.NONE)) {
      dot(n, x, z, 1, out, at);
    }
  }

  @Override
  public void dot(int n, long x, long y, int stride, PartialSums out, int at) {
    kernels.reduce(SparseKernels.Sum.DOT, type, n, at(x), at(y), stride, place(out, at), stream);
    deliver(out, at);
  }

  @Override
  public void dotBlock(int from, int to, long x, long y, double[] lanes) {
    throw new UnsupportedOperationException("partial sums on " + home.device().name());
  }

  @Override
  public void conjugateStep(
      int n, Factor a, long p, long q, long x, long r, PartialSums out, int at) {
    axpby(n, a, p, Scalar.ONE, x);
    subtractDot(n, a, q, r, out, at);
  }

  @Override
  public void subtractDot(int n, Factor a, long q, long r, PartialSums out, int at) {
    kernels.subtractDot(type, n, factor(a), at(q), at(r), place(out, at), numbers(a), stream);
    deliver(out, at);
  }

  @Override
  public void nextDirection(int n, Factor a, long x, long z, Factor b, long p) {
    kernels.nextDirection(
        type, n, factor(a), at(x), at(z), factor(b), at(p), numbers(a, b), stream);
  }

  @Override
  public void pipelinedStep(
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
      int at) {
    kernels.pipelinedStep(
        type,
        n,
        factor(a),
        factor(b),
        at(z),
        at(w),
        at(p),
        at(s),
        at(x),
        at(r),
        place(out, at),
        numbers(a, b),
        stream);
    deliver(out, at);
  }

  @Override
  public double maxAbs(int n, long x) {
    return reduce(SparseKernels.Sum.LARGEST, n, x);
  }

  @Override
  public double sumAbs(int n, long x) {
    return reduce(SparseKernels.Sum.ABSOLUTE, n, x);
  }

  @Override
  public void exactDot(int n, long x, long y, int stride, ExactSum re, ExactSum im) {
    throw new UnsupportedOperationException(
        "reproducible sums on " + home.device().name() + "; solve on the host for those");
  }
}
