package dev.rialto.array.run;

import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Resource;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Memory that a team's operations use again: fresh arrays of megabytes would be zeroed, faulted in
 * and collected each time, which takes longer than to exchange them. A piece only grows; its
 * contents are whatever was left there.
 */
public final class Scratch implements AutoCloseable {
  // The users of the pieces of the heap.
  public static final int CHUNKS = 0;
  public static final int SHARE = 1;
  public static final int SHARE_POSITIONS = 2;
  public static final int SAMPLES = 3;
  public static final int ALL_SAMPLES = 4;
  public static final int SORTED_SAMPLES = 5;
  public static final int EQUAL_SAMPLES = 6;

  // The users of the pieces of native memory.
  static final int WORDS_SENT = 0;
  static final int WORDS_RECEIVED = 1;
  static final int MANY_SENT = 2;
  static final int MANY_RECEIVED = 3;
  public static final int VALUES = 4;
  public static final int SORT_SENT = 5;
  public static final int SORT_RECEIVED = 6;
  private static final int PIECES = 7;

  private final long[][] heap = new long[7][0];
  private final ComputeClient client;
  private final @Nullable Resource[] pieces = new Resource[PIECES];
  private final MemorySegment[] segments = new MemorySegment[PIECES];

  public Scratch(ComputeClient client) {
    this.client = client;
    Arrays.fill(segments, MemorySegment.NULL);
  }

  /** Returns piece {@code slot} of the heap, of at least so many numbers. */
  public long[] longs(int slot, long count) {
    if (heap[slot].length < count) {
      heap[slot] = new long[Math.toIntExact(grown(count))];
    }
    return heap[slot];
  }

  /** Returns piece {@code slot} of native memory, for at least so many numbers. */
  public MemorySegment numbers(int slot, long count) {
    if (segments[slot].byteSize() < count * Long.BYTES) {
      close(slot);
      Resource piece = client.hosted("scratch of arrays", Long.BYTES * grown(count));
      pieces[slot] = piece;
      segments[slot] = piece.segment();
    }
    return segments[slot];
  }

  /** Shares of a sort differ a little from one run to the next. */
  private static long grown(long count) {
    return Math.min(count + count / 16, Math.max(count, Integer.MAX_VALUE - 8));
  }

  private void close(int slot) {
    Resource piece = pieces[slot];
    if (piece != null) {
      pieces[slot] = null;
      segments[slot] = MemorySegment.NULL;
      piece.close();
    }
  }

  @Override
  public void close() {
    for (int slot = 0; slot < pieces.length; slot++) {
      close(slot);
    }
  }
}
