package dev.rialto.sparse.ownership;

import java.util.Arrays;

/**
 * The place of a global index on this rank: arithmetic for a block, a table for few globals, a hash
 * table otherwise. The part behind {@code owned} is the halo.
 */
public final class GlobalToLocal {
  /** Below so many globals, a table of all costs less than hashing. */
  private static final long TABLE = 1 << 20;

  private static final long EMPTY = -1;

  private final long first;
  private final int block;
  private final int[] table;
  private final long[] keys;
  private final int[] places;
  private final int mask;

  private GlobalToLocal(long first, int block, int[] table, long[] keys, int[] places) {
    this.first = first;
    this.block = block;
    this.table = table;
    this.keys = keys;
    this.places = places;
    this.mask = keys.length - 1;
  }

  /**
   * Makes the map.
   *
   * @param size how many globals there are
   * @param globals the global of each local index, those of a contiguous block in front
   * @param block how many of them in front are consecutive
   */
  public static GlobalToLocal of(long size, long[] globals, int block) {
    long first = block == 0 ? 0 : globals[0];
    int rest = globals.length - block;
    if (size <= TABLE && rest > block) {
      int[] table = new int[(int) size];
      Arrays.fill(table, -1);
      for (int i = 0; i < globals.length; i++) {
        table[(int) globals[i]] = i;
      }
      return new GlobalToLocal(first, block, table, new long[] {EMPTY}, new int[1]);
    }
    int slots = Math.max(2, Integer.highestOneBit(Math.max(1, rest)) * 4);
    long[] keys = new long[slots];
    int[] places = new int[slots];
    Arrays.fill(keys, EMPTY);
    for (int i = block; i < globals.length; i++) {
      int at = slot(globals[i], slots - 1);
      while (keys[at] != EMPTY) {
        at = (at + 1) & (slots - 1);
      }
      keys[at] = globals[i];
      places[at] = i;
    }
    return new GlobalToLocal(first, block, new int[0], keys, places);
  }

  private static int slot(long key, int mask) {
    long mixed = key * 0x9e3779b97f4a7c15L;
    return (int) (mixed >>> 32) & mask;
  }

  /** Returns the local index, or -1 if this rank has none. */
  public int local(long global) {
    long offset = global - first;
    if (offset >= 0 && offset < block) {
      return (int) offset;
    }
    if (table.length > 0) {
      return global >= 0 && global < table.length ? table[(int) global] : -1;
    }
    for (int at = slot(global, mask); keys[at] != EMPTY; at = (at + 1) & mask) {
      if (keys[at] == global) {
        return places[at];
      }
    }
    return -1;
  }
}
