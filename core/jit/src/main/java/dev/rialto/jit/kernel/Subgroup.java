package dev.rialto.jit.kernel;

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

  private static int first(int lanes) {
    return Integer.bitCount(~lanes & (lanes - 1));
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
    int lane = it.lane();
    int sum = value;
    if (here == WHOLE) {
      for (int apart = 1; apart < Item.SUBGROUP; apart <<= 1) {
        int lower = it.shuffle(sum, (lane - apart) & (Item.SUBGROUP - 1));
        sum = lane < apart ? sum : lower + sum;
      }
      return sum;
    }
    sum = it.shuffle(value, first(here));
    for (int rest = here & (here - 1); rest != 0; rest &= rest - 1) {
      int from = first(rest);
      int next = it.shuffle(value, from);
      sum = from <= lane ? sum + next : sum;
    }
    return sum;
  }

  private static int reduce(Item it, int value, int op) {
    int here = it.ballot(true);
    if (here == WHOLE) {
      int result = value;
      for (int apart = Item.SUBGROUP / 2; apart > 0; apart >>= 1) {
        result = both(result, it.shuffle(result, it.lane() ^ apart), op);
      }
      return result;
    }
    int result = it.shuffle(value, first(here));
    for (int rest = here & (here - 1); rest != 0; rest &= rest - 1) {
      result = both(result, it.shuffle(value, first(rest)), op);
    }
    return result;
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
    int lane = it.lane();
    long sum = value;
    if (here == WHOLE) {
      for (int apart = 1; apart < Item.SUBGROUP; apart <<= 1) {
        long lower = it.shuffle(sum, (lane - apart) & (Item.SUBGROUP - 1));
        sum = lane < apart ? sum : lower + sum;
      }
      return sum;
    }
    sum = it.shuffle(value, first(here));
    for (int rest = here & (here - 1); rest != 0; rest &= rest - 1) {
      int from = first(rest);
      long next = it.shuffle(value, from);
      sum = from <= lane ? sum + next : sum;
    }
    return sum;
  }

  private static long reduce(Item it, long value, int op) {
    int here = it.ballot(true);
    if (here == WHOLE) {
      long result = value;
      for (int apart = Item.SUBGROUP / 2; apart > 0; apart >>= 1) {
        result = both(result, it.shuffle(result, it.lane() ^ apart), op);
      }
      return result;
    }
    long result = it.shuffle(value, first(here));
    for (int rest = here & (here - 1); rest != 0; rest &= rest - 1) {
      result = both(result, it.shuffle(value, first(rest)), op);
    }
    return result;
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
    int lane = it.lane();
    float sum = value;
    if (here == WHOLE) {
      for (int apart = 1; apart < Item.SUBGROUP; apart <<= 1) {
        float lower = it.shuffle(sum, (lane - apart) & (Item.SUBGROUP - 1));
        sum = lane < apart ? sum : lower + sum;
      }
      return sum;
    }
    sum = it.shuffle(value, first(here));
    for (int rest = here & (here - 1); rest != 0; rest &= rest - 1) {
      int from = first(rest);
      float next = it.shuffle(value, from);
      sum = from <= lane ? sum + next : sum;
    }
    return sum;
  }

  private static float reduce(Item it, float value, int op) {
    int here = it.ballot(true);
    if (here == WHOLE) {
      float result = value;
      for (int apart = Item.SUBGROUP / 2; apart > 0; apart >>= 1) {
        result = both(result, it.shuffle(result, it.lane() ^ apart), op);
      }
      return result;
    }
    float result = it.shuffle(value, first(here));
    for (int rest = here & (here - 1); rest != 0; rest &= rest - 1) {
      result = both(result, it.shuffle(value, first(rest)), op);
    }
    return result;
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
    int lane = it.lane();
    double sum = value;
    if (here == WHOLE) {
      for (int apart = 1; apart < Item.SUBGROUP; apart <<= 1) {
        double lower = it.shuffle(sum, (lane - apart) & (Item.SUBGROUP - 1));
        sum = lane < apart ? sum : lower + sum;
      }
      return sum;
    }
    sum = it.shuffle(value, first(here));
    for (int rest = here & (here - 1); rest != 0; rest &= rest - 1) {
      int from = first(rest);
      double next = it.shuffle(value, from);
      sum = from <= lane ? sum + next : sum;
    }
    return sum;
  }

  private static double reduce(Item it, double value, int op) {
    int here = it.ballot(true);
    if (here == WHOLE) {
      double result = value;
      for (int apart = Item.SUBGROUP / 2; apart > 0; apart >>= 1) {
        result = both(result, it.shuffle(result, it.lane() ^ apart), op);
      }
      return result;
    }
    double result = it.shuffle(value, first(here));
    for (int rest = here & (here - 1); rest != 0; rest &= rest - 1) {
      result = both(result, it.shuffle(value, first(rest)), op);
    }
    return result;
  }

  private static double both(double x, double y, int op) {
    return op == SUM ? x + y : op == MIN ? Math.min(x, y) : Math.max(x, y);
  }
}
