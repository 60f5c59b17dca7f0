package dev.rialto.spi.comm;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/**
 * Refuses a collective that would write what it reads, in the same words for every backend.
 *
 * <p>Blocks are compared one by one only if the memory from the first to the last of those that are
 * sent meets that of those that are received, so that what is right costs one look at each block.
 */
final class BufferOverlap {
  private BufferOverlap() {}

  /** Blocks of a buffer: counts, and where they begin, in elements. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Blocks(MemorySegment buffer, DType type, long[] counts, long[] places) {
    static Blocks of(MemorySegment buffer, DType type, long count) {
      return new Blocks(buffer, type, new long[] {count}, new long[1]);
    }

    boolean isEmpty(int block) {
      return counts[block] == 0;
    }

    long begin(int block) {
      return buffer.address() + type.bytes(places[block]);
    }

    long end(int block) {
      return begin(block) + type.bytes(counts[block]);
    }

    /** Returns where the first one begins; the largest number if all are empty. */
    long first() {
      long first = Long.MAX_VALUE;
      for (int block = 0; block < counts.length; block++) {
        first = isEmpty(block) ? first : Math.min(first, begin(block));
      }
      return first;
    }

    /** Returns where the last one ends; the smallest number if all are empty. */
    long last() {
      long last = Long.MIN_VALUE;
      for (int block = 0; block < counts.length; block++) {
        last = isEmpty(block) ? last : Math.max(last, end(block));
      }
      return last;
    }

    boolean isInMemoryOf(Blocks other) {
      return buffer.isNative() == other.buffer.isNative()
          && (buffer.isNative() || buffer.heapBase().equals(other.buffer.heapBase()));
    }
  }

  /**
   * Checks a collective of all ranks, whose other arguments were checked.
   *
   * @throws IllegalArgumentException if what is sent and what is received overlap
   */
  static void refuse(Collective collective, int rank, int ranks) {
    switch (collective) {
      case Collective.Barrier _, Collective.Broadcast _ -> {}
      case Collective.Gather it -> {
        if (rank == it.root()) {
          apart(
              Blocks.of(it.send(), it.type(), it.count()),
              Blocks.of(it.receive(), it.type(), it.count() * ranks));
        }
      }
      case Collective.GatherV it -> {
        if (rank == it.root()) {
          apart(
              Blocks.of(it.send(), it.type(), it.sendCount()),
              new Blocks(it.receive(), it.type(), it.counts(), it.displacements()));
        }
      }
      case Collective.Scatter it -> {
        if (rank == it.root()) {
          apart(
              Blocks.of(it.send(), it.type(), it.count() * ranks),
              Blocks.of(it.receive(), it.type(), it.count()));
        }
      }
      case Collective.ScatterV it -> {
        if (rank == it.root()) {
          apart(
              new Blocks(it.send(), it.type(), it.counts(), it.displacements()),
              Blocks.of(it.receive(), it.type(), it.receiveCount()));
        }
      }
      case Collective.AlongEdges it -> refuse(it, ranks, ranks);
      case Collective.Reduce it -> {
        if (rank == it.root()) {
          sameOrApart(it.send(), it.receive(), it.type(), it.count());
        }
      }
      case Collective.AllReduce it -> sameOrApart(it.send(), it.receive(), it.type(), it.count());
      case Collective.Scan it -> sameOrApart(it.send(), it.receive(), it.type(), it.count());
      case Collective.Exscan it -> sameOrApart(it.send(), it.receive(), it.type(), it.count());
      case Collective.ReduceScatter it -> {
        long sum = 0;
        for (long count : it.counts()) {
          sum += count;
        }
        apart(
            Blocks.of(it.send(), it.type(), sum),
            Blocks.of(it.receive(), it.type(), it.counts()[rank]));
      }
    }
  }

  /**
   * Checks a collective along the edges of a topology, whose other arguments were checked.
   *
   * @param sources from how many ranks blocks come
   * @param targets to how many they go
   * @throws IllegalArgumentException if what is sent and what is received overlap
   */
  static void refuse(Collective.AlongEdges collective, int sources, int targets) {
    switch (collective) {
      case Collective.AllGather it ->
          apart(
              Blocks.of(it.send(), it.type(), it.count()),
              Blocks.of(it.receive(), it.type(), it.count() * sources));
      case Collective.AllGatherV it ->
          apart(
              Blocks.of(it.send(), it.type(), it.sendCount()),
              new Blocks(it.receive(), it.type(), it.counts(), it.displacements()));
      case Collective.AllToAll it ->
          apart(
              Blocks.of(it.send(), it.type(), it.count() * targets),
              Blocks.of(it.receive(), it.type(), it.count() * sources));
      case Collective.AllToAllV it ->
          apart(
              new Blocks(it.send(), it.type(), it.sendCounts(), it.sendDisplacements()),
              new Blocks(it.receive(), it.type(), it.receiveCounts(), it.receiveDisplacements()));
    }
  }

  /** A reduction may write what it reads, at the very same places. */
  private static void sameOrApart(
      MemorySegment send, MemorySegment receive, DType type, long count) {
    Blocks sent = Blocks.of(send, type, count);
    Blocks received = Blocks.of(receive, type, count);
    if (!sent.isInMemoryOf(received) || send.address() != receive.address()) {
      apart(sent, received);
    }
  }

  private static void apart(Blocks sent, Blocks received) {
    if (sent.first() >= received.last()
        || received.first() >= sent.last()
        || !sent.isInMemoryOf(received)) {
      return;
    }
    for (int from = 0; from < sent.counts.length; from++) {
      for (int to = 0; to < received.counts.length; to++) {
        if (!sent.isEmpty(from)
            && !received.isEmpty(to)
            && sent.begin(from) < received.end(to)
            && received.begin(to) < sent.end(from)) {
          throw new IllegalArgumentException(
              "send and receive overlap: %d bytes at %d and %d at %d; give separate memory"
                  .formatted(
                      sent.end(from) - sent.begin(from),
                      sent.begin(from),
                      received.end(to) - received.begin(to),
                      received.begin(to)));
        }
      }
    }
  }
}
