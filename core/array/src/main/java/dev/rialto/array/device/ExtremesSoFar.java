package dev.rialto.array.device;

import dev.rialto.array.part.Elements;

/**
 * The least and the greatest key that an item of a kernel has seen, and where their values are; of
 * equal ones, that of the least number. Comparisons choose what is kept, without branches: nearly
 * always some item of a subgroup has found a new extreme.
 */
final class ExtremesSoFar {
  private final boolean floating;
  private final boolean rising;
  private long leastKey;
  private long least;
  private long mostKey;
  private long most;

  /** Begins with a value. */
  ExtremesSoFar(boolean floating, boolean rising, long value, long i) {
    this.floating = floating;
    this.rising = rising;
    leastKey = Elements.key(value, floating);
    least = i;
    mostKey = leastKey;
    most = i;
  }

  /** Adds a value; if numbers rise, one behind those before. */
  void add(long value, long i, DeviceValues.At numbers) {
    long key = Elements.key(value, floating);
    boolean less =
        key < leastKey || (!rising && key == leastKey && numbers.at(i) < numbers.at(least));
    boolean more = key > mostKey || (!rising && key == mostKey && numbers.at(i) < numbers.at(most));
    leastKey = less ? key : leastKey;
    least = less ? i : least;
    mostKey = more ? key : mostKey;
    most = more ? i : most;
  }

  /** Leaves both keys and their numbers. */
  void leave(long[] found, int item, DeviceValues.At numbers) {
    found[4 * item] = leastKey;
    found[4 * item + 1] = numbers.at(least);
    found[4 * item + 2] = mostKey;
    found[4 * item + 3] = numbers.at(most);
  }

  /** Combines what two items have left at the place of the first. */
  static void combine(long[] found, int item, int other) {
    take(found, 4 * item, 4 * other, found[4 * other] < found[4 * item]);
    take(found, 4 * item + 2, 4 * other + 2, found[4 * other + 2] > found[4 * item + 2]);
  }

  private static void take(long[] found, int at, int from, boolean beyond) {
    if (beyond || (found[from] == found[at] && found[from + 1] < found[at + 1])) {
      found[at] = found[from];
      found[at + 1] = found[from + 1];
    }
  }
}
