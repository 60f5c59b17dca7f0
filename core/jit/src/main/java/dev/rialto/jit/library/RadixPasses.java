package dev.rialto.jit.library;

import static dev.rialto.jit.library.SortKernels.BITS;
import static dev.rialto.jit.library.SortKernels.BLOCK;
import static dev.rialto.jit.library.SortKernels.DIGITS;
import static dev.rialto.jit.library.SortKernels.EACH;
import static dev.rialto.jit.library.SortKernels.TILE;

import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.Subgroup;
import dev.rialto.spi.data.DType;

/**
 * The passes of a radix sort, as the items of a block do them.
 *
 * <p>A block takes the next tile of keys, so that all tiles before it are done or under way. It
 * stores how many of its keys have each digit, adds up the numbers of the tiles before it, back to
 * one whose end of that digit is known, and stores its own end. Each is one word with a mark, so no
 * order between writes is needed.
 *
 * <p>A block puts its keys in order first, so that those of one digit are written one after
 * another. The items of a subgroup find those of them with the same digit by votes.
 *
 * @param counts the keys with each digit, for all passes; behind them the next tile of each pass
 * @param left the words that blocks store for one another
 * @param type the type of keys
 */
record RadixPasses(I64 counts, I64 left, DType type) {
  private static final int SUBGROUPS = BLOCK / Item.SUBGROUP;

  /** Above a count: the pass, doubled, and 1 for a tile's keys or 2 for all up to its last. */
  private static final int MARK = 56;

  private static final long COUNT = (1L << MARK) - 1;

  /** Moves the keys of a block. */
  void move(Item it, int pass, long n, Words to, Words from) {
    Words tile = tile(it, type.size());
    long[] starts = it.sharedLongs(DIGITS);
    int[] places = new int[EACH];
    long first = bring(it, pass, n, tile, starts, places, from);
    int length = (int) Math.min(TILE, n - first);
    if (length == TILE) {
      for (int k = 0; k < EACH; k += 4) {
        int at = k * BLOCK + it.local();
        long a = tile.get(at);
        long b = tile.get(at + BLOCK);
        long c = tile.get(at + 2 * BLOCK);
        long d = tile.get(at + 3 * BLOCK);
        to.set(starts[SortKernels.digit(a, type, pass)] + at, a);
        to.set(starts[SortKernels.digit(b, type, pass)] + at + BLOCK, b);
        to.set(starts[SortKernels.digit(c, type, pass)] + at + 2 * BLOCK, c);
        to.set(starts[SortKernels.digit(d, type, pass)] + at + 3 * BLOCK, d);
      }
    } else {
      for (int at = it.local(); at < length; at += BLOCK) {
        long key = tile.get(at);
        to.set(starts[SortKernels.digit(key, type, pass)] + at, key);
      }
    }
  }

  /**
   * Moves the keys of a block with their values.
   *
   * @param widest the bytes of a key or a value, the larger
   */
  void move(Item it, int pass, long n, Words to, Words from, Words out, Words in, int widest) {
    Words tile = tile(it, widest);
    long[] starts = it.sharedLongs(DIGITS);
    int[] places = new int[EACH];
    long first = bring(it, pass, n, tile, starts, places, from);
    int length = (int) Math.min(TILE, n - first);
    long[] targets = new long[EACH];
    for (int k = 0; k < EACH; k++) {
      int at = k * BLOCK + it.local();
      if (at < length) {
        long key = tile.get(at);
        targets[k] = starts[SortKernels.digit(key, type, pass)] + at;
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
  private long bring(
      Item it, int pass, long n, Words tile, long[] starts, int[] places, Words from) {
    int[] found = it.sharedInts(SUBGROUPS * DIGITS);
    int[] firsts = it.sharedInts(DIGITS);
    long[] next = it.sharedLongs(1);
    int own = it.local();
    int row = own / Item.SUBGROUP * DIGITS;
    if (own == 0) {
      next[0] = it.atomicAdd(counts, SortKernels.passes(type) * DIGITS + pass, 1L);
    }
    for (int k = 0; k < SUBGROUPS; k++) {
      found[k * DIGITS + own] = 0;
    }
    it.barrier();
    long number = next[0];
    long first = number * TILE;
    // All are read before the first is ranked, so that the reads are under way at once. A place has
    // a digit in its low bits first: an array of their own would leave room for fewer blocks.
    if (first + TILE <= n) {
      for (int k = 0; k < EACH; k++) {
        places[k] = SortKernels.digit(from.get(first + place(it, k)), type, pass);
      }
    } else {
      for (int k = 0; k < EACH; k++) {
        long i = first + place(it, k);
        // Behind all keys those of the last digit follow, which go nowhere.
        places[k] = i < n ? SortKernels.digit(from.get(i), type, pass) : DIGITS - 1;
      }
    }
    for (int k = 0; k < EACH; k++) {
      places[k] |= rank(it, found, row, places[k]) << BITS;
    }
    it.barrier();
    int sum = 0;
    for (int k = 0; k < SUBGROUPS; k++) {
      int count = found[k * DIGITS + own];
      found[k * DIGITS + own] = sum;
      sum += count;
    }
    int before = before(it, firsts, sum);
    if (own == DIGITS - 1) {
      sum -= (int) Math.max(0, first + TILE - n);
    }
    if (number > 0) {
      leave(it, number, own, sum, 2 * pass + 1);
    }
    it.barrier();
    firsts[own] = before;
    it.barrier();
    // Reads keys again, from the nearest cache: kept, they would leave room for fewer blocks.
    for (int k = 0; k < EACH; k++) {
      int digit = places[k] & DIGITS - 1;
      places[k] = (places[k] >> BITS) + firsts[digit] + found[row + digit];
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
      start = lookBack(it, number, own, pass);
    } else {
      start = before(it, starts, counts.get((long) pass * DIGITS + own));
      it.barrier();
    }
    leave(it, number, own, start + sum, 2 * pass + 2);
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

  private void leave(Item it, long tile, int digit, long count, int mark) {
    it.atomicExchange(left, tile * DIGITS + digit, (long) mark << MARK | count);
  }

  /** Returns where the keys of a digit in the tiles before one end. */
  private long lookBack(Item it, long number, int digit, int pass) {
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
