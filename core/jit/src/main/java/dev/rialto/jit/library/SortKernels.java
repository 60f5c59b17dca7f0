package dev.rialto.jit.library;

import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.kernel.Subgroup;
import dev.rialto.spi.data.DType;

/**
 * The passes of a radix sort: the digits of each block's keys are counted, and once it is known
 * where those of a block begin, keys go there. The order of equal digits stays.
 *
 * <p>A block puts its keys in order first, so that those of one digit are written one after
 * another. The items of a subgroup find those of them with the same digit by votes.
 *
 * <p>Keys are compared as unsigned numbers that are in the order of the elements: integers with the
 * sign turned, and floating-point numbers with all bits turned if they are negative; NaN is last.
 */
final class SortKernels {
  static final int BLOCK = 256;

  /** The keys of a block. */
  static final int TILE = 4096;

  static final int BITS = 8;

  /** How many digits there are, as many as items of a block. */
  static final int DIGITS = 1 << BITS;

  private static final int EACH = TILE / BLOCK;
  private static final int SUBGROUPS = BLOCK / Item.SUBGROUP;

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

  private static int digit(long word, DType type, int shift) {
    return (int) (order(word, type) >>> shift) & (DIGITS - 1);
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
    found[it.local()] = 0;
    it.barrier();
    long first = it.block() * TILE + it.local();
    if (first - it.local() + TILE <= n) {
      for (int k = 0; k < EACH; k++) {
        it.atomicAdd(found, digit(keys.get(first + (long) k * BLOCK), type, shift), 1);
      }
    } else {
      for (long i = first; i < n; i += BLOCK) {
        it.atomicAdd(found, digit(keys.get(i), type, shift), 1);
      }
    }
    it.barrier();
    counts.set(it.local() * it.blocks() + it.block(), found[it.local()]);
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
    long[] tile = it.sharedLongs(TILE);
    long[] starts = it.sharedLongs(DIGITS);
    int[] places = new int[EACH];
    bring(it, tile, starts, places, from, ends, type, shift, n);
    int length = (int) Math.min(TILE, n - it.block() * TILE);
    for (int k = 0; k < EACH; k++) {
      int at = k * BLOCK + it.local();
      if (at < length) {
        to.set(starts[digit(tile[at], type, shift)] + at, tile[at]);
      }
    }
  }

  private static void move(
      Item it, Words to, Words from, I64 ends, DType type, int shift, long n, Words out, Words in) {
    long[] tile = it.sharedLongs(TILE);
    long[] starts = it.sharedLongs(DIGITS);
    int[] places = new int[EACH];
    bring(it, tile, starts, places, from, ends, type, shift, n);
    int length = (int) Math.min(TILE, n - it.block() * TILE);
    long[] targets = new long[EACH];
    for (int k = 0; k < EACH; k++) {
      int at = k * BLOCK + it.local();
      if (at < length) {
        targets[k] = starts[digit(tile[at], type, shift)] + at;
        to.set(targets[k], tile[at]);
      }
    }
    it.barrier();
    for (int k = 0; k < EACH; k++) {
      long i = place(it, k);
      if (i < n) {
        tile[places[k]] = in.get(i);
      }
    }
    it.barrier();
    for (int k = 0; k < EACH; k++) {
      int at = k * BLOCK + it.local();
      if (at < length) {
        out.set(targets[k], tile[at]);
      }
    }
  }

  /** Returns the place of a key of an item: those of a subgroup follow one another. */
  private static long place(Item it, int k) {
    int first = it.local() / Item.SUBGROUP * (EACH * Item.SUBGROUP);
    return it.block() * TILE + first + (long) k * Item.SUBGROUP + it.lane();
  }

  /**
   * Brings the keys of a block to a tile in the order of their digits.
   *
   * @param starts set to where the keys of each digit go, less their first place in the tile
   * @param places set to where in the tile an item's keys are
   */
  private static void bring(
      Item it,
      long[] tile,
      long[] starts,
      int[] places,
      Words from,
      I64 ends,
      DType type,
      int shift,
      long n) {
    int[] counts = it.sharedInts(SUBGROUPS * DIGITS);
    int[] firsts = it.sharedInts(DIGITS);
    int own = it.local();
    int row = own / Item.SUBGROUP * DIGITS;
    for (int k = 0; k < SUBGROUPS; k++) {
      counts[k * DIGITS + own] = 0;
    }
    it.barrier();
    for (int k = 0; k < EACH; k++) {
      long i = place(it, k);
      long key = i < n ? from.get(i) : 0;
      places[k] = rank(it, counts, row, digit(key, type, shift), i < n);
    }
    it.barrier();
    int sum = 0;
    for (int k = 0; k < SUBGROUPS; k++) {
      int count = counts[k * DIGITS + own];
      counts[k * DIGITS + own] = sum;
      sum += count;
    }
    firsts[own] = Subgroup.scan(it, sum);
    it.barrier();
    int before = firsts[own] - sum;
    for (int last = Item.SUBGROUP - 1; last < own - it.lane(); last += Item.SUBGROUP) {
      before += firsts[last];
    }
    it.barrier();
    firsts[own] = before;
    long end = own * it.blocks() + it.block();
    starts[own] = (end == 0 ? 0 : ends.get(end - 1)) - before;
    it.barrier();
    // Reads keys again, from the nearest cache: kept, they would leave room for fewer blocks.
    for (int k = 0; k < EACH; k++) {
      long i = place(it, k);
      if (i < n) {
        long key = from.get(i);
        int digit = digit(key, type, shift);
        places[k] += firsts[digit] + counts[row + digit];
        tile[places[k]] = key;
      }
    }
    it.barrier();
  }

  /** Counts a key and returns how many of its subgroup with the same digit come before it. */
  private static int rank(Item it, int[] counts, int row, int digit, boolean has) {
    int same = it.ballot(has);
    for (int bit = 0; bit < BITS; bit++) {
      boolean set = (digit >> bit & 1) != 0;
      int votes = it.ballot(set);
      same &= set ? votes : ~votes;
    }
    int below = Integer.bitCount(same & (1 << it.lane()) - 1);
    int before = 0;
    if (has && below == 0) {
      before = it.atomicAdd(counts, row + digit, Integer.bitCount(same));
    }
    return below + it.shuffle(before, Integer.numberOfTrailingZeros(same) & Item.SUBGROUP - 1);
  }
}
