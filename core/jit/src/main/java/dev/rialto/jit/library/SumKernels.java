package dev.rialto.jit.library;

import static dev.rialto.jit.library.Words.words;

import dev.rialto.jit.kernel.I16;
import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.I8;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.KernelBody;

/**
 * Running sums of counts, in tiles: the sum of each tile is left, these are summed up in the same
 * way, and each tile begins with what is before it.
 */
final class SumKernels {
  static final int BLOCK = 256;

  /** The elements of a block. */
  static final int TILE = 4096;

  private static final int EACH = TILE / BLOCK;

  private SumKernels() {}

  /** Leaves the sum of each tile. */
  static KernelBody totals() {
    KernelBody.Of2<I64, I64> body =
        (Item it, I64 totals, I64 x) -> {
          long[] tile = it.sharedLongs(TILE + BLOCK);
          long[] sums = it.sharedLongs(BLOCK);
          long _ = scan(it, tile, sums, x);
          if (it.local() == BLOCK - 1) {
            totals.set(it.block(), sums[BLOCK - 1]);
          }
        };
    return body;
  }

  /** Sets elements to the sum of those up to them; before has the sums of tiles up to each. */
  static KernelBody running() {
    KernelBody.Of3<I64, I64, I64> body =
        (Item it, I64 to, I64 x, I64 before) -> {
          long[] tile = it.sharedLongs(TILE + BLOCK);
          long[] sums = it.sharedLongs(BLOCK);
          long sum = scan(it, tile, sums, x);
          if (it.block() > 0) {
            sum += before.get(it.block() - 1);
          }
          for (int k = 0; k < EACH; k++) {
            int at = place(it.local() * EACH + k);
            sum += tile[at];
            tile[at] = sum;
          }
          it.barrier();
          for (int k = 0; k < EACH; k++) {
            int at = k * BLOCK + it.local();
            if (it.block() * TILE + at < x.length()) {
              to.set(it.block() * TILE + at, tile[place(at)]);
            }
          }
        };
    return body;
  }

  /** Returns where an element of a tile is, so that items find theirs in different banks. */
  private static int place(int i) {
    return i + i / EACH;
  }

  /** Brings a tile, sums up what items up to each have, and returns what is before this one's. */
  private static long scan(Item it, long[] tile, long[] sums, I64 x) {
    int own = it.local();
    for (int k = 0; k < EACH; k++) {
      long i = it.block() * TILE + (long) k * BLOCK + own;
      tile[place(k * BLOCK + own)] = i < x.length() ? x.get(i) : 0;
    }
    it.barrier();
    long sum = 0;
    for (int k = 0; k < EACH; k++) {
      sum += tile[place(own * EACH + k)];
    }
    sums[own] = sum;
    it.barrier();
    for (int far = 1; far < BLOCK; far *= 2) {
      long left = 0;
      if (own >= far) {
        left = sums[own - far];
      }
      it.barrier();
      sums[own] += left;
      it.barrier();
    }
    return sums[own] - sum;
  }

  /** Sets 1 where there is a mark, and else 0. */
  static KernelBody marks() {
    KernelBody.Of2<I64, I8> body =
        (Item it, I64 to, I8 marks) -> to.set(it.global(), marks.get(it.global()) == 0 ? 0 : 1);
    return body;
  }

  /** Moves marked elements of so many bytes to where the running sum of marks says. */
  static KernelBody compact(int bytes) {
    return switch (bytes) {
      case 8 ->
          (KernelBody.Of4<I64, I64, I8, I64>)
              (it, to, from, marks, places) -> compact(it, words(to), words(from), marks, places);
      case 4 ->
          (KernelBody.Of4<I32, I32, I8, I64>)
              (it, to, from, marks, places) -> compact(it, words(to), words(from), marks, places);
      case 2 ->
          (KernelBody.Of4<I16, I16, I8, I64>)
              (it, to, from, marks, places) -> compact(it, words(to), words(from), marks, places);
      default ->
          (KernelBody.Of4<I8, I8, I8, I64>)
              (it, to, from, marks, places) -> compact(it, words(to), words(from), marks, places);
    };
  }

  private static void compact(Item it, Words to, Words from, I8 marks, I64 places) {
    if (marks.get(it.global()) != 0) {
      to.set(places.get(it.global()) - 1, from.get(it.global()));
    }
  }
}
