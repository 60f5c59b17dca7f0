package dev.rialto.array.loop;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.part.Elements;

/** The loops of sorts in an order of the user's: a key is the bits of an element. */
public record ComparedLoops(Elements elements, SortOrder order) implements KeyLoops {
  @Override
  public long key(long address, long flip) {
    return elements.get(address);
  }

  @Override
  public void read(long address, int at, int count, long flip, long[] keys) {
    for (int i = 0; i < count; i++) {
      keys[at + i] = elements.get(address, i);
    }
  }

  @Override
  public void write(long address, int at, int count, long flip, long[] keys) {
    for (int i = 0; i < count; i++) {
      elements.set(address, i, keys[at + i]);
    }
  }

  /** Returns to which rank an element goes: how many splitters it comes after. */
  private int rank(Splitters splitters, long word, int at) {
    int low = 0;
    int high = splitters.drawn();
    while (low < high) {
      int middle = (low + high) >>> 1;
      int apart = order.compare(word, splitters.bounds()[middle]);
      if (apart > 0 || (apart == 0 && at >= splitters.places()[middle])) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  @Override
  public void count(
      long address, int at, int count, long flip, Splitters splitters, long[] counts) {
    for (int i = 0; i < count; i++) {
      counts[rank(splitters, elements.get(address, i), at + i)]++;
    }
  }

  @Override
  public void divide(
      long address,
      int at,
      int count,
      long flip,
      Splitters splitters,
      long positions,
      long to,
      long[] places) {
    for (int i = 0; i < count; i++) {
      long word = elements.get(address, i);
      long place = places[rank(splitters, word, at + i)]++;
      MEMORY.set(JAVA_LONG, to + 8 * place, positions == KEYS ? word : positions + at + i);
    }
  }

  @Override
  public int divideInTwo(
      long address,
      int at,
      int count,
      long flip,
      Splitters splitters,
      int rank,
      long[] share,
      int own,
      long other) {
    throw new IllegalStateException("elements in an order of the user's are divided by ranks");
  }
}
