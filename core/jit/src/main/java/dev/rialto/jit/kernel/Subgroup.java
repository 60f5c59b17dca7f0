package dev.rialto.jit.kernel;

import java.util.function.BinaryOperator;

/**
 * Sums, extremes and votes of the items of a subgroup, for kernels.
 *
 * <p>All items of the subgroup that have not returned call the method together, as they do {@link
 * Item#shuffle(int, int)}. Floating-point numbers are added in an order that depends on nothing but
 * which items these are: pairs 16 apart first, then 8, and so on, in a whole subgroup, and from
 * lane to lane where items are missing. So sums have the same bits everywhere.
 */
public final class Subgroup {
  private static final int WHOLE = -1;

  /**
   * Gives the value of the item at a lane; a lambda, in which kernels take numbers out of boxes.
   */
  private interface Shuffle<T> {
    T of(T value, int lane);
  }

  private Subgroup() {}

  /** Returns whether a condition holds for some item. */
  public static boolean any(Item it, boolean condition) {
    return it.ballot(condition) != 0;
  }

  /** Returns whether a condition holds for every item. */
  public static boolean all(Item it, boolean condition) {
    return it.ballot(!condition) == 0;
  }

  private static int first(int lanes) {
    return Integer.bitCount(~lanes & (lanes - 1));
  }

  private static <T> T reduce(Item it, T value, Shuffle<T> shuffle, BinaryOperator<T> both) {
    int here = it.ballot(true);
    if (here == WHOLE) {
      T result = value;
      for (int apart = Item.SUBGROUP / 2; apart > 0; apart >>= 1) {
        result = both.apply(result, shuffle.of(result, it.lane() ^ apart));
      }
      return result;
    }
    T result = shuffle.of(value, first(here));
    for (int rest = here & (here - 1); rest != 0; rest &= rest - 1) {
      result = both.apply(result, shuffle.of(value, first(rest)));
    }
    return result;
  }

  private static <T> T scan(Item it, T value, Shuffle<T> shuffle, BinaryOperator<T> both) {
    int here = it.ballot(true);
    int lane = it.lane();
    T sum = value;
    if (here == WHOLE) {
      for (int apart = 1; apart < Item.SUBGROUP; apart <<= 1) {
        T lower = shuffle.of(sum, (lane - apart) & (Item.SUBGROUP - 1));
        sum = lane < apart ? sum : both.apply(lower, sum);
      }
      return sum;
    }
    sum = shuffle.of(value, first(here));
    for (int rest = here & (here - 1); rest != 0; rest &= rest - 1) {
      int from = first(rest);
      T next = shuffle.of(value, from);
      sum = from <= lane ? both.apply(sum, next) : sum;
    }
    return sum;
  }

  /** Returns the sum over all items. */
  public static int sum(Item it, int value) {
    return reduce(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> x + y);
  }

  /** Returns the smallest value of all items. */
  public static int min(Item it, int value) {
    return reduce(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> Math.min(x, y));
  }

  /** Returns the greatest value of all items. */
  public static int max(Item it, int value) {
    return reduce(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> Math.max(x, y));
  }

  /** Returns the sum over the items up to this one. */
  public static int scan(Item it, int value) {
    return scan(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> x + y);
  }

  /** Returns the sum over all items. */
  public static long sum(Item it, long value) {
    return reduce(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> x + y);
  }

  /** Returns the smallest value of all items. */
  public static long min(Item it, long value) {
    return reduce(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> Math.min(x, y));
  }

  /** Returns the greatest value of all items. */
  public static long max(Item it, long value) {
    return reduce(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> Math.max(x, y));
  }

  /** Returns the sum over the items up to this one. */
  public static long scan(Item it, long value) {
    return scan(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> x + y);
  }

  /** Returns the sum over all items. */
  public static float sum(Item it, float value) {
    return reduce(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> x + y);
  }

  /** Returns the smallest value of all items. */
  public static float min(Item it, float value) {
    return reduce(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> Math.min(x, y));
  }

  /** Returns the greatest value of all items. */
  public static float max(Item it, float value) {
    return reduce(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> Math.max(x, y));
  }

  /** Returns the sum over the items up to this one. */
  public static float scan(Item it, float value) {
    return scan(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> x + y);
  }

  /** Returns the sum over all items. */
  public static double sum(Item it, double value) {
    return reduce(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> x + y);
  }

  /** Returns the smallest value of all items. */
  public static double min(Item it, double value) {
    return reduce(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> Math.min(x, y));
  }

  /** Returns the greatest value of all items. */
  public static double max(Item it, double value) {
    return reduce(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> Math.max(x, y));
  }

  /** Returns the sum over the items up to this one. */
  public static double scan(Item it, double value) {
    return scan(it, value, (x, lane) -> it.shuffle(x, lane), (x, y) -> x + y);
  }
}
