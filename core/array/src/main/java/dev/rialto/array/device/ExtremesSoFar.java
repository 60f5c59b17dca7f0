package dev.rialto.array.device;

import dev.rialto.array.part.Elements;

/**
 * The least and the greatest key that an item of a kernel has seen, and the numbers of both. Most
 * values are between them, which two comparisons tell without making a key.
 */
final class ExtremesSoFar {
  private final boolean floating;
  private final boolean rising;
  private long leastKey;
  private long least;
  private long mostKey;
  private long most;
  private double leastValue;
  private double mostValue;

  ExtremesSoFar(boolean floating, boolean rising, long value, long number) {
    this.floating = floating;
    this.rising = rising;
    leastKey = Elements.key(value, floating);
    least = number;
    mostKey = leastKey;
    most = number;
    leastValue = Double.longBitsToDouble(value);
    mostValue = leastValue;
  }

  /**
   * Returns whether a value surely changes nothing: it is between the extremes, or equal to one
   * that has a lower number.
   */
  boolean covers(long value) {
    if (!floating) {
      return rising ? value >= leastKey && value <= mostKey : value > leastKey && value < mostKey;
    }
    double real = Double.longBitsToDouble(value);
    return (real > leastValue || (rising && value == Double.doubleToRawLongBits(leastValue)))
        && (real < mostValue || (rising && value == Double.doubleToRawLongBits(mostValue)));
  }

  /** Adds a value; its number is asked for only if that decides. */
  void add(long value, long i, DeviceValues.At numbers) {
    if (!covers(value)) {
      long key = Elements.key(value, floating);
      if (key <= leastKey) {
        addLeast(key, numbers.at(i));
        leastValue = Double.longBitsToDouble(Elements.fromKey(leastKey, floating));
      }
      if (key >= mostKey) {
        addMost(key, numbers.at(i));
        mostValue = Double.longBitsToDouble(Elements.fromKey(mostKey, floating));
      }
    }
  }

  void add(long[] found, int item) {
    addLeast(found[4 * item], found[4 * item + 1]);
    addMost(found[4 * item + 2], found[4 * item + 3]);
  }

  private void addLeast(long key, long number) {
    if (key < leastKey || (key == leastKey && number < least)) {
      leastKey = key;
      least = number;
    }
  }

  private void addMost(long key, long number) {
    if (key > mostKey || (key == mostKey && number < most)) {
      mostKey = key;
      most = number;
    }
  }

  void leave(long[] found, int item) {
    found[4 * item] = leastKey;
    found[4 * item + 1] = least;
    found[4 * item + 2] = mostKey;
    found[4 * item + 3] = most;
  }
}
