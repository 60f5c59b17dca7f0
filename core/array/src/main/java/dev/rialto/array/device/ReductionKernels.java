package dev.rialto.array.device;

import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;

/**
 * Kernels that combine values in any order or find their extremes, each block into one result.
 *
 * <p>An item begins with the value of its own number. Of those behind, a block takes a chunk at a
 * time, and an item reads all its values of a chunk before it uses the first: a GPU has its memory
 * busy only while that many reads are under way.
 */
final class ReductionKernels {
  static final int BLOCK = DeviceKernels.BLOCK;

  /** Values that an item reads of a chunk. */
  private static final int EACH = 8;

  private static final int CHUNK = BLOCK * EACH;

  private ReductionKernels() {}

  /** Makes a kernel that combines values; takes the first's number and where they end. */
  static JavaKernel fold(JavaKernels on, DeviceValues.Words op, DeviceValues.At x) {
    return on.kernel(
        (Item it, I64 to, Long first, Long end) -> {
          long[] sums = it.sharedLongs(BLOCK);
          long all = x.at(first + it.global());
          long i = first + chunk(it);
          for (; i + (CHUNK - BLOCK) < end; i += it.blocks() * CHUNK) {
            long a = x.at(i);
            long b = x.at(i + BLOCK);
            long c = x.at(i + 2 * BLOCK);
            long d = x.at(i + 3 * BLOCK);
            long e = x.at(i + 4 * BLOCK);
            long f = x.at(i + 5 * BLOCK);
            long g = x.at(i + 6 * BLOCK);
            long h = x.at(i + 7 * BLOCK);
            long front = op.of(op.of(a, b), op.of(c, d));
            long back = op.of(op.of(e, f), op.of(g, h));
            all = op.of(all, op.of(front, back));
          }
          for (long stop = Math.min(end, i + CHUNK); i < stop; i += BLOCK) {
            all = op.of(all, x.at(i));
          }
          int own = it.local();
          sums[own] = all;
          it.barrier();
          for (int width = it.blockSize(); width > 1; ) {
            int half = (width + 1) / 2;
            if (own + half < width) {
              sums[own] = op.of(sums[own], sums[own + half]);
            }
            it.barrier();
            width = half;
          }
          if (own == 0) {
            to.set(it.block(), sums[0]);
          }
        });
  }

  /**
   * Makes a kernel that finds extremes; see {@link DeviceKernels#extremes}. Takes how many values
   * there are.
   */
  static JavaKernel extremes(
      JavaKernels on,
      DeviceValues.At x,
      DeviceValues.At numbers,
      boolean floating,
      boolean rising) {
    return on.kernel(
        (Item it, I64 to, Long count) -> {
          long[] found = it.sharedLongs(4 * BLOCK);
          ExtremesSoFar so = new ExtremesSoFar(floating, rising, x.at(it.global()), it.global());
          long i = chunk(it);
          for (; i + (CHUNK - BLOCK) < count; i += it.blocks() * CHUNK) {
            long a = x.at(i);
            long b = x.at(i + BLOCK);
            long c = x.at(i + 2 * BLOCK);
            long d = x.at(i + 3 * BLOCK);
            long e = x.at(i + 4 * BLOCK);
            long f = x.at(i + 5 * BLOCK);
            long g = x.at(i + 6 * BLOCK);
            long h = x.at(i + 7 * BLOCK);
            so.add(a, i, numbers);
            so.add(b, i + BLOCK, numbers);
            so.add(c, i + 2 * BLOCK, numbers);
            so.add(d, i + 3 * BLOCK, numbers);
            so.add(e, i + 4 * BLOCK, numbers);
            so.add(f, i + 5 * BLOCK, numbers);
            so.add(g, i + 6 * BLOCK, numbers);
            so.add(h, i + 7 * BLOCK, numbers);
          }
          for (long stop = Math.min(count, i + CHUNK); i < stop; i += BLOCK) {
            so.add(x.at(i), i, numbers);
          }
          so.leave(found, it.local(), numbers);
          combine(it, found, to);
        });
  }

  /**
   * Makes a kernel that finds extremes of values of at most 4 bytes, whose numbers rise. Of a chunk
   * it keeps the least and the greatest key; which value that was is seen at the end.
   */
  static JavaKernel narrowExtremes(
      JavaKernels on, DeviceValues.At x, DeviceValues.At numbers, boolean floating) {
    return on.kernel(
        (Item it, I64 to, Long count) -> {
          long[] found = it.sharedLongs(4 * BLOCK);
          long i = it.global();
          NarrowExtremes so = new NarrowExtremes(floating, x.at(i), i);
          i = chunk(it);
          for (; i + (CHUNK - BLOCK) < count; i += it.blocks() * CHUNK) {
            int a = so.key(x.at(i));
            int b = so.key(x.at(i + BLOCK));
            int c = so.key(x.at(i + 2 * BLOCK));
            int d = so.key(x.at(i + 3 * BLOCK));
            int e = so.key(x.at(i + 4 * BLOCK));
            int f = so.key(x.at(i + 5 * BLOCK));
            int g = so.key(x.at(i + 6 * BLOCK));
            int h = so.key(x.at(i + 7 * BLOCK));
            int low =
                Math.min(
                    Math.min(Math.min(a, b), Math.min(c, d)),
                    Math.min(Math.min(e, f), Math.min(g, h)));
            int high =
                Math.max(
                    Math.max(Math.max(a, b), Math.max(c, d)),
                    Math.max(Math.max(e, f), Math.max(g, h)));
            so.add(low, high, i);
          }
          for (long stop = Math.min(count, i + CHUNK); i < stop; i += BLOCK) {
            int key = so.key(x.at(i));
            so.add(key, key, i);
          }
          so.leave(found, it.local(), x, numbers);
          combine(it, found, to);
        });
  }

  /** Combines what the items of a block have found, and leaves it. */
  private static void combine(Item it, long[] found, I64 to) {
    int own = it.local();
    it.barrier();
    for (int width = it.blockSize(); width > 1; ) {
      int half = (width + 1) / 2;
      if (own + half < width) {
        ExtremesSoFar.combine(found, own, own + half);
      }
      it.barrier();
      width = half;
    }
    if (own == 0) {
      for (int k = 0; k < 4; k++) {
        to.set(4 * it.block() + k, found[k]);
      }
    }
  }

  /** Returns where the chunks of an item begin: behind the values that items begin with. */
  private static long chunk(Item it) {
    return it.globalSize() + it.block() * CHUNK + it.local();
  }
}
