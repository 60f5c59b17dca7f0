package dev.rialto.jit.library;

import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.kernel.Subgroup;
import dev.rialto.spi.data.DType;

/**
 * The passes of a radix sort: the digits of all passes are counted at once, and then each pass
 * reads and writes keys once. The order of equal digits stays.
 *
 * <p>A block of a pass takes the next tile of keys, so that all tiles before it are done or under
 * way. It leaves how many of its keys have each digit, adds up what those before it have left, back
 * to one that knows where its keys of that digit end, and leaves where its own end. What is left is
 * one word each, with a mark: so no order between writes is needed.
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

  /** The number of digits, equal to the items of a block. */
  static final int DIGITS = 1 << BITS;

  private static final int EACH = TILE / BLOCK;
  private static final int SUBGROUPS = BLOCK / Item.SUBGROUP;

  /** Above a count: the pass, doubled, and 1 for a tile's keys or 2 for all up to its last. */
  private static final int MARK = 56;

  private static final long COUNT = (1L << MARK) - 1;

  private SortKernels() {}

  static long tiles(long n) {
    return (n + TILE - 1) / TILE;
  }

  static int passes(DType type) {
    return Byte.SIZE * type.size() / BITS;
  }

  /** Returns a digit of a word of 8 or 4 bytes. */
  private static int digit(long word, DType type, int pass) {
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
            (Item it, I64 counts, I64 left, I64 keys, Long n) ->
                count(it, counts, left, new Words.Eight(keys), type, n)
        : (KernelBody.Of4<I64, I64, I32, Long>)
            (Item it, I64 counts, I64 left, I32 keys, Long n) ->
                count(it, counts, left, new Words.Four(keys), type, n);
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
                  (Item it, I64 to, I64 from, I64 counts, I64 left, Integer pass, Long n) ->
                      move(
                          it,
                          new Words.Eight(to),
                          new Words.Eight(from),
                          counts,
                          left,
                          type,
                          pass,
                          n)
              : (KernelBody.Of6<I32, I32, I64, I64, Integer, Long>)
                  (Item it, I32 to, I32 from, I64 counts, I64 left, Integer pass, Long n) ->
                      move(
                          it,
                          new Words.Four(to),
                          new Words.Four(from),
                          counts,
                          left,
                          type,
                          pass,
                          n);
      case 8 ->
          wide
              ? (KernelBody.Of8<I64, I64, I64, I64, Integer, Long, I64, I64>)
                  (Item it,
                      I64 to,
                      I64 from,
                      I64 counts,
                      I64 left,
                      Integer pass,
                      Long n,
                      I64 out,
                      I64 in) ->
                      move(
                          it,
                          new Words.Eight(to),
                          new Words.Eight(from),
                          counts,
                          left,
                          type,
                          pass,
                          n,
                          new Words.Eight(out),
                          new Words.Eight(in),
                          widest)
              : (KernelBody.Of8<I32, I32, I64, I64, Integer, Long, I64, I64>)
                  (Item it,
                      I32 to,
                      I32 from,
                      I64 counts,
                      I64 left,
                      Integer pass,
                      Long n,
                      I64 out,
                      I64 in) ->
                      move(
                          it,
                          new Words.Four(to),
                          new Words.Four(from),
                          counts,
                          left,
                          type,
                          pass,
                          n,
                          new Words.Eight(out),
                          new Words.Eight(in),
                          widest);
      default ->
          wide
              ? (KernelBody.Of8<I64, I64, I64, I64, Integer, Long, I32, I32>)
                  (Item it,
                      I64 to,
                      I64 from,
                      I64 counts,
                      I64 left,
                      Integer pass,
                      Long n,
                      I32 out,
                      I32 in) ->
                      move(
                          it,
                          new Words.Eight(to),
                          new Words.Eight(from),
                          counts,
                          left,
                          type,
                          pass,
                          n,
                          new Words.Four(out),
                          new Words.Four(in),
                          widest)
              : (KernelBody.Of8<I32, I32, I64, I64, Integer, Long, I32, I32>)
                  (Item it,
                      I32 to,
                      I32 from,
                      I64 counts,
                      I64 left,
                      Integer pass,
                      Long n,
                      I32 out,
                      I32 in) ->
                      move(
                          it,
                          new Words.Four(to),
                          new Words.Four(from),
                          counts,
                          left,
                          type,
                          pass,
                          n,
                          new Words.Four(out),
                          new Words.Four(in),
                          widest);
    };
  }

  private static void move(
      Item it, Words to, Words from, I64 counts, I64 left, DType type, int pass, long n) {
    Words tile = tile(it, type.size());
    long[] starts = it.sharedLongs(DIGITS);
    int[] places = new int[EACH];
    long first = bring(it, tile, starts, places, from, counts, left, type, pass, n);
    int length = (int) Math.min(TILE, n - first);
    if (length == TILE) {
      for (int k = 0; k < EACH; k += 4) {
        int at = k * BLOCK + it.local();
        long a = tile.get(at);
        long b = tile.get(at + BLOCK);
        long c = tile.get(at + 2 * BLOCK);
        long d = tile.get(at + 3 * BLOCK);
        to.set(starts[digit(a, type, pass)] + at, a);
        to.set(starts[digit(b, type, pass)] + at + BLOCK, b);
        to.set(starts[digit(c, type, pass)] + at + 2 * BLOCK, c);
        to.set(starts[digit(d, type, pass)] + at + 3 * BLOCK, d);
      }
    } else {
      for (int at = it.local(); at < length; at += BLOCK) {
        long key = tile.get(at);
        to.set(starts[digit(key, type, pass)] + at, key);
      }
    }
  }

  private static void move(
      Item it,
      Words to,
      Words from,
      I64 counts,
      I64 left,
      DType type,
      int pass,
      long n,
      Words out,
      Words in,
      int widest) {
    Words tile = tile(it, widest);
    long[] starts = it.sharedLongs(DIGITS);
    int[] places = new int[EACH];
    long first = bring(it, tile, starts, places, from, counts, left, type, pass, n);
    int length = (int) Math.min(TILE, n - first);
    long[] targets = new long[EACH];
    for (int k = 0; k < EACH; k++) {
      int at = k * BLOCK + it.local();
      if (at < length) {
        long key = tile.get(at);
        targets[k] = starts[digit(key, type, pass)] + at;
        to.set(targets[k], key);
      }
    }
    it.barrier();
    for (int k = 0; k < EACH; k++) {
      int at = place(it, k);
      if (at < length) {
        tile.set(places[k], in.get(first + at));
      }
    }
    it.barrier();
    for (int k = 0; k < EACH; k++) {
      int at = k * BLOCK + it.local();
      if (at < length) {
        out.set(targets[k], tile.get(at));
      }
    }
  }

  /** Returns a tile of a block for words of so many bytes. */
  private static Words tile(Item it, int bytes) {
    return bytes == 8
        ? new Words.SharedLongs(it.sharedLongs(TILE))
        : new Words.SharedInts(it.sharedInts(TILE));
  }

  /** Returns the place of a key of an item in a tile: those of a subgroup follow one another. */
  private static int place(Item it, int k) {
    int first = it.local() / Item.SUBGROUP * (EACH * Item.SUBGROUP);
    return first + k * Item.SUBGROUP + it.lane();
  }

  /**
   * Brings the keys of the next tile in the order of their digits, and returns where it begins.
   *
   * @param starts set to where the keys of each digit go, less their first place in the tile
   * @param places set to where in the tile an item's keys are
   */
  private static long bring(
      Item it,
      Words tile,
      long[] starts,
      int[] places,
      Words from,
      I64 all,
      I64 left,
      DType type,
      int pass,
      long n) {
    int[] counts = it.sharedInts(SUBGROUPS * DIGITS);
    int[] firsts = it.sharedInts(DIGITS);
    long[] next = it.sharedLongs(1);
    int own = it.local();
    int row = own / Item.SUBGROUP * DIGITS;
    if (own == 0) {
      next[0] = it.atomicAdd(all, passes(type) * DIGITS + pass, 1L);
    }
    for (int k = 0; k < SUBGROUPS; k++) {
      counts[k * DIGITS + own] = 0;
    }
    it.barrier();
    long number = next[0];
    long first = number * TILE;
    // All are read before the first is ranked, so that the reads are under way at once. A place has
    // a digit in its low bits first: an array of their own would leave room for fewer blocks.
    if (first + TILE <= n) {
      for (int k = 0; k < EACH; k++) {
        places[k] = digit(from.get(first + place(it, k)), type, pass);
      }
    } else {
      for (int k = 0; k < EACH; k++) {
        long i = first + place(it, k);
        // Behind all keys those of the last digit follow, which go nowhere.
        places[k] = i < n ? digit(from.get(i), type, pass) : DIGITS - 1;
      }
    }
    for (int k = 0; k < EACH; k++) {
      places[k] |= rank(it, counts, row, places[k]) << BITS;
    }
    it.barrier();
    int sum = 0;
    for (int k = 0; k < SUBGROUPS; k++) {
      int count = counts[k * DIGITS + own];
      counts[k * DIGITS + own] = sum;
      sum += count;
    }
    int before = before(it, firsts, sum);
    if (own == DIGITS - 1) {
      sum -= (int) Math.max(0, first + TILE - n);
    }
    if (number > 0) {
      leave(it, left, number, own, sum, 2 * pass + 1);
    }
    it.barrier();
    firsts[own] = before;
    it.barrier();
    // Reads keys again, from the nearest cache: kept, they would leave room for fewer blocks.
    for (int k = 0; k < EACH; k++) {
      int digit = places[k] & DIGITS - 1;
      places[k] = (places[k] >> BITS) + firsts[digit] + counts[row + digit];
    }
    if (first + TILE <= n) {
      for (int k = 0; k < EACH; k++) {
        tile.set(places[k], from.get(first + place(it, k)));
      }
    } else {
      for (int k = 0; k < EACH; k++) {
        long i = first + place(it, k);
        if (i < n) {
          tile.set(places[k], from.get(i));
        }
      }
    }
    long start;
    if (number > 0) {
      start = lookBack(it, left, number, own, pass);
    } else {
      start = before(it, starts, all.get((long) pass * DIGITS + own));
      it.barrier();
    }
    leave(it, left, number, own, start + sum, 2 * pass + 2);
    starts[own] = start - before;
    it.barrier();
    return first;
  }

  /** Returns the sum of what the items before this one of a block pass. */
  private static int before(Item it, int[] sums, int value) {
    int own = it.local();
    sums[own] = Subgroup.scan(it, value);
    it.barrier();
    int before = sums[own] - value;
    for (int last = Item.SUBGROUP - 1; last < own - it.lane(); last += Item.SUBGROUP) {
      before += sums[last];
    }
    return before;
  }

  private static long before(Item it, long[] sums, long value) {
    int own = it.local();
    sums[own] = Subgroup.scan(it, value);
    it.barrier();
    long before = sums[own] - value;
    for (int last = Item.SUBGROUP - 1; last < own - it.lane(); last += Item.SUBGROUP) {
      before += sums[last];
    }
    return before;
  }

  private static void leave(Item it, I64 left, long tile, int digit, long count, int mark) {
    it.atomicExchange(left, tile * DIGITS + digit, (long) mark << MARK | count);
  }

  /** Returns where the keys of a digit in the tiles before one end. */
  private static long lookBack(Item it, I64 left, long number, int digit, int pass) {
    long part = (2L * pass + 1) << MARK;
    long whole = part + COUNT + 1;
    long at = (number - 1) * DIGITS + digit;
    long count = 0;
    while (true) {
      // Two reads are under way at once.
      long near = it.atomicGet(left, at);
      long far = it.atomicGet(left, Math.max(digit, at - DIGITS));
      if (near >= whole) {
        return count + (near & COUNT);
      }
      if (near >= part) {
        count += near & COUNT;
        at -= DIGITS;
        if (far >= whole) {
          return count + (far & COUNT);
        }
        if (far >= part) {
          count += far & COUNT;
          at -= DIGITS;
        }
      }
    }
  }

  /** Counts a key and returns how many of its subgroup with the same digit come before it. */
  private static int rank(Item it, int[] counts, int row, int digit) {
    int same = -1;
    for (int bit = 0; bit < BITS; bit++) {
      boolean set = (digit & 1 << bit) != 0;
      int votes = it.ballot(set);
      same &= set ? votes : ~votes;
    }
    int last = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(same);
    int before = 0;
    if (it.lane() == last) {
      before = it.atomicAdd(counts, row + digit, Integer.bitCount(same));
    }
    return Integer.bitCount(same & (1 << it.lane()) - 1) + it.shuffle(before, last);
  }
}
