package dev.rialto.jit.library;

import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.spi.data.DType;

/**
 * The passes of a radix sort: the digits of each block's keys are counted, and once it is known
 * where those of a block begin, keys go there. The order of equal digits stays.
 *
 * <p>Keys are compared as unsigned numbers that are in the order of the elements: integers with the
 * sign turned, and floating-point numbers with all bits turned if they are negative; NaN is last.
 */
final class SortKernels {
  /** The items of a block. */
  static final int BLOCK = 256;

  /** The keys of a block. */
  static final int TILE = 4096;

  /** The bits of a digit. */
  static final int BITS = 4;

  /** How many digits there are. */
  static final int DIGITS = 1 << BITS;

  private static final int EACH = TILE / BLOCK;

  private SortKernels() {}

  private static long order(long word, DType type) {
    return switch (type) {
      case F64 -> {
        double value = Double.longBitsToDouble(word);
        yield Double.isNaN(value) ? -1L : word ^ (word >> 63 | Long.MIN_VALUE);
      }
      case F32 -> {
        int bits = (int) word;
        float value = Float.intBitsToFloat(bits);
        yield Float.isNaN(value) ? -1L : bits ^ (bits >> 31 | Integer.MIN_VALUE);
      }
      case I64 -> word ^ Long.MIN_VALUE;
      default -> word ^ Integer.MIN_VALUE;
    };
  }

  private static int digit(Words keys, long i, DType type, int shift) {
    return (int) (order(keys.get(i), type) >>> shift) & (DIGITS - 1);
  }

  /** Counts digits: those of a value lie together, block by block. */
  static KernelBody count(DType type) {
    return type.size() == 8
        ? (KernelBody.Of4<I64, I64, Integer, Long>)
            (Item it, I64 counts, I64 keys, Integer shift, Long n) ->
                count(it, counts, new Words.Eight(keys), type, shift, n)
        : (KernelBody.Of4<I64, I32, Integer, Long>)
            (Item it, I64 counts, I32 keys, Integer shift, Long n) ->
                count(it, counts, new Words.Four(keys), type, shift, n);
  }

  private static void count(Item it, I64 counts, Words keys, DType type, int shift, long n) {
    int[] found = it.sharedInts(DIGITS);
    if (it.local() < DIGITS) {
      found[it.local()] = 0;
    }
    it.barrier();
    long first = it.block() * TILE;
    for (int k = it.local(); k < TILE; k += BLOCK) {
      if (first + k < n) {
        it.atomicAdd(found, digit(keys, first + k, type, shift), 1);
      }
    }
    it.barrier();
    if (it.local() < DIGITS) {
      counts.set(it.local() * it.blocks() + it.block(), found[it.local()]);
    }
  }

  /**
   * Moves keys, and the values that belong to them, to where the counts before theirs end.
   *
   * @param bytes of a value; 0 if there are none
   */
  static KernelBody move(DType type, int bytes) {
    boolean wide = type.size() == 8;
    return switch (bytes) {
      case 0 ->
          wide
              ? (KernelBody.Of5<I64, I64, I64, Integer, Long>)
                  (Item it, I64 to, I64 from, I64 ends, Integer shift, Long n) ->
                      move(it, new Words.Eight(to), new Words.Eight(from), ends, type, shift, n)
              : (KernelBody.Of5<I32, I32, I64, Integer, Long>)
                  (Item it, I32 to, I32 from, I64 ends, Integer shift, Long n) ->
                      move(it, new Words.Four(to), new Words.Four(from), ends, type, shift, n);
      case 8 ->
          wide
              ? (KernelBody.Of7<I64, I64, I64, Integer, Long, I64, I64>)
                  (Item it, I64 to, I64 from, I64 ends, Integer shift, Long n, I64 out, I64 in) ->
                      move(
                          it,
                          new Words.Eight(to),
                          new Words.Eight(from),
                          ends,
                          type,
                          shift,
                          n,
                          new Words.Eight(out),
                          new Words.Eight(in))
              : (KernelBody.Of7<I32, I32, I64, Integer, Long, I64, I64>)
                  (Item it, I32 to, I32 from, I64 ends, Integer shift, Long n, I64 out, I64 in) ->
                      move(
                          it,
                          new Words.Four(to),
                          new Words.Four(from),
                          ends,
                          type,
                          shift,
                          n,
                          new Words.Eight(out),
                          new Words.Eight(in));
      default ->
          wide
              ? (KernelBody.Of7<I64, I64, I64, Integer, Long, I32, I32>)
                  (Item it, I64 to, I64 from, I64 ends, Integer shift, Long n, I32 out, I32 in) ->
                      move(
                          it,
                          new Words.Eight(to),
                          new Words.Eight(from),
                          ends,
                          type,
                          shift,
                          n,
                          new Words.Four(out),
                          new Words.Four(in))
              : (KernelBody.Of7<I32, I32, I64, Integer, Long, I32, I32>)
                  (Item it, I32 to, I32 from, I64 ends, Integer shift, Long n, I32 out, I32 in) ->
                      move(
                          it,
                          new Words.Four(to),
                          new Words.Four(from),
                          ends,
                          type,
                          shift,
                          n,
                          new Words.Four(out),
                          new Words.Four(in));
    };
  }

  private static void move(Item it, Words to, Words from, I64 ends, DType type, int shift, long n) {
    long[] places = it.sharedLongs(DIGITS * BLOCK);
    place(it, places, it.sharedLongs(BLOCK), from, ends, type, shift, n);
    long first = it.global() * EACH;
    for (long i = first; i < Math.min(n, first + EACH); i++) {
      int at = digit(from, i, type, shift) * BLOCK + it.local();
      to.set(places[at], from.get(i));
      places[at]++;
    }
  }

  private static void move(
      Item it, Words to, Words from, I64 ends, DType type, int shift, long n, Words out, Words in) {
    long[] places = it.sharedLongs(DIGITS * BLOCK);
    place(it, places, it.sharedLongs(BLOCK), from, ends, type, shift, n);
    long first = it.global() * EACH;
    for (long i = first; i < Math.min(n, first + EACH); i++) {
      int at = digit(from, i, type, shift) * BLOCK + it.local();
      to.set(places[at], from.get(i));
      out.set(places[at], in.get(i));
      places[at]++;
    }
  }

  /** Finds where the first key of each digit and item goes. */
  private static void place(
      Item it, long[] places, long[] sums, Words from, I64 ends, DType type, int shift, long n) {
    int own = it.local();
    long first = it.global() * EACH;
    for (int d = 0; d < DIGITS; d++) {
      places[d * BLOCK + own] = 0;
    }
    for (long i = first; i < Math.min(n, first + EACH); i++) {
      places[digit(from, i, type, shift) * BLOCK + own]++;
    }
    it.barrier();
    // Each item has a few counts of one digit: their places follow from the sums of items before.
    long sum = 0;
    for (int k = 0; k < DIGITS; k++) {
      sum += places[own * DIGITS + k];
    }
    sums[own] = sum;
    it.barrier();
    int each = BLOCK / DIGITS;
    int mine = own / each;
    long before = mine * it.blocks() + it.block() - 1;
    long next = before < 0 ? 0 : ends.get(before);
    for (int k = mine * each; k < own; k++) {
      next += sums[k];
    }
    for (int k = 0; k < DIGITS; k++) {
      long count = places[own * DIGITS + k];
      places[own * DIGITS + k] = next;
      next += count;
    }
    it.barrier();
  }
}
