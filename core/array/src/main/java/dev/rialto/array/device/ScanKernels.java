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
 * <p>A block of a scan takes the next tile, so that all tiles before it are done or under way, and
 * learns from what these have left what comes before its own; see {@link LookBack}.
 */
public final class ScanKernels {
  private static final int BLOCK = DeviceKernels.BLOCK;

  /** Elements of an item, and those of 4 bytes, of which a tile holds twice as many. */
  private static final int EACH = 16;

  private static final int NARROW = 32;

  /**
   * Bytes of a tile's cells. Five blocks are then on a multiprocessor of a Hopper GPU and leave as
   * much of its memory to its cache as their reads need that are under way: with six, or with cells
   * that are a little larger, a scan took up to 1.09 times as long.
   */
  private static final int BYTES = 38_304;

  /**
   * The most elements that an item reads before it uses the first, so that the reads are under way:
   * half of its own. All at once were slower.
   */
  private static final int MOST_READS = NARROW / 2;

  /** Cells that an item reads before it uses the first. */
  private static final int BATCH = 8;

  private static final int SUBGROUPS = BLOCK / Item.SUBGROUP;

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

  /** The elements of a tile as words, in memory that a block shares. */
  private sealed interface Tile {
    /**
     * Returns how many cells lie between the elements of two items, so that those that items read
     * at once are in different banks: single words, or four narrow ones.
     */
    int gap();

    long get(int i);

    void set(int i, long word);
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Words(long[] cells) implements Tile {
    @Override
    public int gap() {
      return 1;
    }

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
    public int gap() {
      return 4;
    }

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
    public int gap() {
      return 4;
    }

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
    Tile tile = new Words(it.sharedLongs(BYTES / Long.BYTES));
    long[] sums = it.sharedLongs(SUBGROUPS);
    long first = it.block() * BLOCK * EACH;
    bring(it, tile, EACH, values, first, count);
    int filled = filled(first, EACH, count);
    long _ = sum(it, tile, EACH, sums, first, count, filled, op);
    if (it.local() < Item.SUBGROUP) {
      long all = total(it, sums, filled, op);
      if (it.local() == 0) {
        totals.set(it.block(), all);
      }
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
              Tile tile = new Floats(it.sharedFloats(BYTES / Float.BYTES));
              Setter out = (i, word) -> z.set(to.of(i), Double.longBitsToDouble(word));
              scan(it, tile, NARROW, out, values, op, before, left, initial, without > 0, count);
            })
        : on.kernel(
            (Item it, Reals z, I64 left, Long initial, Long without, Long count) -> {
              Tile tile = new Words(it.sharedLongs(BYTES / Long.BYTES));
              Setter out = (i, word) -> z.set(to.of(i), Double.longBitsToDouble(word));
              scan(it, tile, EACH, out, values, op, before, left, initial, without > 0, count);
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
              Tile tile = new Ints(it.sharedInts(BYTES / Integer.BYTES));
              Setter out = (i, word) -> z.set(to.of(i), word);
              scan(it, tile, NARROW, out, values, op, before, left, initial, without > 0, count);
            })
        : on.kernel(
            (Item it, Integers z, I64 left, Long initial, Long without, Long count) -> {
              Tile tile = new Words(it.sharedLongs(BYTES / Long.BYTES));
              Setter out = (i, word) -> z.set(to.of(i), word);
              scan(it, tile, EACH, out, values, op, before, left, initial, without > 0, count);
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
      boolean without,
      long count) {
    long[] sums = it.sharedLongs(SUBGROUPS);
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
    long sum = sum(it, tile, each, sums, first, count, filled, op);
    if (own < Item.SUBGROUP) {
      long total = total(it, sums, filled, op);
      long start =
          LookBack.before(it, left, number, tiles(count, each), total, op, initial, without);
      if (own == 0) {
        known[1] = start;
      }
    }
    // What comes before an item: what does before the tile, subgroups and items before it.
    long inSubgroup = it.shuffle(sum, Math.max(0, it.lane() - 1));
    it.barrier();
    long all = known[1];
    boolean begins = number == 0 && without;
    int subgroup = own / Item.SUBGROUP;
    if (subgroup > 0) {
      all = begins ? sums[subgroup - 1] : op.of(all, sums[subgroup - 1]);
      begins = false;
    }
    if (it.lane() > 0) {
      all = begins ? inSubgroup : op.of(all, inSubgroup);
      begins = false;
    }
    int at = own * (each + tile.gap());
    int end = (int) Math.min(each, count - first - (long) own * each);
    if (end == each) {
      long[] words = new long[BATCH];
      for (int k = 0; k < each; k += BATCH) {
        for (int n = 0; n < BATCH; n++) {
          words[n] = tile.get(at + k + n);
        }
        for (int n = 0; n < BATCH; n++) {
          long next = begins && k + n == 0 ? words[n] : op.of(all, words[n]);
          words[n] = before ? all : next;
          all = next;
        }
        for (int n = 0; n < BATCH; n++) {
          tile.set(at + k + n, words[n]);
        }
      }
    } else {
      for (int k = 0; k < end; k++) {
        long value = tile.get(at + k);
        long next = begins && k == 0 ? value : op.of(all, value);
        tile.set(at + k, before ? all : next);
        all = next;
      }
    }
    it.barrier();
    if (count - first >= (long) BLOCK * each) {
      int to = place(own, each, tile);
      for (int k = 0; k < each; k++) {
        int i = k * BLOCK + own;
        out.set(first + i, tile.get(row(k, each, tile) + to));
      }
    } else {
      for (int i = own; i < count - first; i += BLOCK) {
        out.set(first + i, tile.get(place(i, each, tile)));
      }
    }
  }

  /** Returns where an element of a tile is. */
  private static int place(int i, int each, Tile tile) {
    return i + i / each * tile.gap();
  }

  /** Returns where so many times as many elements as a block has items begin. */
  private static int row(int k, int each, Tile tile) {
    return k * (BLOCK + BLOCK / each * tile.gap());
  }

  /** Returns how many items have elements in a tile that begins there. */
  private static int filled(long first, int each, long count) {
    return (int) Math.min(BLOCK, (count - first + each - 1) / each);
  }

  /** Returns how many subgroups so many items are. */
  private static int subgroups(int items) {
    return (items + Item.SUBGROUP - 1) / Item.SUBGROUP;
  }

  private static void bring(
      Item it, Tile tile, int each, DeviceValues.At values, long first, long count) {
    if (count - first >= (long) BLOCK * each) {
      int at = place(it.local(), each, tile);
      long[] words = new long[MOST_READS];
      for (int k = 0; k < each; k += each / 2) {
        int from = k * BLOCK + it.local();
        for (int n = 0; n < each / 2; n++) {
          int i = from + n * BLOCK;
          words[n] = values.at(first + i);
        }
        for (int n = 0; n < each / 2; n++) {
          tile.set(row(k + n, each, tile) + at, words[n]);
        }
      }
    } else {
      for (int i = it.local(); i < count - first; i += BLOCK) {
        tile.set(place(i, each, tile), values.at(first + i));
      }
    }
    it.barrier();
  }

  /**
   * Returns, to items that have values, what these and those of the items of their subgroup before
   * them are combined into, and sets the same of each whole subgroup.
   */
  private static long sum(
      Item it,
      Tile tile,
      int each,
      long[] sums,
      long first,
      long count,
      int filled,
      DeviceValues.Words op) {
    int own = it.local();
    int at = own * (each + tile.gap());
    int end = (int) Math.min(each, count - first - (long) own * each);
    long sum = tile.get(at);
    if (end == each) {
      long[] words = new long[BATCH];
      for (int k = 0; k < each; k += BATCH) {
        for (int n = 0; n < BATCH; n++) {
          words[n] = tile.get(at + k + n);
        }
        for (int n = 0; n < BATCH; n++) {
          sum = k + n == 0 ? words[n] : op.of(sum, words[n]);
        }
      }
    } else {
      for (int k = 1; k < end; k++) {
        sum = op.of(sum, tile.get(at + k));
      }
    }
    int lane = it.lane();
    sum = LookBack.scan(it, sum, Item.SUBGROUP, filled - (own - lane), op);
    if (own == filled - 1 || (lane == Item.SUBGROUP - 1 && own < filled)) {
      sums[own / Item.SUBGROUP] = sum;
    }
    it.barrier();
    return sum;
  }

  /**
   * Returns what all values of a tile are combined into, and adds to what those of a subgroup are
   * combined into those of the subgroups before it. The items of the first subgroup call it
   * together.
   */
  private static long total(Item it, long[] sums, int filled, DeviceValues.Words op) {
    int subgroups = subgroups(filled);
    int lane = it.lane();
    long sum = LookBack.scan(it, sums[lane % SUBGROUPS], SUBGROUPS, subgroups, op);
    if (lane < subgroups) {
      sums[lane] = sum;
    }
    return it.shuffle(sum, subgroups - 1);
  }
}
