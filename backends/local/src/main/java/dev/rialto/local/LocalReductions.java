package dev.rialto.local;

import dev.rialto.local.CollectiveQueue.Form;
import dev.rialto.spi.comm.Arguments;
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
  public final void reduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op, int root) {
    collectives.run(describeReduce(Form.BLOCKING, send, receive, type, count, op, root));
  }

  @Override
  public final Request ireduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op, int root) {
    return collectives.start(describeReduce(Form.REQUEST, send, receive, type, count, op, root));
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
  public final Request iallReduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    return collectives.start(
        describe(Form.REQUEST, CollectiveKind.ALL_REDUCE, send, receive, type, count, op));
  }

  @Override
  public final void scan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    collectives.run(describe(Form.BLOCKING, CollectiveKind.SCAN, send, receive, type, count, op));
  }

  @Override
  public final Request iscan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    return collectives.start(
        describe(Form.REQUEST, CollectiveKind.SCAN, send, receive, type, count, op));
  }

  @Override
  public final void exscan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    collectives.run(describe(Form.BLOCKING, CollectiveKind.EXSCAN, send, receive, type, count, op));
  }

  @Override
  public final Request iexscan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    return collectives.start(
        describe(Form.REQUEST, CollectiveKind.EXSCAN, send, receive, type, count, op));
  }

  @Override
  public final void reduceScatter(
      MemorySegment send, MemorySegment receive, DType type, long[] counts, ReduceOp op) {
    collectives.run(describeReduceScatter(Form.BLOCKING, send, receive, type, counts, op));
  }

  @Override
  public final Request ireduceScatter(
      MemorySegment send, MemorySegment receive, DType type, long[] counts, ReduceOp op) {
    return collectives.start(describeReduceScatter(Form.REQUEST, send, receive, type, counts, op));
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
    long bytes = Buffers.readable(send, type, count, "send");
    if (receives) {
      var _ = Buffers.writable(receive, type, count, "receive");
      Buffers.disjointOrSame(send, receive, bytes);
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
    long sent = Buffers.readable(send, type, total, "send");
    long received = Buffers.writable(receive, type, counts[rank()], "receive");
    Buffers.disjoint(send, sent, receive, received);
    return collectives
        .make(form)
        .set(CollectiveKind.REDUCE_SCATTER, type, total, op, 0)
        .sending(send, sent)
        .receiving(receive, received, counts, null);
  }
}
