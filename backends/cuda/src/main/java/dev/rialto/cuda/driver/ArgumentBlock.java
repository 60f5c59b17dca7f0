package dev.rialto.cuda.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The arguments of a launch as the driver takes them: a pointer to each, and the values, 8 bytes
 * each. The pointers never change, so a launch only writes values. Not thread-safe; the driver
 * copies the values before a launch returns, so one block serves all launches of a stream.
 */
public final class ArgumentBlock implements AutoCloseable {
  private static final int FIRST = 16;

  private Arena arena;
  private MemorySegment pointers;
  private MemorySegment values;
  private int capacity;

  public ArgumentBlock() {
    this(FIRST);
  }

  private ArgumentBlock(int count) {
    arena = Arena.ofShared();
    capacity = count;
    pointers = arena.allocate(ADDRESS, count);
    values = arena.allocate(JAVA_LONG, count);
    for (int i = 0; i < count; i++) {
      pointers.setAtIndex(ADDRESS, i, values.asSlice((long) i * Long.BYTES));
    }
  }

  private void grow(int count) {
    ArgumentBlock larger = new ArgumentBlock(count);
    arena.close();
    arena = larger.arena;
    pointers = larger.pointers;
    values = larger.values;
    capacity = count;
  }

  /** Makes room for so many arguments; their values are lost then. */
  public void reserve(int count) {
    if (count > capacity) {
      grow(Math.max(count, 2 * capacity));
    }
  }

  public void set(int index, long value) {
    values.setAtIndex(JAVA_LONG, index, value);
  }

  public MemorySegment pointers() {
    return pointers;
  }

  @Override
  public void close() {
    arena.close();
  }
}
