package dev.rialto.array.loop;

/**
 * The division of the keys of one rank: a key comes after splitter {@code j} if it is greater than
 * a bound, or equal and not before a place. Which side of a splitter random keys lie on cannot be
 * predicted, so it is computed instead of branched on.
 *
 * @param drawn how many are samples; all keys come before the others, which follow
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Splitters(long[] bounds, int[] places, int drawn) {
  /** Returns -1 if the key at a place comes after a splitter, else 0. */
  static long after(long key, int at, long bound, int place) {
    // The sign of bound - key, whatever overflows; of equal keys, that of place - 1 - at.
    long apart = bound - key;
    long greater = (apart ^ ((bound ^ key) & (apart ^ bound))) >> 63;
    return key == bound ? ((long) place - 1 - at) >> 63 : greater;
  }

  /** Returns to which rank the key at a place goes: how many splitters it comes after. */
  int rank(long key, int at) {
    int low = 0;
    for (int length = bounds.length; length > 0; ) {
      int half = (length + 1) >>> 1;
      int splitter = low + half - 1;
      low += half & (int) after(key, at, bounds[splitter], places[splitter]);
      length -= half;
    }
    return low;
  }
}
