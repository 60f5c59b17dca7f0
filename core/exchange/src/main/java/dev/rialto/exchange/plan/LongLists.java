package dev.rialto.exchange.plan;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** A growing list of numbers for each rank, which can be handed to that rank. */
public final class LongLists {
  private final long[][] lists;
  private final int[] counts;

  /** Makes empty lists for ranks 0 to {@code ranks - 1}. */
  public LongLists(int ranks) {
    lists = new long[ranks][0];
    counts = new int[ranks];
  }

  /** Appends a number to a rank's list. */
  public void add(int rank, long value) {
    if (counts[rank] == lists[rank].length) {
      lists[rank] = Arrays.copyOf(lists[rank], Math.max(16, 2 * counts[rank]));
    }
    lists[rank][counts[rank]++] = value;
  }

  /** Returns a fresh array of a rank's list. */
  public long[] get(int rank) {
    return Arrays.copyOf(lists[rank], counts[rank]);
  }

  /** Hands each list to its rank and returns what all ranks have for this one. Collective. */
  public LongLists exchange(Communicator comm) {
    int ranks = comm.size();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment sendCounts = arena.allocate(JAVA_LONG, ranks);
      MemorySegment receiveCounts = arena.allocate(JAVA_LONG, ranks);
      for (int rank = 0; rank < ranks; rank++) {
        sendCounts.setAtIndex(JAVA_LONG, rank, counts[rank]);
      }
      comm.allToAll(sendCounts, receiveCounts, DType.I64, 1);
      long[] sends = sendCounts.toArray(JAVA_LONG);
      long[] receives = receiveCounts.toArray(JAVA_LONG);
      MemorySegment out = arena.allocate(JAVA_LONG, Arrays.stream(sends).sum());
      MemorySegment in = arena.allocate(JAVA_LONG, Arrays.stream(receives).sum());
      long[] sendStarts = starts(sends);
      long[] receiveStarts = starts(receives);
      for (int rank = 0; rank < ranks; rank++) {
        MemorySegment.copy(lists[rank], 0, out, JAVA_LONG, 8 * sendStarts[rank], counts[rank]);
      }
      comm.allToAllV(out, sends, sendStarts, in, receives, receiveStarts, DType.I64);
      LongLists result = new LongLists(ranks);
      for (int rank = 0; rank < ranks; rank++) {
        result.counts[rank] = Math.toIntExact(receives[rank]);
        result.lists[rank] =
            in.asSlice(8 * receiveStarts[rank], 8 * receives[rank]).toArray(JAVA_LONG);
      }
      return result;
    }
  }

  private static long[] starts(long[] counts) {
    long[] starts = new long[counts.length];
    for (int i = 1; i < starts.length; i++) {
      starts[i] = starts[i - 1] + counts[i - 1];
    }
    return starts;
  }
}
