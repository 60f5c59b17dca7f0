package dev.rialto.jit.kernel;

/**
 * Sums, extremes and votes of the items of a subgroup, for kernels.
 *
 * <p>All items of the subgroup that have not returned call the method together, as they do {@link
 * Item#shuffle(int, int)}. Floating-point numbers are added in an order that depends on nothing but
 * how many these are: pairs 16 apart first, then 8, and so on. So sums have the same bits
 * everywhere.
 */
public final class Subgroup {
  private static final int WHOLE = -1;
  private static final int SUM = 0;
  private static final int MIN = 1;
  private static final int MAX = 2;

  private Subgroup() {}

  /** Returns whether a condition holds for some item. */
  public static boolean any(Item it, boolean condition) {
    return it.ballot(condition) != 0;
  }

  /** Returns whether a condition holds for every item. */
  public static boolean all(Item it, boolean condition) {
    return it.ballot(!condition) == 0;
  }

  /** How many items there are at lower lanes. */
  private static int rank(int here, int lane) {
    return Integer.bitCount(here & ((1 << lane) - 1));
  }

  /** The lane of the item above a number of others. */
  private static int lane(int here, int rank) {
    if (here == WHOLE) {
      return rank;
    }
    int lane = 0;
    int above = rank;
    for (int half = Item.SUBGROUP / 2; half > 0; half >>= 1) {
      int below = Integer.bitCount((here >>> lane) & ((1 << half) - 1));
      if (above >= below) {
        above -= below;
        lane += half;
      }
    }
    return lane;
  }

  /** Returns the sum over all items. */
  public static int sum(Item it, int value) {
    return reduce(it, value, SUM);
  }

  /** Returns the smallest value of all items. */
  public static int min(Item it, int value) {
    return reduce(it, value, MIN);
  }

  /** Returns the greatest value of all items. */
  public static int max(Item it, int value) {
    return reduce(it, value, MAX);
  }

  /** Returns the sum over the items up to this one. */
  public static int scan(Item it, int value) {
    int here = it.ballot(true);
    int rank = rank(here, it.lane());
    int sum = value;
    for (int apart = 1; apart < Item.SUBGROUP; apart <<= 1) {
      int lower = it.shuffle(sum, lane(here, Math.max(rank - apart, 0)));
      sum = rank < apart ? sum : lower + sum;
    }
    return sum;
  }

  private static int reduce(Item it, int value, int op) {
    int here = it.ballot(true);
    int rank = rank(here, it.lane());
    int last = Integer.bitCount(here) - 1;
    int result = value;
    for (int apart = Item.SUBGROUP / 2; apart > 0; apart >>= 1) {
      int other = it.shuffle(result, lane(here, Math.min(rank + apart, last)));
      result = rank + apart > last ? result : both(result, other, op);
    }
    return it.shuffle(result, lane(here, 0));
  }

  private static int both(int x, int y, int op) {
    return op == SUM ? x + y : op == MIN ? Math.min(x, y) : Math.max(x, y);
  }

  /** Returns the sum over all items. */
  public static long sum(Item it, long value) {
    return reduce(it, value, SUM);
  }

  /** Returns the smallest value of all items. */
  public static long min(Item it, long value) {
    return reduce(it, value, MIN);
  }

  /** Returns the greatest value of all items. */
  public static long max(Item it, long value) {
    return reduce(it, value, MAX);
  }

  /** Returns the sum over the items up to this one. */
  public static long scan(Item it, long value) {
    int here = it.ballot(true);
    int rank = rank(here, it.lane());
    long sum = value;
    for (int apart = 1; apart < Item.SUBGROUP; apart <<= 1) {
      long lower = it.shuffle(sum, lane(here, Math.max(rank - apart, 0)));
      sum = rank < apart ? sum : lower + sum;
    }
    return sum;
  }

  private static long reduce(Item it, long value, int op) {
    int here = it.ballot(true);
    int rank = rank(here, it.lane());
    int last = Integer.bitCount(here) - 1;
    long result = value;
    for (int apart = Item.SUBGROUP / 2; apart > 0; apart >>= 1) {
      long other = it.shuffle(result, lane(here, Math.min(rank + apart, last)));
      result = rank + apart > last ? result : both(result, other, op);
    }
    return it.shuffle(result, lane(here, 0));
  }

  private static long both(long x, long y, int op) {
    return op == SUM ? x + y : op == MIN ? Math.min(x, y) : Math.max(x, y);
  }

  /** Returns the sum over all items. */
  public static float sum(Item it, float value) {
    return reduce(it, value, SUM);
  }

  /** Returns the smallest value of all items. */
  public static float min(Item it, float value) {
    return reduce(it, value, MIN);
  }

  /** Returns the greatest value of all items. */
  public static float max(Item it, float value) {
    return reduce(it, value, MAX);
  }

  /** Returns the sum over the items up to this one. */
  public static float scan(Item it, float value) {
    int here = it.ballot(true);
    int rank = rank(here, it.lane());
    float sum = value;
    for (int apart = 1; apart < Item.SUBGROUP; apart <<= 1) {
      float lower = it.shuffle(sum, lane(here, Math.max(rank - apart, 0)));
      sum = rank < apart ? sum : lower + sum;
    }
    return sum;
  }

  private static float reduce(Item it, float value, int op) {
    int here = it.ballot(true);
    int rank = rank(here, it.lane());
    int last = Integer.bitCount(here) - 1;
    float result = value;
    for (int apart = Item.SUBGROUP / 2; apart > 0; apart >>= 1) {
      float other = it.shuffle(result, lane(here, Math.min(rank + apart, last)));
      result = rank + apart > last ? result : both(result, other, op);
    }
    return it.shuffle(result, lane(here, 0));
  }

  private static float both(float x, float y, int op) {
    return op == SUM ? x + y : op == MIN ? Math.min(x, y) : Math.max(x, y);
  }

  /** Returns the sum over all items. */
  public static double sum(Item it, double value) {
    return reduce(it, value, SUM);
  }

  /** Returns the smallest value of all items. */
  public static double min(Item it, double value) {
    return reduce(it, value, MIN);
  }

  /** Returns the greatest value of all items. */
  public static double max(Item it, double value) {
    return reduce(it, value, MAX);
  }

  /** Returns the sum over the items up to this one. */
  public static double scan(Item it, double value) {
    int here = it.ballot(true);
    int rank = rank(here, it.lane());
    double sum = value;
    for (int apart = 1; apart < Item.SUBGROUP; apart <<= 1) {
      double lower = it.shuffle(sum, lane(here, Math.max(rank - apart, 0)));
      sum = rank < apart ? sum : lower + sum;
    }
    return sum;
  }

  private static double reduce(Item it, double value, int op) {
    int here = it.ballot(true);
    int rank = rank(here, it.lane());
    int last = Integer.bitCount(here) - 1;
    double result = value;
    for (int apart = Item.SUBGROUP / 2; apart > 0; apart >>= 1) {
      double other = it.shuffle(result, lane(here, Math.min(rank + apart, last)));
      result = rank + apart > last ? result : both(result, other, op);
    }
    return it.shuffle(result, lane(here, 0));
  }

  private static double both(double x, double y, int op) {
    return op == SUM ? x + y : op == MIN ? Math.min(x, y) : Math.max(x, y);
  }
}
