package dev.rialto.local.collective;

import dev.rialto.local.collective.CollectiveQueue.Form;
import dev.rialto.local.memory.BufferChecks;
import dev.rialto.local.message.LocalPointToPoint;
import dev.rialto.local.world.Group;
import dev.rialto.local.world.LocalCommunicator;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/**
 * The collectives of a {@link LocalCommunicator}. Each is checked and described in one place for
 * all its forms.
 */
abstract class LocalCollectives extends LocalPointToPoint {
  public final CollectiveQueue collectives;

  LocalCollectives(Group group, int rank) {
    super(group, rank);
    this.collectives = CollectiveQueue.ofAll(this);
  }

  /** Gives all ranks a reference, and returns those that all gave, in rank order. */
  public final Object[] exchange(String purpose, Object mine) {
    checkOpen();
    return collectives.exchange(purpose, mine);
  }

  @Override
  public final void barrier() {
    collectives.run(describeBarrier(Form.BLOCKING));
  }

  final CollectiveOperation describeBarrier(Form form) {
    checkOpen();
    return collectives.make(form).set(CollectiveKind.BARRIER, DType.I8, 0, null, 0).inline(0, 0);
  }

  @Override
  public final void broadcast(MemorySegment buffer, DType type, long count, int root) {
    collectives.run(describeBroadcast(Form.BLOCKING, buffer, type, count, root));
  }

  final CollectiveOperation describeBroadcast(
      Form form, MemorySegment buffer, DType type, long count, int root) {
    checkOpen();
    Arguments.rank(root, size(), "root");
    long bytes =
        rank() == root
            ? BufferChecks.readable(buffer, type, count, "buffer")
            : BufferChecks.writable(buffer, type, count, "buffer");
    return collectives
        .make(form)
        .set(CollectiveKind.BROADCAST, type, count, null, root)
        .sending(buffer, rank() == root ? bytes : 0)
        .receiving(buffer, rank() == root ? 0 : bytes)
        .inline(bytes, rank() == root ? bytes : 0);
  }

  @Override
  public final void gather(
      MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    collectives.run(describeGather(Form.BLOCKING, send, receive, type, count, root));
  }

  final CollectiveOperation describeGather(
      Form form, MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    checkOpen();
    Arguments.rank(root, size(), "root");
    long bytes = BufferChecks.readable(send, type, count, "send");
    long all = 0;
    if (rank() == root) {
      all =
          BufferChecks.writable(receive, type, BufferChecks.blocks(type, count, size()), "receive");
      BufferChecks.disjoint(send, bytes, receive, all);
    }
    return collectives
        .make(form)
        .set(CollectiveKind.GATHER, type, count, null, root)
        .sending(send, bytes)
        .receiving(receive, all)
        .inline(bytes, bytes);
  }

  @Override
  public final void gatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type,
      int root) {
    collectives.run(
        describeGatherV(
            Form.BLOCKING, send, sendCount, receive, counts, displacements, type, root));
  }

  final CollectiveOperation describeGatherV(
      Form form,
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type,
      int root) {
    checkOpen();
    Arguments.rank(root, size(), "root");
    long bytes = BufferChecks.readable(send, type, sendCount, "send");
    long all = 0;
    if (rank() == root) {
      all = BufferChecks.writable(receive, type, counts, displacements, size(), "receive");
      BufferChecks.disjoint(send, bytes, receive, all);
    }
    return collectives
        .make(form)
        .set(CollectiveKind.GATHER_V, type, sendCount, null, root)
        .sending(send, bytes)
        .receiving(receive, all, counts, displacements);
  }

  @Override
  public final void scatter(
      MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    collectives.run(describeScatter(Form.BLOCKING, send, receive, type, count, root));
  }

  final CollectiveOperation describeScatter(
      Form form, MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    checkOpen();
    Arguments.rank(root, size(), "root");
    long bytes = BufferChecks.writable(receive, type, count, "receive");
    long all = type.bytes(BufferChecks.blocks(type, count, size()));
    if (rank() == root) {
      var _ = BufferChecks.readable(send, type, BufferChecks.blocks(type, count, size()), "send");
      BufferChecks.disjoint(send, all, receive, bytes);
    }
    return collectives
        .make(form)
        .set(CollectiveKind.SCATTER, type, count, null, root)
        .sending(send, rank() == root ? all : 0)
        .receiving(receive, bytes)
        .inline(all, rank() == root ? all : 0);
  }

  @Override
  public final void scatterV(
      MemorySegment send,
      long[] counts,
      long[] displacements,
      MemorySegment receive,
      long receiveCount,
      DType type,
      int root) {
    collectives.run(
        describeScatterV(
            Form.BLOCKING, send, counts, displacements, receive, receiveCount, type, root));
  }

  final CollectiveOperation describeScatterV(
      Form form,
      MemorySegment send,
      long[] counts,
      long[] displacements,
      MemorySegment receive,
      long receiveCount,
      DType type,
      int root) {
    checkOpen();
    Arguments.rank(root, size(), "root");
    long bytes = BufferChecks.writable(receive, type, receiveCount, "receive");
    long all = 0;
    if (rank() == root) {
      all = BufferChecks.readable(send, type, counts, displacements, size(), "send");
      BufferChecks.disjoint(send, all, receive, bytes);
    }
    return collectives
        .make(form)
        .set(CollectiveKind.SCATTER_V, type, receiveCount, null, root)
        .sending(send, all, counts, displacements)
        .receiving(receive, bytes);
  }

  @Override
  public final void allGather(MemorySegment send, MemorySegment receive, DType type, long count) {
    collectives.run(describeAllGather(Form.BLOCKING, send, receive, type, count));
  }

  final CollectiveOperation describeAllGather(
      Form form, MemorySegment send, MemorySegment receive, DType type, long count) {
    checkOpen();
    long bytes = BufferChecks.readable(send, type, count, "send");
    long all =
        BufferChecks.writable(receive, type, BufferChecks.blocks(type, count, size()), "receive");
    BufferChecks.disjoint(send, bytes, receive, all);
    return collectives
        .make(form)
        .set(CollectiveKind.ALL_GATHER, type, count, null, 0)
        .sending(send, bytes)
        .receiving(receive, all)
        .inline(bytes, bytes);
  }

  @Override
  public final void allGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type) {
    collectives.run(
        describeAllGatherV(Form.BLOCKING, send, sendCount, receive, counts, displacements, type));
  }

  final CollectiveOperation describeAllGatherV(
      Form form,
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type) {
    checkOpen();
    long bytes = BufferChecks.readable(send, type, sendCount, "send");
    long all = BufferChecks.writable(receive, type, counts, displacements, size(), "receive");
    BufferChecks.disjoint(send, bytes, receive, all);
    return collectives
        .make(form)
        .set(CollectiveKind.ALL_GATHER_V, type, sendCount, null, 0)
        .sending(send, bytes)
        .receiving(receive, all, counts, displacements);
  }

  @Override
  public final void allToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    collectives.run(describeAllToAll(Form.BLOCKING, send, receive, type, count));
  }

  final CollectiveOperation describeAllToAll(
      Form form, MemorySegment send, MemorySegment receive, DType type, long count) {
    checkOpen();
    long all = BufferChecks.readable(send, type, BufferChecks.blocks(type, count, size()), "send");
    var _ =
        BufferChecks.writable(receive, type, BufferChecks.blocks(type, count, size()), "receive");
    BufferChecks.disjoint(send, all, receive, all);
    return collectives
        .make(form)
        .set(CollectiveKind.ALL_TO_ALL, type, count, null, 0)
        .sending(send, all)
        .receiving(receive, all)
        .inline(all, all);
  }

  @Override
  public final void allToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    collectives.run(
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

  final CollectiveOperation describeAllToAllV(
      Form form,
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    checkOpen();
    long sent = BufferChecks.readable(send, type, sendCounts, sendDisplacements, size(), "send");
    long received =
        BufferChecks.writable(
            receive, type, receiveCounts, receiveDisplacements, size(), "receive");
    BufferChecks.disjoint(send, sent, receive, received);
    return collectives
        .make(form)
        .set(CollectiveKind.ALL_TO_ALL_V, type, 0, null, 0)
        .sending(send, sent, sendCounts, sendDisplacements)
        .receiving(receive, received, receiveCounts, receiveDisplacements);
  }
}
