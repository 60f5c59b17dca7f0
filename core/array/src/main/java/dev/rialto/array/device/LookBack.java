package dev.rialto.array.device;

import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;

/**
 * What the tiles of a scan leave for those behind them, in words that are zeros at first: what each
 * tile is combined into, and what comes before each group of 32 tiles.
 *
 * <p>The first subgroup of a block reads what the tiles of its group and of the two groups before
 * have left, all at once and until all is there, and combines it itself, from the nearest of these
 * groups on of which it is known what comes before it; the last tile of a group leaves that for the
 * next. So a block waits for one step from others to it. A chain of three steps, from the tiles to
 * the last of a group, on to the next group and from there to all of its tiles, read less and took
 * longer. Blocks that read four or five groups, or all items of a block reading, were no faster.
 *
 * <p>What is combined with what depends on the numbers of the tiles alone. A word is left as two,
 * each with half of its bits and a mark that they are there: so no order between writes is needed.
 */
final class LookBack {
  private static final int GROUP = Item.SUBGROUP;

  /** The groups of which a block looks for what comes before them: its own and two more. */
  private static final int GROUPS = 3;

  private static final long MARK = 1L << 32;

  private LookBack() {}

  /** Returns how many words there are, with the number of the next tile, which is the first. */
  static long words(long tiles) {
    return place(tiles + tiles / GROUP + 1);
  }

  private static long place(long slot) {
    return 2 + 2 * slot;
  }

  /**
   * Leaves what a tile is combined into, and returns what comes before it; nothing does before the
   * first if {@code without}. The items of one subgroup call it together.
   *
   * @param initial what comes before all
   */
  static long before(
      Item it,
      I64 left,
      long number,
      long tiles,
      long total,
      DeviceValues.Words op,
      long initial,
      boolean without) {
    int lane = it.lane();
    long group = number / GROUP;
    int place = (int) (number % GROUP);
    if (lane == 0) {
      leave(it, left, number, total);
    }
    long slotA = place(group * GROUP + lane);
    long slotB = slotA - 2 * GROUP;
    long slotC = slotA - 4 * GROUP;
    long slotStart = place(tiles + group - lane);
    long a = total;
    long b = 0;
    long c = 0;
    long start = initial;
    boolean hasA = lane >= place;
    boolean hasB = group < 1;
    boolean hasC = group < 2;
    boolean hasStart = lane == group && lane < GROUPS;
    boolean looks = lane < GROUPS && lane < group;
    int near = GROUPS;
    boolean waits = true;
    while (waits) {
      // All are read before the first is looked at, so that the reads are under way at once.
      long aLow = hasA ? 0 : it.atomicGet(left, slotA);
      long aHigh = hasA ? 0 : it.atomicGet(left, slotA + 1);
      long bLow = hasB ? 0 : it.atomicGet(left, slotB);
      long bHigh = hasB ? 0 : it.atomicGet(left, slotB + 1);
      long cLow = hasC ? 0 : it.atomicGet(left, slotC);
      long cHigh = hasC ? 0 : it.atomicGet(left, slotC + 1);
      long startLow = looks ? it.atomicGet(left, slotStart) : 0;
      long startHigh = looks ? it.atomicGet(left, slotStart + 1) : 0;
      if (isThere(aLow, aHigh)) {
        a = joined(aLow, aHigh);
        hasA = true;
      }
      if (isThere(bLow, bHigh)) {
        b = joined(bLow, bHigh);
        hasB = true;
      }
      if (isThere(cLow, cHigh)) {
        c = joined(cLow, cHigh);
        hasC = true;
      }
      if (isThere(startLow, startHigh)) {
        start = joined(startLow, startHigh);
        hasStart = true;
        looks = false;
      }
      int known = it.ballot(hasStart);
      near = known == 0 ? GROUPS : Integer.bitCount(~known & (known - 1));
      boolean lacks = !hasA || (!hasB && near > 0) || (!hasC && near > 1) || near == GROUPS;
      waits = it.ballot(lacks) != 0;
    }
    long all = it.shuffle(start, near);
    boolean any = near < group || !without;
    if (near > 1) {
      long whole = it.shuffle(scan(it, c, GROUP, GROUP, op), GROUP - 1);
      all = any ? op.of(all, whole) : whole;
      any = true;
    }
    if (near > 0) {
      long whole = it.shuffle(scan(it, b, GROUP, GROUP, op), GROUP - 1);
      all = any ? op.of(all, whole) : whole;
      any = true;
    }
    a = scan(it, a, GROUP, place + 1, op);
    long inGroup = it.shuffle(a, Math.max(0, place - 1));
    if (place == GROUP - 1 && lane == place) {
      leave(it, left, tiles + group + 1, any ? op.of(all, a) : a);
    }
    if (place > 0) {
      all = any ? op.of(all, inGroup) : inGroup;
    }
    return all;
  }

  /**
   * Returns what the values of an item of a subgroup and of those before it are combined into.
   *
   * @param most a constant, at least as many as {@code items}
   * @param items how many have values
   */
  static long scan(Item it, long value, int most, int items, DeviceValues.Words op) {
    int lane = it.lane();
    long sum = value;
    for (int step = 1; step < most; step *= 2) {
      long other = it.shuffle(sum, Math.max(0, lane - step));
      if (lane >= step && lane < items) {
        sum = op.of(other, sum);
      }
    }
    return sum;
  }

  private static void leave(Item it, I64 left, long slot, long word) {
    it.atomicExchange(left, place(slot), MARK | (word & (MARK - 1)));
    it.atomicExchange(left, place(slot) + 1, MARK | (word >>> 32));
  }

  private static boolean isThere(long low, long high) {
    return low != 0 && high != 0;
  }

  private static long joined(long low, long high) {
    return (low & (MARK - 1)) | (high << 32);
  }
}
