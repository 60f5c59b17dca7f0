package dev.rialto.cpu.fft;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The division of a length into the butterflies that there are. */
final class Radices {
  private static final int[] ODD = {
    3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61
  };

  private Radices() {}

  /** Returns whether butterflies of a radix are written out; others are loops. */
  static boolean isUnrolled(int radix) {
    return radix <= 8;
  }

  /** Returns whether a length is a product of factors up to 61. */
  static boolean divide(long length) {
    long rest = length >> Long.numberOfTrailingZeros(length);
    for (int prime : ODD) {
      while (rest % prime == 0) {
        rest /= prime;
      }
    }
    return rest == 1;
  }

  /**
   * Returns radices whose product is the length, large ones first: the first pass has no twiddle
   * factors to multiply by. Eights do the most work per pass over memory; 16 = 4 · 4 beats 8 · 2.
   */
  static List<Integer> of(long length) {
    List<Integer> radices = new ArrayList<>();
    long rest = length;
    for (int prime : ODD) {
      for (; rest % prime == 0; rest /= prime) {
        radices.add(prime);
      }
    }
    int twos = Long.numberOfTrailingZeros(rest);
    int eights = twos % 3 == 1 && twos > 1 ? (twos - 4) / 3 : twos / 3;
    radices.addAll(Collections.nCopies(eights, 8));
    twos -= 3 * eights;
    radices.addAll(Collections.nCopies(twos / 2, 4));
    if (twos % 2 == 1) {
      radices.add(2);
    }
    if (radices.isEmpty()) {
      radices.add(1);
    }
    radices.sort(Collections.reverseOrder());
    return radices;
  }

  /** Returns the least length from {@code least} up that has factors 2, 3 and 5 only. */
  static long atLeast(long least) {
    long best = Long.highestOneBit(Math.max(1, least - 1)) * 2;
    for (long fives = 1; fives < best; fives *= 5) {
      for (long odd = fives; odd < best; odd *= 3) {
        long length = odd;
        while (length < least) {
          length *= 2;
        }
        best = Math.min(best, length);
      }
    }
    return Math.max(best, 1);
  }
}
