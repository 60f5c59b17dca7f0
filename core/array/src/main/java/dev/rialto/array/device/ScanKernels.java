package dev.rialto.array.device;

import dev.rialto.array.part.Places;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Integers;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.Reals;

/**
 * Kernels that combine values in their order: one those of each tile, another scans all tiles in
 * one pass. No neutral value is needed, so that any associative operator will do.
 *
 * <p>A block of a scan takes the next tile, so that all tiles before it are done or under way,
 * leaves what its values are combined into, and waits for what those before it have left. To keep
 * that short, the last tile of each group leaves the same for its group, as well as what comes
 * before the next one. What is combined with what depends on the number of values alone.
 *
 * <p>A word is left as two, each with half of its bits and a mark that they are there: so no order
 * between writes is needed.
 */
public final class ScanKernels {
  private static final int BLOCK = DeviceKernels.BLOCK;

  /** Elements of an item, and those of 4 bytes, of which a tile holds twice as many. */
  private static final int EACH = 16;

  private static final int NARROW = 32;

  /** Elements that an item reads before it uses the first, so that the reads are under way. */
  private static final int BATCH = 8;

  private static final int GROUP = 16;

  /** Groups that a block looks back at. */
  private static final int WINDOW = 64;

  private static final long MARK = 1L << 32;

  private ScanKernels() {}

  /** Returns the tiles of {@link #tiles(JavaKernels, DeviceValues.Words, DeviceValues.At)}. */
  static long tiles(long count) {
    return tiles(count, EACH);
  }

  private static long tiles(long count, int each) {
    long tile = (long) BLOCK * each;
    return (count + tile - 1) / tile;
  }

  /** Returns how many tiles a scan has. */
  static long tiles(long count, boolean narrow) {
    return tiles(count, narrow ? NARROW : EACH);
  }

  /** Returns the words that the blocks of a scan leave for one another, zeros at first. */
  static long words(long tiles) {
    return 1 + 2 * (tiles + 2 * (tiles / GROUP + 1));
  }

  /** The elements of a tile as words, in memory that a block shares. */
  private sealed interface Tile {
    long get(int i);

    void set(int i, long word);
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Words(long[] cells) implements Tile {
    @Override
    public long get(int i) {
      return cells[i];
    }

    @Override
    public void set(int i, long word) {
      cells[i] = word;
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Floats(float[] cells) implements Tile {
    @Override
    public long get(int i) {
      return Double.doubleToRawLongBits(cells[i]);
    }

    @Override
    public void set(int i, long word) {
      cells[i] = (float) Double.longBitsToDouble(word);
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Ints(int[] cells) implements Tile {
    @Override
    public long get(int i) {
      return cells[i];
    }

    @Override
    public void set(int i, long word) {
      cells[i] = (int) word;
    }
  }

  /** Sets an element of the result. */
  private interface Setter {
    void set(long i, long word);
  }

  /** Returns the cells of a tile; see {@link #place}. */
  private static int cells(int each) {
    return BLOCK * each + BLOCK;
  }

  /** Makes a kernel that combines the values of each tile; takes their number last. */
  static JavaKernel tiles(JavaKernels on, DeviceValues.Words op, DeviceValues.At values) {
    return on.kernel((Item it, I64 totals, Long count) -> total(it, totals, values, op, count));
  }

  /** Makes a kernel that combines the results of {@link #tiles} in tiles. */
  static JavaKernel tilesAgain(JavaKernels on, DeviceValues.Words op) {
    return on.kernel(
        (Item it, I64 totals, I64 x, Long count) -> total(it, totals, n -> x.get(n), op, count));
  }

  private static void total(
      Item it, I64 totals, DeviceValues.At values, DeviceValues.Words op, long count) {
    Tile tile = new Words(it.sharedLongs(cells(EACH)));
    long[] sums = it.sharedLongs(BLOCK);
    long first = it.block() * BLOCK * EACH;
    bring(it, tile, EACH, values, first, count);
    int filled = filled(first, EACH, count);
    sums(it, tile, EACH, sums, first, count, filled, op);
    if (it.local() == filled - 1) {
      totals.set(it.block(), sums[filled - 1]);
    }
  }

  /**
   * Makes a kernel that scans reals. Takes the words that blocks leave, what comes before all
   * values, whether nothing does, 0 or 1, and the number of values.
   *
   * @param narrow whether values and results are floats
   */
  static JavaKernel reals(
      JavaKernels on,
      DeviceValues.Words op,
      boolean before,
      boolean narrow,
      Places to,
      DeviceValues.At values) {
    return narrow
        ? on.kernel(
            (Item it, Reals z, I64 left, Long initial, Long without, Long count) -> {
              Tile tile = new Floats(it.sharedFloats(cells(NARROW)));
              Setter out = (i, word) -> z.set(to.of(i), Double.longBitsToDouble(word));
              scan(it, tile, NARROW, out, values, op, before, left, initial, without, count);
            })
        : on.kernel(
            (Item it, Reals z, I64 left, Long initial, Long without, Long count) -> {
              Tile tile = new Words(it.sharedLongs(cells(EACH)));
              Setter out = (i, word) -> z.set(to.of(i), Double.longBitsToDouble(word));
              scan(it, tile, EACH, out, values, op, before, left, initial, without, count);
            });
  }

  /** Makes a kernel that scans integers, narrow ones of at most 32 bits; see {@link #reals}. */
  static JavaKernel integers(
      JavaKernels on,
      DeviceValues.Words op,
      boolean before,
      boolean narrow,
      Places to,
      DeviceValues.At values) {
    return narrow
        ? on.kernel(
            (Item it, Integers z, I64 left, Long initial, Long without, Long count) -> {
              Tile tile = new Ints(it.sharedInts(cells(NARROW)));
              Setter out = (i, word) -> z.set(to.of(i), word);
              scan(it, tile, NARROW, out, values, op, before, left, initial, without, count);
            })
        : on.kernel(
            (Item it, Integers z, I64 left, Long initial, Long without, Long count) -> {
              Tile tile = new Words(it.sharedLongs(cells(EACH)));
              Setter out = (i, word) -> z.set(to.of(i), word);
              scan(it, tile, EACH, out, values, op, before, left, initial, without, count);
            });
  }

  /** Scans the next tile. */
  private static void scan(
      Item it,
      Tile tile,
      int each,
      Setter out,
      DeviceValues.At values,
      DeviceValues.Words op,
      boolean before,
      I64 left,
      long initial,
      long without,
      long count) {
    long[] sums = it.sharedLongs(BLOCK);
    long[] known = it.sharedLongs(2);
    int own = it.local();
    if (own == 0) {
      known[0] = it.atomicAdd(left, 0, 1L);
    }
    it.barrier();
    long number = known[0];
    long first = number * BLOCK * each;
    bring(it, tile, each, values, first, count);
    int filled = filled(first, each, count);
    sums(it, tile, each, sums, first, count, filled, op);
    long all =
        known(it, left, number, tiles(count, each), sums[filled - 1], op, initial, without, known);
    boolean begins = number == 0 && without > 0;
    if (own > 0 && own < filled) {
      all = begins ? sums[own - 1] : op.of(all, sums[own - 1]);
    }
    int at = own * (each + 1);
    int end = (int) Math.min(each, count - first - (long) own * each);
    if (end == each) {
      for (int k = 0; k < each; k += BATCH) {
        long a = tile.get(at + k);
        long b = tile.get(at + k + 1);
        long c = tile.get(at + k + 2);
        long d = tile.get(at + k + 3);
        long e = tile.get(at + k + 4);
        long f = tile.get(at + k + 5);
        long g = tile.get(at + k + 6);
        long h = tile.get(at + k + 7);
        a = begins && own == 0 && k == 0 ? a : op.of(all, a);
        b = op.of(a, b);
        c = op.of(b, c);
        d = op.of(c, d);
        e = op.of(d, e);
        f = op.of(e, f);
        g = op.of(f, g);
        h = op.of(g, h);
        tile.set(at + k, before ? all : a);
        tile.set(at + k + 1, before ? a : b);
        tile.set(at + k + 2, before ? b : c);
        tile.set(at + k + 3, before ? c : d);
        tile.set(at + k + 4, before ? d : e);
        tile.set(at + k + 5, before ? e : f);
        tile.set(at + k + 6, before ? f : g);
        tile.set(at + k + 7, before ? g : h);
        all = h;
      }
    } else {
      for (int k = 0; k < end; k++) {
        long value = tile.get(at + k);
        long next = begins && own == 0 && k == 0 ? value : op.of(all, value);
        tile.set(at + k, before ? all : next);
        all = next;
      }
    }
    it.barrier();
    if (count - first >= (long) BLOCK * each) {
      for (int k = 0; k < each; k++) {
        int i = k * BLOCK + own;
        out.set(first + i, tile.get(row(k, each) + place(own, each)));
      }
    } else {
      for (int i = own; i < count - first; i += BLOCK) {
        out.set(first + i, tile.get(place(i, each)));
      }
    }
  }

  /** Returns where an element of a tile is, so that items find theirs in different banks. */
  private static int place(int i, int each) {
    return i + i / each;
  }

  /** Returns where so many times as many elements as a block has items begin. */
  private static int row(int k, int each) {
    return k * (BLOCK + BLOCK / each);
  }

  /** Returns how many items have elements in a tile that begins there. */
  private static int filled(long first, int each, long count) {
    return (int) Math.min(BLOCK, (count - first + each - 1) / each);
  }

  private static void bring(
      Item it, Tile tile, int each, DeviceValues.At values, long first, long count) {
    if (count - first >= (long) BLOCK * each) {
      int at = place(it.local(), each);
      for (int k = 0; k < each; k += BATCH) {
        long i = first + (long) k * BLOCK + it.local();
        long a = values.at(i);
        long b = values.at(i + BLOCK);
        long c = values.at(i + 2 * BLOCK);
        long d = values.at(i + 3 * BLOCK);
        long e = values.at(i + 4 * BLOCK);
        long f = values.at(i + 5 * BLOCK);
        long g = values.at(i + 6 * BLOCK);
        long h = values.at(i + 7 * BLOCK);
        tile.set(row(k, each) + at, a);
        tile.set(row(k + 1, each) + at, b);
        tile.set(row(k + 2, each) + at, c);
        tile.set(row(k + 3, each) + at, d);
        tile.set(row(k + 4, each) + at, e);
        tile.set(row(k + 5, each) + at, f);
        tile.set(row(k + 6, each) + at, g);
        tile.set(row(k + 7, each) + at, h);
      }
    } else {
      for (int i = it.local(); i < count - first; i += BLOCK) {
        tile.set(place(i, each), values.at(first + i));
      }
    }
    it.barrier();
  }

  /** Sets the sum of each item that has values to that of these and those of the items before. */
  private static void sums(
      Item it,
      Tile tile,
      int each,
      long[] sums,
      long first,
      long count,
      int filled,
      DeviceValues.Words op) {
    int own = it.local();
    int at = own * (each + 1);
    int end = (int) Math.min(each, count - first - (long) own * each);
    long sum = tile.get(at);
    if (end == each) {
      for (int k = 0; k < each; k += BATCH) {
        long a = tile.get(at + k);
        long b = tile.get(at + k + 1);
        long c = tile.get(at + k + 2);
        long d = tile.get(at + k + 3);
        long e = tile.get(at + k + 4);
        long f = tile.get(at + k + 5);
        long g = tile.get(at + k + 6);
        long h = tile.get(at + k + 7);
        long front = op.of(op.of(op.of(k == 0 ? a : op.of(sum, a), b), c), d);
        sum = op.of(op.of(op.of(op.of(front, e), f), g), h);
      }
    } else {
      for (int k = 1; k < end; k++) {
        sum = op.of(sum, tile.get(at + k));
      }
    }
    int lane = it.lane();
    for (int step = 1; step < Item.SUBGROUP; step *= 2) {
      long other = it.shuffle(sum, Math.max(0, lane - step));
      if (lane >= step && own < filled) {
        sum = op.of(other, sum);
      }
    }
    sums[own] = sum;
    it.barrier();
    if (own >= Item.SUBGROUP && own < filled) {
      long all = sums[Item.SUBGROUP - 1];
      for (int last = 2 * Item.SUBGROUP - 1; last < own - lane; last += Item.SUBGROUP) {
        all = op.of(all, sums[last]);
      }
      sum = op.of(all, sum);
    }
    it.barrier();
    sums[own] = sum;
    it.barrier();
  }

  // --- Between blocks -------------------------------------------------------------------------

  /** Leaves what a tile is combined into, and returns what comes before it once that is known. */
  private static long known(
      Item it,
      I64 left,
      long number,
      long tiles,
      long total,
      DeviceValues.Words op,
      long initial,
      long without,
      long[] known) {
    long[] inGroup = it.sharedLongs(GROUP);
    int own = it.local();
    long group = number / GROUP;
    int place = (int) (number % GROUP);
    long starts = tiles + tiles / GROUP + 1;
    boolean nothing = group == 0 && without > 0;
    if (own == 0) {
      leave(it, left, number, total);
    }
    if (own < place) {
      inGroup[own] = await(it, left, group * GROUP + own);
    }
    if (place < GROUP - 1) {
      if (own == GROUP) {
        known[0] = group == 0 ? initial : await(it, left, starts + group);
      }
      it.barrier();
    } else {
      it.barrier();
      if (own == 0) {
        long sum = inGroup[0];
        for (int k = 1; k < GROUP - 1; k++) {
          sum = op.of(sum, inGroup[k]);
        }
        known[1] = op.of(sum, total);
        leave(it, left, tiles + group, known[1]);
      }
      long start = group == 0 ? initial : lookBack(it, left, tiles, starts, group, op);
      if (own == 0) {
        known[0] = start;
        leave(it, left, starts + group + 1, nothing ? known[1] : op.of(start, known[1]));
      }
      it.barrier();
    }
    if (own == 0) {
      long all = known[0];
      for (int k = 0; k < place; k++) {
        all = nothing && k == 0 ? inGroup[0] : op.of(all, inGroup[k]);
      }
      known[0] = all;
    }
    it.barrier();
    return known[0];
  }

  /**
   * Returns, to the first item, what comes before a group, from the nearest of which it is known.
   */
  private static long lookBack(
      Item it, I64 left, long totals, long starts, long group, DeviceValues.Words op) {
    long[] groups = it.sharedLongs(WINDOW);
    long[] before = it.sharedLongs(WINDOW);
    int[] nearest = it.sharedInts(1);
    int own = it.local();
    boolean looks = own < WINDOW && own < group;
    if (own > 0 && looks) {
      groups[own] = await(it, left, totals + group - own);
    }
    boolean found = false;
    while (!found) {
      if (own == 0) {
        nearest[0] = WINDOW;
      }
      it.barrier();
      if (looks) {
        long low = read(it, left, 1 + 2 * (starts + group - own));
        long high = read(it, left, 2 + 2 * (starts + group - own));
        if (low != 0 && high != 0) {
          before[own] = joined(low, high);
          it.atomicMin(nearest, 0, own);
        }
      }
      it.barrier();
      found = nearest[0] < WINDOW;
      it.barrier();
    }
    long all = 0;
    if (own == 0) {
      all = before[nearest[0]];
      for (int k = nearest[0]; k > 0; k--) {
        all = op.of(all, groups[k]);
      }
    }
    return all;
  }

  private static void leave(Item it, I64 left, long slot, long word) {
    it.atomicExchange(left, 1 + 2 * slot, MARK | (word & (MARK - 1)));
    it.atomicExchange(left, 2 + 2 * slot, MARK | (word >>> 32));
  }

  private static long await(Item it, I64 left, long slot) {
    long low = 0;
    long high = 0;
    while (low == 0 || high == 0) {
      low = read(it, left, 1 + 2 * slot);
      high = read(it, left, 2 + 2 * slot);
    }
    return joined(low, high);
  }

  private static long read(Item it, I64 left, long at) {
    return it.atomicGet(left, at);
  }

  private static long joined(long low, long high) {
    return (low & (MARK - 1)) | (high << 32);
  }
}
