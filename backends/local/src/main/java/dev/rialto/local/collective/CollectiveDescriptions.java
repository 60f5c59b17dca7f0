package dev.rialto.local.collective;

import static dev.rialto.local.collective.CollectiveKind.ALL_GATHER;
import static dev.rialto.local.collective.CollectiveKind.ALL_GATHER_V;
import static dev.rialto.local.collective.CollectiveKind.ALL_REDUCE;
import static dev.rialto.local.collective.CollectiveKind.ALL_TO_ALL;
import static dev.rialto.local.collective.CollectiveKind.ALL_TO_ALL_V;
import static dev.rialto.local.collective.CollectiveKind.EXSCAN;
import static dev.rialto.local.collective.CollectiveKind.NEIGHBOR_ALL_GATHER;
import static dev.rialto.local.collective.CollectiveKind.NEIGHBOR_ALL_GATHER_V;
import static dev.rialto.local.collective.CollectiveKind.NEIGHBOR_ALL_TO_ALL;
import static dev.rialto.local.collective.CollectiveKind.NEIGHBOR_ALL_TO_ALL_V;
import static dev.rialto.local.collective.CollectiveKind.REDUCE;
import static dev.rialto.local.collective.CollectiveKind.SCAN;

import dev.rialto.local.collective.CollectiveQueue.Form;
import dev.rialto.local.memory.BufferChecks;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;

/** Checks collectives and describes them to the queue, in one place for all their forms. */
final class CollectiveDescriptions {
  private final CollectiveQueue queue;
  private final int rank;

  /** The numbers of blocks that come and go where each peer has one. */
  private final int sources;

  private final int targets;
  private final boolean ofAll;

  private CollectiveDescriptions(
      CollectiveQueue queue, int rank, int sources, int targets, boolean ofAll) {
    this.queue = queue;
    this.rank = rank;
    this.sources = sources;
    this.targets = targets;
    this.ofAll = ofAll;
  }

  /** Describes those of all ranks of a group. */
  static CollectiveDescriptions ofAll(CollectiveQueue queue, int rank, int size) {
    return new CollectiveDescriptions(queue, rank, size, size, true);
  }

  /** Describes those along the edges of a topology, to and from so many neighbours. */
  static CollectiveDescriptions alongEdges(
      CollectiveQueue queue, int rank, int sources, int targets) {
    return new CollectiveDescriptions(queue, rank, sources, targets, false);
  }

  /** Describes a call that was made as a value. The kinds that come often are asked for first. */
  CollectiveOperation describe(Form form, Collective collective) {
    return switch (collective) {
      case Collective.AllReduce it ->
          allReduce(form, it.send(), it.receive(), it.type(), it.count(), it.op());
      case Collective.Barrier() -> barrier(form);
      case Collective.Broadcast it ->
          broadcast(form, it.buffer(), it.type(), it.count(), it.root());
      case Collective.AllGather it ->
          allGather(form, it.send(), it.receive(), it.type(), it.count());
      case Collective.AllToAll it -> allToAll(form, it.send(), it.receive(), it.type(), it.count());
      case Collective.Reduce it ->
          reduce(form, it.send(), it.receive(), it.type(), it.count(), it.op(), it.root());
      case Collective.Gather it -> gather(form, it);
      case Collective.Scatter it -> scatter(form, it);
      case Collective.AllToAllV it -> allToAllV(form, it);
      case Collective.AllGatherV it -> allGatherV(form, it);
      case Collective.GatherV it -> gatherV(form, it);
      case Collective.ScatterV it -> scatterV(form, it);
      case Collective.Scan it ->
          combine(form, SCAN, it.send(), it.receive(), it.type(), it.count(), it.op(), 0, true);
      case Collective.Exscan it ->
          combine(form, EXSCAN, it.send(), it.receive(), it.type(), it.count(), it.op(), 0, true);
      case Collective.ReduceScatter it -> reduceScatter(form, it);
    };
  }

  CollectiveOperation barrier(Form form) {
    return queue.make(form).set(CollectiveKind.BARRIER, DType.I8, 0, null, 0).inline(0, 0);
  }

  CollectiveOperation broadcast(Form form, MemorySegment buffer, DType type, long count, int root) {
    boolean isRoot = isRoot(root);
    long bytes =
        isRoot
            ? BufferChecks.readable(buffer, type, count, "buffer")
            : BufferChecks.writable(buffer, type, count, "buffer");
    return queue
        .make(form)
        .set(CollectiveKind.BROADCAST, type, count, null, root)
        .sending(buffer, isRoot ? bytes : 0)
        .receiving(buffer, isRoot ? 0 : bytes)
        .inline(bytes, isRoot ? bytes : 0);
  }

  private CollectiveOperation gather(Form form, Collective.Gather it) {
    boolean isRoot = isRoot(it.root());
    long bytes = BufferChecks.readable(it.send(), it.type(), it.count(), "send");
    long all = isRoot ? checkReceived(it.send(), it.receive(), it.type(), it.count(), bytes) : 0;
    return queue
        .make(form)
        .set(CollectiveKind.GATHER, it.type(), it.count(), null, it.root())
        .sending(it.send(), bytes)
        .receiving(it.receive(), all)
        .inline(bytes, bytes);
  }

  private CollectiveOperation gatherV(Form form, Collective.GatherV it) {
    boolean isRoot = isRoot(it.root());
    long bytes = BufferChecks.readable(it.send(), it.type(), it.sendCount(), "send");
    long all = isRoot ? checkReceived(it, it.type(), it.counts(), it.displacements(), bytes) : 0;
    return queue
        .make(form)
        .set(CollectiveKind.GATHER_V, it.type(), it.sendCount(), null, it.root())
        .sending(it.send(), bytes)
        .receiving(it.receive(), all, it.counts(), it.displacements());
  }

  private CollectiveOperation scatter(Form form, Collective.Scatter it) {
    boolean isRoot = isRoot(it.root());
    long bytes = BufferChecks.writable(it.receive(), it.type(), it.count(), "receive");
    long blocks = Arguments.blocks(it.type(), it.count(), sources);
    long all = it.type().bytes(blocks);
    if (isRoot) {
      var _ = BufferChecks.readable(it.send(), it.type(), blocks, "send");
      Arguments.disjoint(it.send(), all, it.receive(), bytes);
    }
    return queue
        .make(form)
        .set(CollectiveKind.SCATTER, it.type(), it.count(), null, it.root())
        .sending(it.send(), isRoot ? all : 0)
        .receiving(it.receive(), bytes)
        .inline(all, isRoot ? all : 0);
  }

  private CollectiveOperation scatterV(Form form, Collective.ScatterV it) {
    boolean isRoot = isRoot(it.root());
    long bytes = BufferChecks.writable(it.receive(), it.type(), it.receiveCount(), "receive");
    long all = 0;
    if (isRoot) {
      all =
          BufferChecks.readable(
              it.send(), it.type(), it.counts(), it.displacements(), sources, "send");
      Arguments.disjoint(it.send(), all, it.receive(), bytes);
    }
    return queue
        .make(form)
        .set(CollectiveKind.SCATTER_V, it.type(), it.receiveCount(), null, it.root())
        .sending(it.send(), all, it.counts(), it.displacements())
        .receiving(it.receive(), bytes);
  }

  CollectiveOperation allGather(
      Form form, MemorySegment send, MemorySegment receive, DType type, long count) {
    long bytes = BufferChecks.readable(send, type, count, "send");
    long all = checkReceived(send, receive, type, count, bytes);
    CollectiveOperation operation =
        queue
            .make(form)
            .set(ofAll ? ALL_GATHER : NEIGHBOR_ALL_GATHER, type, count, null, 0)
            .sending(send, bytes)
            .receiving(receive, all);
    return ofAll ? operation.inline(bytes, bytes) : operation;
  }

  private CollectiveOperation allGatherV(Form form, Collective.AllGatherV it) {
    long bytes = BufferChecks.readable(it.send(), it.type(), it.sendCount(), "send");
    long all = checkReceived(it, it.type(), it.counts(), it.displacements(), bytes);
    return queue
        .make(form)
        .set(ofAll ? ALL_GATHER_V : NEIGHBOR_ALL_GATHER_V, it.type(), it.sendCount(), null, 0)
        .sending(it.send(), bytes)
        .receiving(it.receive(), all, it.counts(), it.displacements());
  }

  CollectiveOperation allToAll(
      Form form, MemorySegment send, MemorySegment receive, DType type, long count) {
    long blocks = Arguments.blocks(type, count, targets);
    long all = BufferChecks.readable(send, type, blocks, "send");
    long received = checkReceived(send, receive, type, count, all);
    CollectiveOperation operation =
        queue
            .make(form)
            .set(ofAll ? ALL_TO_ALL : NEIGHBOR_ALL_TO_ALL, type, count, null, 0)
            .sending(send, all)
            .receiving(receive, received);
    return ofAll ? operation.inline(all, all) : operation;
  }

  private CollectiveOperation allToAllV(Form form, Collective.AllToAllV it) {
    long[] counts = it.sendCounts();
    long[] starts = it.sendDisplacements();
    long sent = BufferChecks.readable(it.send(), it.type(), counts, starts, targets, "send");
    long received =
        checkReceived(it, it.type(), it.receiveCounts(), it.receiveDisplacements(), sent);
    return queue
        .make(form)
        .set(ofAll ? ALL_TO_ALL_V : NEIGHBOR_ALL_TO_ALL_V, it.type(), 0, null, 0)
        .sending(it.send(), sent, counts, starts)
        .receiving(it.receive(), received, it.receiveCounts(), it.receiveDisplacements());
  }

  CollectiveOperation reduce(
      Form form,
      MemorySegment send,
      MemorySegment receive,
      DType type,
      long count,
      ReduceOp op,
      int root) {
    return combine(form, REDUCE, send, receive, type, count, op, root, isRoot(root));
  }

  CollectiveOperation allReduce(
      Form form, MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    return combine(form, ALL_REDUCE, send, receive, type, count, op, 0, true);
  }

  private CollectiveOperation combine(
      Form form,
      CollectiveKind kind,
      MemorySegment send,
      MemorySegment receive,
      DType type,
      long count,
      ReduceOp op,
      int root,
      boolean receives) {
    Arguments.reduction(op, type);
    long bytes = BufferChecks.readable(send, type, count, "send");
    if (receives) {
      var _ = BufferChecks.writable(receive, type, count, "receive");
      Arguments.disjointOrSame(send, receive, bytes);
    }
    // What lies before the first rank's elements is nothing: its memory stays as it is.
    boolean written = receives && (kind != EXSCAN || rank > 0);
    return queue
        .make(form)
        .set(kind, type, count, op, root)
        .sending(send, bytes)
        .receiving(receive, written ? bytes : 0)
        .inline(bytes, bytes);
  }

  private CollectiveOperation reduceScatter(Form form, Collective.ReduceScatter it) {
    DType type = it.type();
    Arguments.reduction(it.op(), type);
    long total = Arguments.total(type, it.counts(), sources);
    long sent = BufferChecks.readable(it.send(), type, total, "send");
    long received = BufferChecks.writable(it.receive(), type, it.counts()[rank], "receive");
    Arguments.disjoint(it.send(), sent, it.receive(), received);
    return queue
        .make(form)
        .set(CollectiveKind.REDUCE_SCATTER, type, total, it.op(), 0)
        .sending(it.send(), sent)
        .receiving(it.receive(), received, it.counts(), null);
  }

  private boolean isRoot(int root) {
    Arguments.rank(root, sources, "root");
    return rank == root;
  }

  /** Checks the buffer for a block of each rank. */
  private long checkReceived(
      MemorySegment send, MemorySegment receive, DType type, long count, long sent) {
    long blocks = Arguments.blocks(type, count, sources);
    long received = BufferChecks.writable(receive, type, blocks, "receive");
    Arguments.disjoint(send, sent, receive, received);
    return received;
  }

  private long checkReceived(
      Collective it, DType type, long[] counts, long[] displacements, long sent) {
    long received =
        BufferChecks.writable(it.receive(), type, counts, displacements, sources, "receive");
    Arguments.disjoint(it.send(), sent, it.receive(), received);
    return received;
  }
}
