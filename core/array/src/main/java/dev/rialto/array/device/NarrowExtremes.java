package dev.rialto.array.device;

import dev.rialto.array.part.Elements;

/**
 * The least and the greatest of the values of at most 4 bytes that an item of a kernel has seen, as
 * keys of 4 bytes, and where the chunks begin that have them first. See {@link ExtremesSoFar}.
 */
final class NarrowExtremes {
  private final boolean floating;
  private int leastKey;
  private long least;
  private int mostKey;
  private long most;

  /** Begins with a value. */
  NarrowExtremes(boolean floating, long value, long i) {
    this.floating = floating;
    leastKey = key(value);
    least = i;
    mostKey = leastKey;
    most = i;
  }

  /** Returns an int that is ordered as the values are. */
  int key(long value) {
    if (!floating) {
      return (int) value;
    }
    int bits = Float.floatToIntBits((float) Double.longBitsToDouble(value));
    return bits ^ (bits >> 31 & Integer.MAX_VALUE);
  }

  /** Adds the least and the greatest key of a chunk behind those before. */
  void add(int low, int high, long i) {
    boolean less = low < leastKey;
    boolean more = high > mostKey;
    leastKey = less ? low : leastKey;
    least = less ? i : least;
    mostKey = more ? high : mostKey;
    most = more ? i : most;
  }

  /** Leaves both keys, as {@link ExtremesSoFar} has them, and their numbers. */
  void leave(long[] found, int item, DeviceValues.At x, DeviceValues.At numbers) {
    leave(found, 4 * item, x, first(x, least, leastKey), numbers);
    leave(found, 4 * item + 2, x, first(x, most, mostKey), numbers);
  }

  private void leave(long[] found, int at, DeviceValues.At x, long i, DeviceValues.At numbers) {
    found[at] = Elements.key(x.at(i), floating);
    found[at + 1] = numbers.at(i);
  }

  /** Returns where a chunk has a key first. */
  private long first(DeviceValues.At x, long chunk, int key) {
    long i = chunk;
    while (key(x.at(i)) != key) {
      i += ReductionKernels.BLOCK;
    }
    return i;
  }
}
