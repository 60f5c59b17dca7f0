package dev.rialto.array.loop;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.part.Elements;
import java.lang.constant.ConstantDescs;
import java.lang.invoke.MethodHandles;

/** The loops that {@link KeyLoops#of} makes copies of. */
public final class KeyLoopsBody implements KeyLoops {
  private static final Elements ELEMENTS = elements();
  private static final boolean FLOATING = ELEMENTS.isFloating();

  private static Elements elements() {
    try {
      return MethodHandles.classData(
          MethodHandles.lookup(), ConstantDescs.DEFAULT_NAME, Elements.class);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long key(long address, int i, long flip) {
    return Elements.key(ELEMENTS.get(address, i), FLOATING) ^ flip;
  }

  @Override
  public long key(long address, long flip) {
    return key(address, 0, flip);
  }

  @Override
  public void read(long address, int at, int count, long flip, long[] keys) {
    for (int i = 0; i < count; i++) {
      keys[at + i] = key(address, i, flip);
    }
  }

  @Override
  public void write(long address, int at, int count, long flip, long[] keys) {
    for (int i = 0; i < count; i++) {
      ELEMENTS.set(address, i, Elements.fromKey(keys[at + i] ^ flip, FLOATING));
    }
  }

  @Override
  public void count(
      long address, int at, int count, long flip, Splitters splitters, long[] counts) {
    for (int i = 0; i < count; i++) {
      counts[splitters.rank(key(address, i, flip), at + i)]++;
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
      long key = key(address, i, flip);
      long place = places[splitters.rank(key, at + i)]++;
      MEMORY.set(JAVA_LONG, to + 8 * place, positions == KEYS ? key : positions + at + i);
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
    long bound = splitters.bounds()[0];
    int place = splitters.places()[0];
    int stays = own;
    long leaves = other;
    for (int i = 0; i < count; i++) {
      long key = key(address, i, flip);
      // Written to both places, of which the right one is kept.
      share[stays] = key;
      MEMORY.set(JAVA_LONG, leaves, key);
      int mine = (int) Splitters.after(key, at + i, bound, place) ^ (rank - 1);
      stays -= mine;
      leaves += 8 & ~mine;
    }
    return stays;
  }
}
