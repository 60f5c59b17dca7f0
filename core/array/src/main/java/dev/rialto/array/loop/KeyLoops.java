package dev.rialto.array.loop;

import dev.rialto.array.part.Elements;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The inner loops of sorts on the elements of one type as {@linkplain Elements#key keys}, numbers
 * that are ordered as the elements are. In descending order their bits are flipped.
 */
public interface KeyLoops {
  /** Says that keys are divided, not their positions. */
  long KEYS = -1;

  /** The loops of each type: a copy of the class, so that the type is a constant in it. */
  Map<Elements, KeyLoops> OF = new ConcurrentHashMap<>();

  static KeyLoops of(Elements elements) {
    return OF.computeIfAbsent(
        elements, type -> Loops.Specialized.make(KeyLoopsBody.class, type, KeyLoops.class));
  }

  long key(long address, long flip);

  /** Sets {@code keys[at + i]} to those of elements. */
  void read(long address, int at, int count, long flip, long[] keys);

  /** Sets elements to what {@code keys[at + i]} were made of. */
  void write(long address, int at, int count, long flip, long[] keys);

  /** Adds to how many keys go to each rank; {@code at} is the place of the first. */
  void count(long address, int at, int count, long flip, Splitters splitters, long[] counts);

  /** Writes keys, or their positions, to the next places for the ranks where they go. */
  void divide(
      long address,
      int at,
      int count,
      long flip,
      Splitters splitters,
      long positions,
      long to,
      long[] places);

  /**
   * Divides keys between this rank and another; either's may be followed by anything.
   *
   * @param own where the next that stays goes
   * @param other the address where the next that leaves goes
   * @return where the next would stay
   */
  int divideInTwo(
      long address,
      int at,
      int count,
      long flip,
      Splitters splitters,
      int rank,
      long[] share,
      int own,
      long other);
}
