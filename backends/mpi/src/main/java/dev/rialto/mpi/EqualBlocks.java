package dev.rialto.mpi;

import java.util.Arrays;
import java.util.stream.LongStream;

/** Blocks of one length, between neighbours, as blocks of any length. */
final class EqualBlocks {
  final long count;
  final long[] sendCounts;
  final long[] sendStarts;
  final long[] receiveCounts;
  final long[] receiveStarts;

  EqualBlocks(long count, int targets, int sources) {
    this.count = count;
    sendCounts = equal(count, targets);
    sendStarts = starts(count, targets);
    receiveCounts = equal(count, sources);
    receiveStarts = starts(count, sources);
  }

  private static long[] equal(long count, int blocks) {
    long[] counts = new long[blocks];
    Arrays.fill(counts, count);
    return counts;
  }

  private static long[] starts(long count, int blocks) {
    return LongStream.range(0, blocks).map(i -> i * count).toArray();
  }
}
