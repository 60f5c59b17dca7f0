package dev.rialto.sparse;

import dev.rialto.sparse.local.ExactSum;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.VectorKernels;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.SparseKernels;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;

/**
 * The loops over vectors by kernels of a device. Loops are not fused here, and a sum is waited for:
 * what must be fast has kernels of its own, see {@link DeviceMatrix}.
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

  private void combine(int n, double a, long x, double b, long y, double c, long z) {
    kernels.combine(type, n, a, at(x), b, at(y), c, at(z), stream);
  }

  private double reduce(SparseKernels.Sum sum, int n, long x, long y, int stride) {
    return home.sum(out -> kernels.reduce(sum, type, n, at(x), at(y), stride, out, stream));
  }

  @Override
  public void fill(long x, int n, Scalar value) {
    kernels.fill(type, n, value.re(), at(x), stream);
  }

  @Override
  public void axpby(int n, Scalar a, long x, Scalar b, long y) {
    combine(n, a.re(), x, 0, x, b.re(), y);
  }

  @Override
  public void axpbypcz(int n, Scalar a, long x, Scalar b, long y, Scalar c, long z) {
    combine(n, a.re(), x, b.re(), y, c.re(), z);
  }

  @Override
  public void scale(int n, long d, long x, long z, double[] out, int at) {
    kernels.multiply(type, n, at(d), at(x), at(z), stream);
    dot(n, x, z, 1, out, at);
  }

  @Override
  public void dot(int n, long x, long y, int stride, double[] out, int at) {
    out[at] += reduce(SparseKernels.Sum.DOT, n, x, y, stride);
  }

  @Override
  public void dotBlock(int from, int to, long x, long y, double[] lanes) {
    lanes[0] +=
        reduce(SparseKernels.Sum.DOT, to - from, x + type.bytes(from), y + type.bytes(from), 1);
  }

  @Override
  public void conjugateStep(int n, Scalar a, long p, long q, long x, long r, double[] out, int at) {
    combine(n, a.re(), p, 0, p, 1, x);
    subtractDot(n, a, q, r, out, at);
  }

  @Override
  public void subtractDot(int n, Scalar a, long q, long r, double[] out, int at) {
    combine(n, -a.re(), q, 0, q, 1, r);
    dot(n, r, r, 1, out, at);
  }

  @Override
  public void nextDirection(int n, Scalar a, long x, long z, Scalar b, long p) {
    combine(n, a.re(), p, 0, p, 1, x);
    combine(n, 1, z, 0, z, b.re(), p);
  }

  @Override
  public void pipelinedStep(
      int n, Scalar a, Scalar b, long z, long w, long p, long s, long x, long r) {
    combine(n, 1, z, 0, z, b.re(), p);
    combine(n, 1, w, 0, w, b.re(), s);
    combine(n, a.re(), p, 0, p, 1, x);
    combine(n, -a.re(), s, 0, s, 1, r);
  }

  @Override
  public double maxAbs(int n, long x) {
    return reduce(SparseKernels.Sum.LARGEST, n, x, x, 1);
  }

  @Override
  public double sumAbs(int n, long x) {
    return reduce(SparseKernels.Sum.ABSOLUTE, n, x, x, 1);
  }

  @Override
  public void exactDot(int n, long x, long y, int stride, ExactSum re, ExactSum im) {
    throw new UnsupportedOperationException(
        "reproducible sums on " + home.device().name() + "; solve on the host for those");
  }
}
