package dev.rialto.jit.library;

import static dev.rialto.jit.library.Words.words;

import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.spi.data.DType;

/**
 * The kernels of a radix sort: the digits of all passes are counted at once, and then each
 * {@linkplain RadixPasses pass} reads and writes keys once. The order of equal digits stays.
 *
 * <p>Keys are compared as unsigned numbers that are in the order of the elements: integers with the
 * sign turned, and floating-point numbers with all bits turned if they are negative; NaN is last.
 */
final class SortKernels {
  static final int BLOCK = 256;

  /** The keys of a block. */
  static final int TILE = 4096;

  static final int BITS = 8;

  /** The number of digits, equal to the items of a block. */
  static final int DIGITS = 1 << BITS;

  static final int EACH = TILE / BLOCK;

  private SortKernels() {}

  static long tiles(long n) {
    return (n + TILE - 1) / TILE;
  }

  static int passes(DType type) {
    return Byte.SIZE * type.size() / BITS;
  }

  /** Returns a digit of a word of 8 or 4 bytes. */
  static int digit(long word, DType type, int pass) {
    int shift = pass * BITS;
    return switch (type) {
      case F64, I64 -> (int) (order(word, type) >>> shift) & DIGITS - 1;
      default -> order((int) word, type) >>> shift & DIGITS - 1;
    };
  }

  private static long order(long word, DType type) {
    if (type == DType.F64) {
      double value = Double.longBitsToDouble(word);
      return Double.isNaN(value) ? -1L : word ^ (word >> 63 | Long.MIN_VALUE);
    }
    return word ^ Long.MIN_VALUE;
  }

  private static int order(int word, DType type) {
    if (type == DType.F32) {
      float value = Float.intBitsToFloat(word);
      return Float.isNaN(value) ? -1 : word ^ (word >> 31 | Integer.MIN_VALUE);
    }
    return word ^ Integer.MIN_VALUE;
  }

  /**
   * Counts the digits of each pass, and sets what blocks leave for one another to zeros. Behind the
   * counts is, for each pass, which tile is next.
   */
  static KernelBody count(DType type) {
    return type.size() == 8
        ? (KernelBody.Of4<I64, I64, I64, Long>)
            (it, counts, left, keys, n) -> count(it, counts, left, words(keys), type, n)
        : (KernelBody.Of4<I64, I64, I32, Long>)
            (it, counts, left, keys, n) -> count(it, counts, left, words(keys), type, n);
  }

  private static void count(Item it, I64 counts, I64 left, Words keys, DType type, long n) {
    int passes = passes(type);
    int[] found = it.sharedInts(passes * DIGITS);
    for (int pass = 0; pass < passes; pass++) {
      found[pass * DIGITS + it.local()] = 0;
    }
    it.barrier();
    for (long tile = it.block(); tile < tiles(n); tile += it.blocks()) {
      left.set(tile * DIGITS + it.local(), 0);
      long first = tile * TILE + it.local();
      if (tile * TILE + TILE <= n) {
        for (int k = 0; k < EACH; k += 4) {
          long a = keys.get(first + (long) k * BLOCK);
          long b = keys.get(first + (long) (k + 1) * BLOCK);
          long c = keys.get(first + (long) (k + 2) * BLOCK);
          long d = keys.get(first + (long) (k + 3) * BLOCK);
          for (int pass = 0; pass < passes; pass++) {
            it.atomicAdd(found, pass * DIGITS + digit(a, type, pass), 1);
            it.atomicAdd(found, pass * DIGITS + digit(b, type, pass), 1);
            it.atomicAdd(found, pass * DIGITS + digit(c, type, pass), 1);
            it.atomicAdd(found, pass * DIGITS + digit(d, type, pass), 1);
          }
        }
      } else {
        for (long i = first; i < n; i += BLOCK) {
          long key = keys.get(i);
          for (int pass = 0; pass < passes; pass++) {
            it.atomicAdd(found, pass * DIGITS + digit(key, type, pass), 1);
          }
        }
      }
    }
    it.barrier();
    for (int pass = 0; pass < passes; pass++) {
      int at = pass * DIGITS + it.local();
      it.atomicAdd(counts, at, (long) found[at]);
    }
  }

  /**
   * Moves keys, and the values that belong to them, by the digit of a pass.
   *
   * @param bytes of a value; 0 if there are none
   */
  static KernelBody move(DType type, int bytes) {
    boolean wide = type.size() == 8;
    int widest = Math.max(type.size(), bytes);
    return switch (bytes) {
      case 0 ->
          wide
              ? (KernelBody.Of6<I64, I64, I64, I64, Integer, Long>)
                  (it, to, from, counts, left, pass, n) ->
                      new RadixPasses(counts, left, type).move(it, pass, n, words(to), words(from))
              : (KernelBody.Of6<I32, I32, I64, I64, Integer, Long>)
                  (it, to, from, counts, left, pass, n) ->
                      new RadixPasses(counts, left, type).move(it, pass, n, words(to), words(from));
      case 8 ->
          wide
              ? (KernelBody.Of8<I64, I64, I64, I64, Integer, Long, I64, I64>)
                  (it, to, from, counts, left, pass, n, out, in) ->
                      new RadixPasses(counts, left, type)
                          .move(it, pass, n, words(to), words(from), words(out), words(in), widest)
              : (KernelBody.Of8<I32, I32, I64, I64, Integer, Long, I64, I64>)
                  (it, to, from, counts, left, pass, n, out, in) ->
                      new RadixPasses(counts, left, type)
                          .move(it, pass, n, words(to), words(from), words(out), words(in), widest);
      default ->
          wide
              ? (KernelBody.Of8<I64, I64, I64, I64, Integer, Long, I32, I32>)
                  (it, to, from, counts, left, pass, n, out, in) ->
                      new RadixPasses(counts, left, type)
                          .move(it, pass, n, words(to), words(from), words(out), words(in), widest)
              : (KernelBody.Of8<I32, I32, I64, I64, Integer, Long, I32, I32>)
                  (it, to, from, counts, left, pass, n, out, in) ->
                      new RadixPasses(counts, left, type)
                          .move(it, pass, n, words(to), words(from), words(out), words(in), widest);
    };
  }
}
