package dev.rialto.sparse.device;

import dev.rialto.sparse.device.DeviceNumbers.DeviceVariable;
import dev.rialto.sparse.device.DeviceNumbers.Negated;
import dev.rialto.sparse.device.DeviceNumbers.Operation;
import dev.rialto.sparse.device.SparseKernels.Region;
import dev.rialto.sparse.device.VectorBodies.Sum;
import dev.rialto.sparse.local.ExactSum;
import dev.rialto.sparse.local.Factor;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.VectorKernels;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The loops over vectors by kernels of a device.
 *
 * <p>Factors may be variables there, which end all updates by them when their method ends. A sum
 * stays there if its place is; else it is waited for.
 */
public final class DeviceVectors implements VectorKernels {
  private final SparseKernels kernels;
  private final DType type;

  /** Makes loops for a type, F32 or F64. */
  public DeviceVectors(SparseKernels kernels, DType type) {
    if (type != DType.F64 && type != DType.F32) {
      throw new UnsupportedOperationException(
          "vectors of %s on %s; choose F32 or F64"
              .formatted(type, kernels.client().device().name()));
    }
    this.kernels = kernels;
    this.type = type;
  }

  private Region at(long address, long n) {
    return Region.of(address, type, n);
  }

  /** Returns the number that a factor is a multiple of; null if the caller knows the factor. */
  private static @Nullable DeviceVariable number(Factor factor) {
    return switch (factor) {
      case DeviceVariable number -> number;
      case Negated negated -> negated.number();
      default -> null;
    };
  }

  /** Returns a factor, or what its number is multiplied by. */
  private static double value(Factor factor) {
    return switch (factor) {
      case DeviceVariable _ -> 1;
      case Negated _ -> -1;
      default -> factor.re();
    };
  }

  private static Factor negative(Factor factor) {
    return switch (factor) {
      case DeviceVariable number -> number.negated();
      case Negated negated -> negated.number();
      default -> Scalar.of(-factor.re());
    };
  }

  /** Returns the numbers that factors are some of, all their steps being under way. */
  private DeviceNumbers numbers(PartialSums out, Factor... factors) {
    for (Factor factor : factors) {
      DeviceVariable number = number(factor);
      if (number != null) {
        number.numbers().flush();
        return number.numbers();
      }
    }
    return out instanceof DeviceNumbers.Parts products ? products.numbers() : kernels.answers();
  }

  private static long places(Factor... factors) {
    long places = 0;
    for (int i = 0; i < factors.length; i++) {
      DeviceVariable number = number(factors[i]);
      if (number != null) {
        places |= word(number.place(), i);
      }
    }
    return places;
  }

  private static long word(int place, int which) {
    return (long) (place + 1) << (which * VectorBodies.PLACE_BITS);
  }

  /** A launch whose blocks leave parts of a sum. */
  private interface Summing {
    void launch(Region numbers, int parts, long items);
  }

  /** Sums up: into a place on the device, or for the caller who waits. */
  private void sum(
      Operation operation, DeviceNumbers numbers, long n, PartialSums out, int at, Summing kernel) {
    int blocks = kernels.summingBlocks(n);
    boolean stays =
        out instanceof DeviceNumbers.Parts products && products.numbers().equals(numbers);
    int to =
        out instanceof DeviceNumbers.Parts products && stays
            ? products.place(at)
            : DeviceNumbers.ANSWER;
    int parts = numbers.parts();
    kernel.launch(numbers.all(), parts, (long) blocks * SparseKernels.BLOCK);
    numbers.sum(operation, to, parts, blocks);
    if (!stays) {
      numbers.look();
      out.add(at, numbers.get(to), 0);
    }
  }

  private void reduce(Sum sum, long n, long x, long y, int stride, PartialSums out, int at) {
    long span = n == 0 ? 0 : (n - 1) * stride + 1;
    sum(
        sum == Sum.LARGEST ? Operation.LARGEST : Operation.SUM,
        numbers(out),
        n,
        out,
        at,
        (all, parts, items) ->
            kernels.launch(
                type,
                List.of("reduce", sum),
                () -> VectorBodies.reduce(sum),
                items,
                all,
                at(x, span),
                at(y, span),
                n,
                (long) stride,
                (long) parts));
  }

  private double reduce(Sum sum, int n, long x) {
    double[] result = new double[2];
    reduce(sum, n, x, x, 1, PartialSums.into(result), 0);
    return result[0];
  }

  @Override
  public void fill(long x, int n, Scalar value) {
    kernels.launch(type, List.of("fill"), VectorBodies::fill, n, at(x, n), value.re());
  }

  @Override
  public void axpby(int n, Factor a, long x, Factor b, long y) {
    axpbypcz(n, a, x, Scalar.ZERO, x, b, y);
  }

  @Override
  public void axpbypcz(int n, Factor a, long x, Factor b, long y, Factor c, long z) {
    List<Object> arguments = apart(z, n, x, y);
    arguments.add(numbers(PartialSums.NONE, a, b, c).all());
    arguments.addAll(List.of(value(a), value(b), value(c), places(a, b, c)));
    kernels.launch(
        type,
        List.of("combine", x == z, y == z),
        () -> VectorBodies.combine(x == z, y == z),
        n,
        arguments.toArray());
  }

  /** Returns the vector that a kernel writes, and those that it reads and that are not the same. */
  private List<Object> apart(long written, int n, long... read) {
    List<Object> regions = new ArrayList<>();
    regions.add(at(written, n));
    for (long each : read) {
      if (each != written) {
        regions.add(at(each, n));
      }
    }
    return regions;
  }

  @Override
  public void scale(int n, long d, long x, long z, PartialSums out, int at) {
    kernels.launch(
        type,
        List.of("multiply", d == z, x == z),
        () -> VectorBodies.multiply(d == z, x == z),
        n,
        apart(z, n, d, x).toArray());
    if (!out.equals(PartialSums.NONE)) {
      dot(n, x, z, 1, out, at);
    }
  }

  @Override
  public void dot(int n, long x, long y, int stride, PartialSums out, int at) {
    reduce(Sum.DOT, n, x, y, stride, out, at);
  }

  @Override
  public void dotBlock(int from, int to, long x, long y, double[] lanes) {
    throw new UnsupportedOperationException("partial sums on " + kernels.client().device().name());
  }

  @Override
  public void conjugateStep(
      int n, Factor a, long p, long q, long x, long r, PartialSums out, int at) {
    axpby(n, a, p, Scalar.ONE, x);
    subtractDot(n, a, q, r, out, at);
  }

  @Override
  public void subtractDot(int n, Factor a, long q, long r, PartialSums out, int at) {
    if (out.equals(PartialSums.NONE)) {
      axpby(n, negative(a), q, Scalar.ONE, r);
      return;
    }
    sum(
        Operation.SUM,
        numbers(out, a),
        n,
        out,
        at,
        (all, parts, items) ->
            kernels.launch(
                type,
                List.of("subtract"),
                VectorBodies::subtractDot,
                items,
                at(r, n),
                at(q, n),
                all,
                value(a),
                places(a) | word(parts, 1)));
  }

  @Override
  public void nextDirection(int n, Factor a, long x, long z, Factor b, long p) {
    kernels.launch(
        type,
        List.of("direction"),
        VectorBodies::direction,
        n,
        at(x, n),
        at(p, n),
        at(z, n),
        numbers(PartialSums.NONE, a, b).all(),
        value(a),
        value(b),
        places(a, b));
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
    if (!(a instanceof DeviceVariable) || !(b instanceof DeviceVariable)) {
      axpby(n, Scalar.ONE, z, b, p);
      axpby(n, Scalar.ONE, w, b, s);
      axpby(n, a, p, Scalar.ONE, x);
      subtractDot(n, a, s, r, out, at);
      return;
    }
    boolean same = z == r;
    sum(
        Operation.SUM,
        numbers(out, a),
        n,
        out,
        at,
        (all, parts, items) -> {
          long places = places(a, b) | word(parts, 2);
          List<Object> name = List.of("step", same);
          if (same) {
            kernels.launch(
                type,
                name,
                () -> VectorBodies.step(true),
                items,
                at(p, n),
                at(s, n),
                at(x, n),
                at(r, n),
                at(w, n),
                all,
                places);
          } else {
            kernels.launch(
                type,
                name,
                () -> VectorBodies.step(false),
                items,
                at(p, n),
                at(s, n),
                at(x, n),
                at(r, n),
                at(w, n),
                at(z, n),
                all,
                places);
          }
        });
  }

  @Override
  public double maxAbs(int n, long x) {
    return reduce(Sum.LARGEST, n, x);
  }

  @Override
  public double sumAbs(int n, long x) {
    return reduce(Sum.ABSOLUTE, n, x);
  }

  @Override
  public void exactDot(int n, long x, long y, int stride, ExactSum re, ExactSum im) {
    throw new UnsupportedOperationException(
        "reproducible sums on %s; solve on the host for those"
            .formatted(kernels.client().device().name()));
  }
}
