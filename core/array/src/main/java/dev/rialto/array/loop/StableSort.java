package dev.rialto.array.loop;

import java.util.Arrays;

/**
 * Sorts numbers, and others with them, keeping the order of equal ones.
 *
 * <p>A radix sort from the lowest digit up: as many passes as there are digits in which numbers
 * differ. Numbers alone have no order to keep, and are sorted by the library, which uses vectors.
 */
public final class StableSort {
  private static final int BITS = 11;
  private static final int DIGITS = 1 << BITS;
  private static final int PASSES = (Long.SIZE + BITS - 1) / BITS;

  private StableSort() {}

  /** Sorts a part of both arrays by the keys. */
  public static void sort(long[] keys, long[] with, int begin, int end) {
    int count = end - begin;
    int[] places = new int[PASSES * DIGITS];
    for (int i = begin; i < end; i++) {
      long digits = keys[i] ^ Long.MIN_VALUE;
      for (int pass = 0; pass < PASSES; pass++) {
        places[pass * DIGITS + digit(digits, pass)]++;
      }
    }
    long[] from = Arrays.copyOfRange(keys, begin, end);
    long[] fromWith = Arrays.copyOfRange(with, begin, end);
    long[] to = new long[count];
    long[] toWith = new long[count];
    for (int pass = 0; pass < PASSES; pass++) {
      if (!startPlaces(places, pass * DIGITS, count)) {
        continue;
      }
      for (int i = 0; i < from.length; i++) {
        int place = places[pass * DIGITS + digit(from[i] ^ Long.MIN_VALUE, pass)]++;
        to[place] = from[i];
        toWith[place] = fromWith[i];
      }
      long[] spare = from;
      from = to;
      to = spare;
      spare = fromWith;
      fromWith = toWith;
      toWith = spare;
    }
    System.arraycopy(from, 0, keys, begin, count);
    System.arraycopy(fromWith, 0, with, begin, count);
  }

  private static int digit(long digits, int pass) {
    return (int) (digits >>> (pass * BITS)) & (DIGITS - 1);
  }

  /** Turns counts into first places; false if all numbers have the same digit. */
  private static boolean startPlaces(int[] places, int at, int count) {
    int sum = 0;
    for (int digit = 0; digit < DIGITS; digit++) {
      int of = places[at + digit];
      if (of == count) {
        return false;
      }
      places[at + digit] = sum;
      sum += of;
    }
    return true;
  }
}
