package dev.rialto.array;

import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Integers;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.Reals;

/**
 * Kernels that scan: one combines the values of each tile, another goes over each tile from what
 * comes before it. Both take the number of elements last.
 */
final class ScanKernels {
  private static final int BLOCK = DeviceKernels.BLOCK;

  /** Elements of an item. */
  private static final int EACH = 8;

  /** Elements of a block. */
  static final long TILE = BLOCK * EACH;

  private ScanKernels() {}

  /** Makes a kernel that combines the values of each tile. */
  static JavaKernel tiles(
      JavaKernels on, DeviceValues.Words op, long neutral, DeviceValues.At values) {
    return on.kernel(
        (Item it, I64 totals, Long count) -> {
          long[] sums = it.sharedLongs(BLOCK);
          sums(it, values, count, sums, op, neutral);
          if (it.local() == BLOCK - 1) {
            totals.set(it.block(), sums[BLOCK - 1]);
          }
        });
  }

  /** Makes a kernel that scans reals. */
  static JavaKernel reals(
      JavaKernels on,
      DeviceValues.Words op,
      long neutral,
      boolean before,
      Places to,
      DeviceValues.At values) {
    return on.kernel(
        (Item it, Reals z, I64 carries, Long count) -> {
          long all = start(it, values, count, carries, op, neutral);
          long end = Math.min(count, (it.global() + 1) * EACH);
          for (long i = it.global() * EACH; i < end; i++) {
            long next = op.of(all, values.at(i));
            z.set(to.of(i), Double.longBitsToDouble(before ? all : next));
            all = next;
          }
        });
  }

  /** Makes a kernel that scans integers. */
  static JavaKernel integers(
      JavaKernels on,
      DeviceValues.Words op,
      long neutral,
      boolean before,
      Places to,
      DeviceValues.At values) {
    return on.kernel(
        (Item it, Integers z, I64 carries, Long count) -> {
          long all = start(it, values, count, carries, op, neutral);
          long end = Math.min(count, (it.global() + 1) * EACH);
          for (long i = it.global() * EACH; i < end; i++) {
            long next = op.of(all, values.at(i));
            z.set(to.of(i), before ? all : next);
            all = next;
          }
        });
  }

  /** Returns what comes before an item's elements. */
  private static long start(
      Item it,
      DeviceValues.At values,
      long count,
      I64 carries,
      DeviceValues.Words op,
      long neutral) {
    long[] sums = it.sharedLongs(BLOCK);
    sums(it, values, count, sums, op, neutral);
    long all = carries.get(it.block());
    if (it.local() > 0) {
      all = op.of(all, sums[it.local() - 1]);
    }
    return all;
  }

  /** Sets each item's sum to that of its elements and of those of the items before it. */
  private static void sums(
      Item it,
      DeviceValues.At values,
      long count,
      long[] sums,
      DeviceValues.Words op,
      long neutral) {
    int own = it.local();
    long sum = neutral;
    long end = Math.min(count, (it.global() + 1) * EACH);
    for (long i = it.global() * EACH; i < end; i++) {
      sum = op.of(sum, values.at(i));
    }
    sums[own] = sum;
    it.barrier();
    for (int step = 1; step < BLOCK; step *= 2) {
      long left = neutral;
      if (own >= step) {
        left = sums[own - step];
      }
      it.barrier();
      sums[own] = op.of(left, sums[own]);
      it.barrier();
    }
  }
}
