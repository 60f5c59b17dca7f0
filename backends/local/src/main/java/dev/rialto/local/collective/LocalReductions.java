package dev.rialto.local.collective;

import dev.rialto.local.collective.CollectiveQueue.Form;
import dev.rialto.local.memory.BufferChecks;
import dev.rialto.local.world.Group;
import dev.rialto.local.world.LocalCommunicator;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;

/** The reductions of a {@link LocalCommunicator}, described as its collectives are. */
abstract class LocalReductions extends LocalCollectives {
  LocalReductions(Group group, int rank) {
    super(group, rank);
  }

  @Override
  public final Request start(Collective collective) {
    return collectives.start(describe(Form.REQUEST, collective));
  }

  @Override
  public final PersistentRequest prepare(Collective collective) {
    return collectives.keep(describe(Form.PERSISTENT, collective));
  }

  private CollectiveOperation describe(Form form, Collective collective) {
    return switch (collective) {
      case Collective.Barrier() -> describeBarrier(form);
      case Collective.Broadcast it ->
          describeBroadcast(form, it.buffer(), it.type(), it.count(), it.root());
      case Collective.Gather it ->
          describeGather(form, it.send(), it.receive(), it.type(), it.count(), it.root());
      case Collective.GatherV it ->
          describeGatherV(
              form,
              it.send(),
              it.sendCount(),
              it.receive(),
              it.counts(),
              it.displacements(),
              it.type(),
              it.root());
      case Collective.Scatter it ->
          describeScatter(form, it.send(), it.receive(), it.type(), it.count(), it.root());
      case Collective.ScatterV it ->
          describeScatterV(
              form,
              it.send(),
              it.counts(),
              it.displacements(),
              it.receive(),
              it.receiveCount(),
              it.type(),
              it.root());
      case Collective.AllGather it ->
          describeAllGather(form, it.send(), it.receive(), it.type(), it.count());
      case Collective.AllGatherV it ->
          describeAllGatherV(
              form,
              it.send(),
              it.sendCount(),
              it.receive(),
              it.counts(),
              it.displacements(),
              it.type());
      case Collective.AllToAll it ->
          describeAllToAll(form, it.send(), it.receive(), it.type(), it.count());
      case Collective.AllToAllV it ->
          describeAllToAllV(
              form,
              it.send(),
              it.sendCounts(),
              it.sendDisplacements(),
              it.receive(),
              it.receiveCounts(),
              it.receiveDisplacements(),
              it.type());
      case Collective.Reduce it ->
          describeReduce(form, it.send(), it.receive(), it.type(), it.count(), it.op(), it.root());
      case Collective.AllReduce it ->
          describe(
              form,
              CollectiveKind.ALL_REDUCE,
              it.send(),
              it.receive(),
              it.type(),
              it.count(),
              it.op());
      case Collective.Scan it ->
          describe(
              form, CollectiveKind.SCAN, it.send(), it.receive(), it.type(), it.count(), it.op());
      case Collective.Exscan it ->
          describe(
              form, CollectiveKind.EXSCAN, it.send(), it.receive(), it.type(), it.count(), it.op());
      case Collective.ReduceScatter it ->
          describeReduceScatter(form, it.send(), it.receive(), it.type(), it.counts(), it.op());
    };
  }

  @Override
  public final void reduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op, int root) {
    collectives.run(describeReduce(Form.BLOCKING, send, receive, type, count, op, root));
  }

  private CollectiveOperation describeReduce(
      Form form,
      MemorySegment send,
      MemorySegment receive,
      DType type,
      long count,
      ReduceOp op,
      int root) {
    Arguments.rank(root, size(), "root");
    return describe(
        form, CollectiveKind.REDUCE, send, receive, type, count, op, root, rank() == root);
  }

  @Override
  public final void allReduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    collectives.run(
        describe(Form.BLOCKING, CollectiveKind.ALL_REDUCE, send, receive, type, count, op));
  }

  @Override
  public final void scan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    collectives.run(describe(Form.BLOCKING, CollectiveKind.SCAN, send, receive, type, count, op));
  }

  @Override
  public final void exscan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    collectives.run(describe(Form.BLOCKING, CollectiveKind.EXSCAN, send, receive, type, count, op));
  }

  @Override
  public final void reduceScatter(
      MemorySegment send, MemorySegment receive, DType type, long[] counts, ReduceOp op) {
    collectives.run(describeReduceScatter(Form.BLOCKING, send, receive, type, counts, op));
  }

  private CollectiveOperation describe(
      Form form,
      CollectiveKind kind,
      MemorySegment send,
      MemorySegment receive,
      DType type,
      long count,
      ReduceOp op) {
    return describe(form, kind, send, receive, type, count, op, 0, true);
  }

  private CollectiveOperation describe(
      Form form,
      CollectiveKind kind,
      MemorySegment send,
      MemorySegment receive,
      DType type,
      long count,
      ReduceOp op,
      int root,
      boolean receives) {
    checkOpen();
    Arguments.reduction(op, type);
    long bytes = BufferChecks.readable(send, type, count, "send");
    if (receives) {
      var _ = BufferChecks.writable(receive, type, count, "receive");
      BufferChecks.disjointOrSame(send, receive, bytes);
    }
    // What lies before the first rank's elements is nothing: its memory stays as it is.
    boolean written = receives && (kind != CollectiveKind.EXSCAN || rank() > 0);
    return collectives
        .make(form)
        .set(kind, type, count, op, root)
        .sending(send, bytes)
        .receiving(receive, written ? bytes : 0)
        .inline(bytes, bytes);
  }

  private CollectiveOperation describeReduceScatter(
      Form form,
      MemorySegment send,
      MemorySegment receive,
      DType type,
      long[] counts,
      ReduceOp op) {
    checkOpen();
    Arguments.reduction(op, type);
    Arguments.perRank(counts.length, size(), "counts");
    long total = 0;
    for (long count : counts) {
      total = Math.addExact(total, type.bytes(count));
    }
    total /= type.size();
    long sent = BufferChecks.readable(send, type, total, "send");
    long received = BufferChecks.writable(receive, type, counts[rank()], "receive");
    BufferChecks.disjoint(send, sent, receive, received);
    return collectives
        .make(form)
        .set(CollectiveKind.REDUCE_SCATTER, type, total, op, 0)
        .sending(send, sent)
        .receiving(receive, received, counts, null);
  }
}
