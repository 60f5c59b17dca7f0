package dev.rialto.spi.parts;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.memory.HostMemory;
import dev.rialto.spi.parts.MessageCollectives.Edge;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Exchanges with some ranks instead of all: the same as collectives, along edges. */
final class MessageTopology implements Topology {
  private final MessageCollectives comm;
  private final int[] sources;
  private final int[] targets;
  private boolean closed;

  MessageTopology(MessageCollectives comm, int[] sources, int[] targets) {
    for (int source : sources) {
      Arguments.rank(source, comm.size(), "source");
    }
    for (int target : targets) {
      Arguments.rank(target, comm.size(), "target");
    }
    this.comm = comm;
    this.sources = sources.clone();
    this.targets = targets.clone();
    comm.opened();
  }

  @Override
  public int[] sources() {
    return sources.clone();
  }

  @Override
  public int[] targets() {
    return targets.clone();
  }

  /** Begins an exchange; block i goes to target i, and block i comes from source i. */
  private Request begin(
      MemorySegment send,
      long[] sendCounts,
      long[] sendStarts,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveStarts,
      DType type) {
    check(send, sendCounts, sendStarts, receive, receiveCounts, receiveStarts, type);
    return comm.begin(
        type,
        edges(targets, send, sendCounts, sendStarts, type),
        edges(sources, receive, receiveCounts, receiveStarts, type));
  }

  private void check(
      MemorySegment send,
      long[] sendCounts,
      long[] sendStarts,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveStarts,
      DType type) {
    if (closed) {
      throw new IllegalStateException(comm.where() + ": the topology is closed");
    }
    Arguments.blocks(send, type, sendCounts, sendStarts, targets.length, "send buffer");
    Arguments.blocks(receive, type, receiveCounts, receiveStarts, sources.length, "receive buffer");
    HostMemory.requireReadable(send, 0, "send buffer");
    HostMemory.requireWritable(receive, receive.byteSize(), "receive buffer");
  }

  private static List<Edge> edges(
      int[] ranks, MemorySegment buffer, long[] counts, long[] starts, DType type) {
    List<Edge> edges = new ArrayList<>();
    for (int i = 0; i < ranks.length; i++) {
      edges.add(new Edge(ranks[i], MessageCollectives.block(buffer, type, counts, starts, i)));
    }
    return edges;
  }

  private static long[] same(int blocks, long count) {
    long[] counts = new long[blocks];
    Arrays.fill(counts, count);
    return counts;
  }

  private static long[] packed(int blocks, long count) {
    long[] starts = new long[blocks];
    Arrays.setAll(starts, i -> i * count);
    return starts;
  }

  @Override
  public void neighborAllGather(MemorySegment send, MemorySegment receive, DType type, long count) {
    ineighborAllGather(send, receive, type, count).await();
  }

  @Override
  public void neighborAllGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    MessageCollectives.toSend(send, type, sendCount);
    begin(
            send,
            same(targets.length, sendCount),
            new long[targets.length],
            receive,
            receiveCounts,
            receiveDisplacements,
            type)
        .await();
  }

  @Override
  public void neighborAllToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    ineighborAllToAll(send, receive, type, count).await();
  }

  @Override
  public void neighborAllToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    begin(send, sendCounts, sendDisplacements, receive, receiveCounts, receiveDisplacements, type)
        .await();
  }

  @Override
  public Request ineighborAllGather(
      MemorySegment send, MemorySegment receive, DType type, long count) {
    MessageCollectives.toSend(send, type, count);
    int out = targets.length;
    int in = sources.length;
    return begin(
        send, same(out, count), new long[out], receive, same(in, count), packed(in, count), type);
  }

  @Override
  public Request ineighborAllToAll(
      MemorySegment send, MemorySegment receive, DType type, long count) {
    var _ = type.bytes(count); // refuses one that is negative, also without targets
    int out = targets.length;
    int in = sources.length;
    return begin(
        send,
        same(out, count),
        packed(out, count),
        receive,
        same(in, count),
        packed(in, count),
        type);
  }

  @Override
  public Request ineighborAllToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    return begin(
        send, sendCounts, sendDisplacements, receive, receiveCounts, receiveDisplacements, type);
  }

  @Override
  public PersistentRequest persistentNeighborAllToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    // The arrays are the caller's again when this returns.
    long[] out = sendCounts.clone();
    long[] outStarts = sendDisplacements.clone();
    long[] in = receiveCounts.clone();
    long[] inStarts = receiveDisplacements.clone();
    check(send, out, outStarts, receive, in, inStarts, type);
    return new RepeatedRequest(
        "an exchange of neighbours",
        () -> begin(send, out, outStarts, receive, in, inStarts, type));
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      comm.closed();
    }
  }
}
