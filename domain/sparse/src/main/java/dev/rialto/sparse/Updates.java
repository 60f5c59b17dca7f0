package dev.rialto.sparse;

import dev.rialto.sparse.local.Factor;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.VectorKernels;

/**
 * Updates of several vectors in one pass, as solvers need them, with the sum that comes along: each
 * adds this rank's part of it to a sum of {@code out}.
 */
public final class Updates {
  private Updates() {}

  /** Returns where a loop may add its sum: not where elements count that others own too. */
  private static PartialSums whole(MultiVector vector, PartialSums out) {
    return vector.map().copies().length == 0 ? out : PartialSums.NONE;
  }

  /** Adds what {@link #whole} kept a loop from adding. */
  private static void add(MultiVector x, MultiVector y, PartialSums out, int at) {
    if (x.map().copies().length > 0 && !out.equals(PartialSums.NONE)) {
      x.addDot(y, out, at);
    }
  }

  /** Sets {@code z = d x}, element by element, and sums up {@code conj(x)·z}. */
  public static void multiplyDot(
      MultiVector d, MultiVector x, MultiVector z, PartialSums out, int at) {
    z.kernels()
        .scale(
            z.count(),
            z.checked(d).address(),
            z.checked(x).address(),
            z.writable(),
            whole(z, out),
            at);
    add(x, z, out, at);
  }

  /** Sets {@code x += a p} and {@code r -= a q}. */
  public static void conjugateStep(
      Factor a, MultiVector p, MultiVector q, MultiVector x, MultiVector r) {
    Element.checkKind(x.type(), a);
    x.kernels()
        .conjugateStep(
            x.count(),
            a,
            x.checked(p).address(),
            x.checked(q).address(),
            x.writable(),
            x.checked(r).writable(),
            PartialSums.NONE,
            0);
  }

  /** Sets {@code r -= a q} and sums up |r|². */
  public static void subtractDot(Factor a, MultiVector q, MultiVector r, PartialSums out, int at) {
    Element.checkKind(r.type(), a);
    r.kernels().subtractDot(r.count(), a, r.checked(q).address(), r.writable(), whole(r, out), at);
    add(r, r, out, at);
  }

  /** Sets {@code x += a p} and then {@code p = z + b p}. */
  public static void nextDirection(
      Factor a, MultiVector x, MultiVector z, Factor b, MultiVector p) {
    Element.checkKind(x.type(), a);
    Element.checkKind(x.type(), b);
    x.kernels()
        .nextDirection(
            x.count(), a, x.writable(), x.checked(z).address(), b, x.checked(p).writable());
  }

  /** Updates p, s, x and r as {@link VectorKernels#pipelinedStep} says, and sums up |r|². */
  public static void pipelinedStep(
      Factor a,
      Factor b,
      MultiVector z,
      MultiVector w,
      MultiVector p,
      MultiVector s,
      MultiVector x,
      MultiVector r,
      PartialSums out,
      int at) {
    Element.checkKind(x.type(), a);
    Element.checkKind(x.type(), b);
    x.kernels()
        .pipelinedStep(
            x.count(),
            a,
            b,
            x.checked(z).address(),
            x.checked(w).address(),
            x.checked(p).writable(),
            x.checked(s).writable(),
            x.writable(),
            x.checked(r).writable(),
            whole(r, out),
            at);
    add(r, r, out, at);
  }
}
