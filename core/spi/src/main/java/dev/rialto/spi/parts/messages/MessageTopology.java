package dev.rialto.spi.parts.messages;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.parts.messages.MessageCollectives.Edge;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Collectives with some ranks instead of all. */
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

  @Override
  public Request start(Collective.AlongEdges collective) {
    if (closed) {
      throw new IllegalStateException(comm.where() + ": the topology is closed");
    }
    int out = targets.length;
    int in = sources.length;
    return switch (collective) {
      case Collective.AllGather it -> {
        MessageCollectives.toSend(it.send(), it.type(), it.count());
        yield begin(
            it,
            MessageCollectives.same(out, it.count()),
            new long[out],
            MessageCollectives.same(in, it.count()),
            MessageCollectives.packed(in, it.count()));
      }
      case Collective.AllGatherV it -> {
        MessageCollectives.toSend(it.send(), it.type(), it.sendCount());
        yield begin(
            it,
            MessageCollectives.same(out, it.sendCount()),
            new long[out],
            it.counts(),
            it.displacements());
      }
      case Collective.AllToAll it -> {
        var _ = it.type().bytes(it.count()); // refuses one that is negative, also without targets
        yield begin(
            it,
            MessageCollectives.same(out, it.count()),
            MessageCollectives.packed(out, it.count()),
            MessageCollectives.same(in, it.count()),
            MessageCollectives.packed(in, it.count()));
      }
      case Collective.AllToAllV it ->
          begin(
              it,
              it.sendCounts(),
              it.sendDisplacements(),
              it.receiveCounts(),
              it.receiveDisplacements());
    };
  }

  @Override
  public PersistentRequest prepare(Collective.AlongEdges collective) {
    return new RepeatedRequest(
        "a persistent " + collective.getClass().getSimpleName() + " of neighbours",
        () -> start(collective));
  }

  /** Begins an exchange; block i goes to target i, and block i comes from source i. */
  private Request begin(
      Collective.AlongEdges it,
      long[] sendCounts,
      long[] sendStarts,
      long[] receiveCounts,
      long[] receiveStarts) {
    MemorySegment send = it.send();
    MemorySegment receive = it.receive();
    DType type = it.type();
    Arguments.blocks(send, type, sendCounts, sendStarts, targets.length, "send buffer");
    Arguments.writtenBlocks(
        receive, type, receiveCounts, receiveStarts, sources.length, "receive buffer");
    HostMemory.requireReadable(send, 0, "send buffer");
    HostMemory.requireWritable(receive, receive.byteSize(), "receive buffer");
    it.refuseOverlapAlong(sources.length, targets.length);
    return comm.begin(
        type,
        edges(targets, send, sendCounts, sendStarts, type),
        edges(sources, receive, receiveCounts, receiveStarts, type));
  }

  private static List<Edge> edges(
      int[] ranks, MemorySegment buffer, long[] counts, long[] starts, DType type) {
    List<Edge> edges = new ArrayList<>();
    for (int i = 0; i < ranks.length; i++) {
      edges.add(new Edge(ranks[i], MessageCollectives.block(buffer, type, counts, starts, i)));
    }
    return edges;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      comm.closed();
    }
  }
}
