package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory that a team's sorts use again: fresh arrays of megabytes would be zeroed, faulted in and
 * collected each time, which takes longer than to exchange them. A piece only grows; its contents
 * are whatever was left there.
 */
final class Scratch implements AutoCloseable {
  private final long[][] heap = new long[4][0];
  private final @Nullable Arena[] arenas = new Arena[2];
  private final MemorySegment[] segments = {MemorySegment.NULL, MemorySegment.NULL};

  /** Returns piece {@code slot} of the heap, of at least so many numbers. */
  long[] longs(int slot, long count) {
    if (heap[slot].length < count) {
      heap[slot] = new long[Math.toIntExact(grown(count))];
    }
    return heap[slot];
  }

  /** Returns piece {@code slot} of native memory, for at least so many numbers. */
  MemorySegment numbers(int slot, long count) {
    if (segments[slot].byteSize() < count * Long.BYTES) {
      close(slot);
      Arena arena = Arena.ofShared();
      arenas[slot] = arena;
      segments[slot] = arena.allocate(JAVA_LONG, grown(count));
    }
    return segments[slot];
  }

  /** Shares of a sort differ a little from one run to the next. */
  private static long grown(long count) {
    return Math.min(count + count / 16, Math.max(count, Integer.MAX_VALUE - 8));
  }

  private void close(int slot) {
    Arena arena = arenas[slot];
    if (arena != null) {
      arenas[slot] = null;
      segments[slot] = MemorySegment.NULL;
      arena.close();
    }
  }

  @Override
  public void close() {
    for (int slot = 0; slot < arenas.length; slot++) {
      close(slot);
    }
  }
}
