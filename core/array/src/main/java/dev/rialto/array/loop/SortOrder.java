package dev.rialto.array.loop;

import dev.rialto.array.IntegerArray;
import dev.rialto.array.RealArray;
import dev.rialto.array.part.Elements;
import java.io.Serializable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An order of elements as words: keys in the order of numbers, or the bits of elements in an order
 * of the user's. It is serializable so that its code can be found for a device.
 */
@FunctionalInterface
public interface SortOrder extends Serializable {
  /** The order of {@linkplain Elements#key keys}, which sorts by digits know. */
  SortOrder NATURAL = (x, y) -> x < y ? -1 : x == y ? 0 : 1;

  /** Fewer are put in order one by one. */
  int SHORT = 8;

  /** Returns a negative number if a word comes before another, a positive one if after. */
  int compare(long x, long y);

  default boolean isNatural() {
    return equals(NATURAL);
  }

  /** Returns an order of the user's as one of bits. */
  static SortOrder of(Object comparison) {
    if (comparison instanceof RealArray.Comparison c) {
      return (x, y) -> c.compare(Double.longBitsToDouble(x), Double.longBitsToDouble(y));
    }
    IntegerArray.Comparison c = (IntegerArray.Comparison) comparison;
    return (x, y) -> c.compare(x, y);
  }

  /** Sorts a part of an array, and numbers with it, by merging; equal words keep their order. */
  default void sort(long[] words, long @Nullable [] with, int from, int to) {
    long[] otherWords = Arrays.copyOf(words, to);
    long[] otherWith = with == null ? otherWords : Arrays.copyOf(with, to);
    merge(otherWords, otherWith, words, with == null ? words : with, from, to);
  }

  /** Sorts to one pair of arrays what both have; they may be one array each. */
  private void merge(long[] from, long[] fromWith, long[] to, long[] toWith, int begin, int end) {
    if (end - begin < SHORT) {
      for (int i = begin + 1; i < end; i++) {
        long word = to[i];
        long number = toWith[i];
        int at = i;
        for (; at > begin && compare(to[at - 1], word) > 0; at--) {
          to[at] = to[at - 1];
          toWith[at] = toWith[at - 1];
        }
        to[at] = word;
        toWith[at] = number;
      }
      return;
    }
    int middle = (begin + end) >>> 1;
    merge(to, toWith, from, fromWith, begin, middle);
    merge(to, toWith, from, fromWith, middle, end);
    int left = begin;
    int right = middle;
    for (int i = begin; i < end; i++) {
      boolean takesLeft = right == end || (left < middle && compare(from[left], from[right]) <= 0);
      int at = takesLeft ? left++ : right++;
      to[i] = from[at];
      toWith[i] = fromWith[at];
    }
  }
}
