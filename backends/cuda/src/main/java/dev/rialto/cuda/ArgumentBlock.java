package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The arguments of a launch as the driver takes them: a pointer to each, and the values, 8 bytes
 * each. The pointers never change, so a launch only writes values. Not thread-safe; the driver
 * copies the values before a launch returns, so one block serves all launches of a stream.
 */
final class ArgumentBlock implements AutoCloseable {
  private static final int FIRST = 16;

  private Arena arena = Arena.ofShared();
  private MemorySegment pointers = MemorySegment.NULL;
  private MemorySegment values = MemorySegment.NULL;
  private int capacity;

  ArgumentBlock() {
    grow(FIRST);
  }

  private void grow(int count) {
    Arena fresh = Arena.ofShared();
    capacity = count;
    pointers = fresh.allocate(ADDRESS, count);
    values = fresh.allocate(JAVA_LONG, count);
    for (int i = 0; i < count; i++) {
      pointers.setAtIndex(ADDRESS, i, values.asSlice((long) i * Long.BYTES));
    }
    arena.close();
    arena = fresh;
  }

  /** Makes room for so many arguments; their values are lost then. */
  void reserve(int count) {
    if (count > capacity) {
      grow(Math.max(count, 2 * capacity));
    }
  }

  void set(int index, long value) {
    values.setAtIndex(JAVA_LONG, index, value);
  }

  /** Returns what the driver is given. */
  MemorySegment pointers() {
    return pointers;
  }

  @Override
  public void close() {
    arena.close();
  }
}
