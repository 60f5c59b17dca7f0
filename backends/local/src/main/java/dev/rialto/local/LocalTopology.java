package dev.rialto.local;

import dev.rialto.local.CollectiveQueue.Form;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/**
 * One rank's end of a topology. Its operations have a board and a queue of their own, on which only
 * neighbours wait for one another.
 */
final class LocalTopology implements Topology {
  private final LocalNeighborhoods comm;
  private final CollectiveQueue queue;
  private final int[] sources;
  private final int[] targets;
  private boolean closed;

  LocalTopology(LocalNeighborhoods comm, CollectiveQueue queue, int[] sources, int[] targets) {
    this.comm = comm;
    this.queue = queue;
    this.sources = sources;
    this.targets = targets;
  }

  private void checkOpen() {
    comm.checkOpen();
    if (closed) {
      throw new IllegalStateException(this + " is closed");
    }
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
  public void neighborAllGather(MemorySegment send, MemorySegment receive, DType type, long count) {
    queue.run(describeAllGather(Form.BLOCKING, send, receive, type, count));
  }

  @Override
  public Request ineighborAllGather(
      MemorySegment send, MemorySegment receive, DType type, long count) {
    return queue.start(describeAllGather(Form.REQUEST, send, receive, type, count));
  }

  private CollectiveOperation describeAllGather(
      Form form, MemorySegment send, MemorySegment receive, DType type, long count) {
    checkOpen();
    long sent = Buffers.readable(send, type, count, "send");
    long received =
        Buffers.writable(receive, type, Buffers.blocks(type, count, sources.length), "receive");
    Buffers.disjoint(send, sent, receive, received);
    return queue
        .make(form)
        .set(CollectiveKind.NEIGHBOR_ALL_GATHER, type, count, null, 0)
        .sending(send, sent)
        .receiving(receive, received);
  }

  @Override
  public void neighborAllGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    checkOpen();
    long sent = Buffers.readable(send, type, sendCount, "send");
    long received =
        Buffers.writable(
            receive, type, receiveCounts, receiveDisplacements, sources.length, "receive");
    Buffers.disjoint(send, sent, receive, received);
    queue.run(
        queue
            .make(Form.BLOCKING)
            .set(CollectiveKind.NEIGHBOR_ALL_GATHER_V, type, sendCount, null, 0)
            .sending(send, sent)
            .receiving(receive, received, receiveCounts, receiveDisplacements));
  }

  @Override
  public void neighborAllToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    queue.run(describeAllToAll(Form.BLOCKING, send, receive, type, count));
  }

  @Override
  public Request ineighborAllToAll(
      MemorySegment send, MemorySegment receive, DType type, long count) {
    return queue.start(describeAllToAll(Form.REQUEST, send, receive, type, count));
  }

  private CollectiveOperation describeAllToAll(
      Form form, MemorySegment send, MemorySegment receive, DType type, long count) {
    checkOpen();
    long sent = Buffers.readable(send, type, Buffers.blocks(type, count, targets.length), "send");
    long received =
        Buffers.writable(receive, type, Buffers.blocks(type, count, sources.length), "receive");
    Buffers.disjoint(send, sent, receive, received);
    return queue
        .make(form)
        .set(CollectiveKind.NEIGHBOR_ALL_TO_ALL, type, count, null, 0)
        .sending(send, sent)
        .receiving(receive, received);
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
    queue.run(
        describeAllToAllV(
            Form.BLOCKING,
            send,
            sendCounts,
            sendDisplacements,
            receive,
            receiveCounts,
            receiveDisplacements,
            type));
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
    return queue.start(
        describeAllToAllV(
            Form.REQUEST,
            send,
            sendCounts,
            sendDisplacements,
            receive,
            receiveCounts,
            receiveDisplacements,
            type));
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
    return queue.keep(
        describeAllToAllV(
            Form.PERSISTENT,
            send,
            sendCounts,
            sendDisplacements,
            receive,
            receiveCounts,
            receiveDisplacements,
            type));
  }

  private CollectiveOperation describeAllToAllV(
      Form form,
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    checkOpen();
    long sent = Buffers.readable(send, type, sendCounts, sendDisplacements, targets.length, "send");
    long received =
        Buffers.writable(
            receive, type, receiveCounts, receiveDisplacements, sources.length, "receive");
    Buffers.disjoint(send, sent, receive, received);
    return queue
        .make(form)
        .set(CollectiveKind.NEIGHBOR_ALL_TO_ALL_V, type, 0, null, 0)
        .sending(send, sent, sendCounts, sendDisplacements)
        .receiving(receive, received, receiveCounts, receiveDisplacements);
  }

  /** Nothing is held that a neighbour might still need, so nobody waits. */
  @Override
  public void close() {
    closed = true;
    comm.deregister(this);
  }

  @Override
  public String toString() {
    return "topology of " + comm.name();
  }
}
