package dev.rialto.array.device;

import dev.rialto.array.part.Places;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Integers;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.Reals;

/**
 * Kernels that combine values in their order: one those of each tile, another goes over each tile
 * from what comes before it. No neutral value is needed, so that any associative operator will do.
 */
public final class ScanKernels {
  private static final int BLOCK = DeviceKernels.BLOCK;

  /** Elements of an item. */
  private static final int EACH = 8;

  /** Elements of a block. */
  static final long TILE = BLOCK * EACH;

  private ScanKernels() {}

  /** Returns how many tiles there are. */
  static long tiles(long count) {
    return (count + TILE - 1) / TILE;
  }

  /** Makes a kernel that combines the values of each tile; takes their number last. */
  static JavaKernel tiles(JavaKernels on, DeviceValues.Words op, DeviceValues.At values) {
    return on.kernel(
        (Item it, I64 totals, Long count) -> {
          long[] sums = it.sharedLongs(BLOCK);
          int filled = sums(it, values, count, sums, op);
          if (it.local() == filled - 1) {
            totals.set(it.block(), sums[filled - 1]);
          }
        });
  }

  /** Makes a kernel that combines the results of {@link #tiles} in tiles. */
  static JavaKernel tilesAgain(JavaKernels on, DeviceValues.Words op) {
    return on.kernel(
        (Item it, I64 totals, I64 x, Long count) -> {
          long[] sums = it.sharedLongs(BLOCK);
          int filled = sums(it, n -> x.get(n), count, sums, op);
          if (it.local() == filled - 1) {
            totals.set(it.block(), sums[filled - 1]);
          }
        });
  }

  /**
   * Makes a kernel that scans reals. Takes what comes before each tile, in how many of them nothing
   * does, 0 or 1, and the number of elements.
   */
  static JavaKernel reals(
      JavaKernels on, DeviceValues.Words op, boolean before, Places to, DeviceValues.At values) {
    return on.kernel(
        (Item it, Reals z, I64 carries, Long without, Long count) -> {
          long all = start(it, values, count, carries, without, op);
          long first = it.global() * EACH;
          long end = Math.min(count, first + EACH);
          for (long i = first; i < end; i++) {
            boolean begins = i == 0 && without > 0;
            long next = begins ? values.at(i) : op.of(all, values.at(i));
            z.set(to.of(i), Double.longBitsToDouble(before ? all : next));
            all = next;
          }
        });
  }

  /** Makes a kernel that scans integers; see {@link #reals}. */
  static JavaKernel integers(
      JavaKernels on, DeviceValues.Words op, boolean before, Places to, DeviceValues.At values) {
    return on.kernel(
        (Item it, Integers z, I64 carries, Long without, Long count) -> {
          long all = start(it, values, count, carries, without, op);
          long first = it.global() * EACH;
          long end = Math.min(count, first + EACH);
          for (long i = first; i < end; i++) {
            boolean begins = i == 0 && without > 0;
            long next = begins ? values.at(i) : op.of(all, values.at(i));
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
      long without,
      DeviceValues.Words op) {
    long[] sums = it.sharedLongs(BLOCK);
    int filled = sums(it, values, count, sums, op);
    long carry = carries.get(it.block());
    if (it.local() > 0 && it.local() < filled) {
      long left = sums[it.local() - 1];
      carry = it.block() < without ? left : op.of(carry, left);
    }
    return carry;
  }

  /**
   * Sets each item's sum to that of its elements and of those of the items before it.
   *
   * @return how many items have elements
   */
  private static int sums(
      Item it, DeviceValues.At values, long count, long[] sums, DeviceValues.Words op) {
    int own = it.local();
    long first = it.global() * EACH;
    long end = Math.min(count, first + EACH);
    long items = (count - it.block() * TILE + EACH - 1) / EACH;
    int filled = (int) Math.min(BLOCK, items);
    long sum = 0;
    if (first < end) {
      sum = values.at(first);
      for (long i = first + 1; i < end; i++) {
        sum = op.of(sum, values.at(i));
      }
    }
    sums[own] = sum;
    it.barrier();
    for (int step = 1; step < BLOCK; step *= 2) {
      boolean has = own >= step && own < filled;
      long both = sum;
      if (has) {
        both = op.of(sums[own - step], sum);
      }
      it.barrier();
      sum = both;
      sums[own] = sum;
      it.barrier();
    }
    return filled;
  }
}
