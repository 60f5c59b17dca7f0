package dev.rialto.array;

import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Integers;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.Reals;

/**
 * Kernels that scan: one combines the elements of each tile, another goes over each tile from what
 * comes before it. Both take the number of elements last.
 */
final class ScanKernels {
  private static final int BLOCK = DeviceKernels.BLOCK;

  /** Elements of an item. */
  private static final int EACH = 8;

  /** Elements of a block. */
  static final long TILE = BLOCK * EACH;

  private ScanKernels() {}

  /** Makes a kernel that combines the elements of each tile of reals. */
  static JavaKernel tiles(JavaKernels on, RealArray.Binary op, double neutral, Places from) {
    return on.kernel(
        (Item it, F64 totals, Reals x, Long count) -> {
          double[] sums = it.sharedDoubles(BLOCK);
          sums(it, x, from, count, sums, op, neutral);
          if (it.local() == BLOCK - 1) {
            totals.set(it.block(), sums[BLOCK - 1]);
          }
        });
  }

  /** Makes a kernel that combines the elements of each tile of integers. */
  static JavaKernel tilesOfIntegers(
      JavaKernels on, IntegerArray.Binary op, long neutral, Places from) {
    return on.kernel(
        (Item it, I64 totals, Integers x, Long count) -> {
          long[] sums = it.sharedLongs(BLOCK);
          sums(it, x, from, count, sums, op, neutral);
          if (it.local() == BLOCK - 1) {
            totals.set(it.block(), sums[BLOCK - 1]);
          }
        });
  }

  /** Makes a kernel that scans reals, in one memory or two. */
  static JavaKernel scan(
      JavaKernels on,
      RealArray.Binary op,
      double neutral,
      boolean before,
      Places to,
      Places from,
      boolean inPlace) {
    return inPlace
        ? on.kernel(
            (Item it, Reals z, F64 carries, Long count) ->
                scan(it, z, to, z, from, count, carries, op, neutral, before))
        : on.kernel(
            (Item it, Reals z, F64 carries, Reals x, Long count) ->
                scan(it, z, to, x, from, count, carries, op, neutral, before));
  }

  /** Makes a kernel that scans integers, in one memory or two. */
  static JavaKernel scanIntegers(
      JavaKernels on,
      IntegerArray.Binary op,
      long neutral,
      boolean before,
      Places to,
      Places from,
      boolean inPlace) {
    return inPlace
        ? on.kernel(
            (Item it, Integers z, I64 carries, Long count) ->
                scan(it, z, to, z, from, count, carries, op, neutral, before))
        : on.kernel(
            (Item it, Integers z, I64 carries, Integers x, Long count) ->
                scan(it, z, to, x, from, count, carries, op, neutral, before));
  }

  private static void scan(
      Item it,
      Reals z,
      Places to,
      Reals x,
      Places from,
      long count,
      F64 carries,
      RealArray.Binary op,
      double neutral,
      boolean before) {
    double[] sums = it.sharedDoubles(BLOCK);
    sums(it, x, from, count, sums, op, neutral);
    double all = carries.get(it.block());
    if (it.local() > 0) {
      all = op.applyAsDouble(all, sums[it.local() - 1]);
    }
    long end = Math.min(count, (it.global() + 1) * EACH);
    for (long i = it.global() * EACH; i < end; i++) {
      double next = op.applyAsDouble(all, x.get(from.of(i)));
      z.set(to.of(i), before ? all : next);
      all = next;
    }
  }

  private static void scan(
      Item it,
      Integers z,
      Places to,
      Integers x,
      Places from,
      long count,
      I64 carries,
      IntegerArray.Binary op,
      long neutral,
      boolean before) {
    long[] sums = it.sharedLongs(BLOCK);
    sums(it, x, from, count, sums, op, neutral);
    long all = carries.get(it.block());
    if (it.local() > 0) {
      all = op.applyAsLong(all, sums[it.local() - 1]);
    }
    long end = Math.min(count, (it.global() + 1) * EACH);
    for (long i = it.global() * EACH; i < end; i++) {
      long next = op.applyAsLong(all, x.get(from.of(i)));
      z.set(to.of(i), before ? all : next);
      all = next;
    }
  }

  /** Sets each item's sum to that of its elements and of those of the items before it. */
  private static void sums(
      Item it,
      Reals x,
      Places from,
      long count,
      double[] sums,
      RealArray.Binary op,
      double neutral) {
    int own = it.local();
    double sum = neutral;
    long end = Math.min(count, (it.global() + 1) * EACH);
    for (long i = it.global() * EACH; i < end; i++) {
      sum = op.applyAsDouble(sum, x.get(from.of(i)));
    }
    sums[own] = sum;
    it.barrier();
    for (int step = 1; step < BLOCK; step *= 2) {
      double left = neutral;
      if (own >= step) {
        left = sums[own - step];
      }
      it.barrier();
      sums[own] = op.applyAsDouble(left, sums[own]);
      it.barrier();
    }
  }

  private static void sums(
      Item it,
      Integers x,
      Places from,
      long count,
      long[] sums,
      IntegerArray.Binary op,
      long neutral) {
    int own = it.local();
    long sum = neutral;
    long end = Math.min(count, (it.global() + 1) * EACH);
    for (long i = it.global() * EACH; i < end; i++) {
      sum = op.applyAsLong(sum, x.get(from.of(i)));
    }
    sums[own] = sum;
    it.barrier();
    for (int step = 1; step < BLOCK; step *= 2) {
      long left = neutral;
      if (own >= step) {
        left = sums[own - step];
      }
      it.barrier();
      sums[own] = op.applyAsLong(left, sums[own]);
      it.barrier();
    }
  }
}
