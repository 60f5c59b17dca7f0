package dev.rialto.local.collective;

import dev.rialto.local.collective.CollectiveQueue.Form;
import dev.rialto.local.memory.BufferChecks;
import dev.rialto.local.world.Member;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;

/**
 * One rank's end of a topology. Its operations have a board and a queue of their own, on which only
 * neighbours wait for one another.
 */
final class LocalTopology implements Topology {
  private final Member member;
  private final CollectiveQueue queue;
  private final int[] sources;
  private final int[] targets;
  private boolean closed;

  LocalTopology(Member member, CollectiveQueue queue, int[] sources, int[] targets) {
    this.member = member;
    this.queue = queue;
    this.sources = sources;
    this.targets = targets;
  }

  private void checkOpen() {
    member.checkOpen();
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
  public void run(Collective.AlongEdges collective) {
    queue.run(describe(Form.BLOCKING, collective));
  }

  @Override
  public Request start(Collective.AlongEdges collective) {
    return queue.start(describe(Form.REQUEST, collective));
  }

  @Override
  public PersistentRequest prepare(Collective.AlongEdges collective) {
    return queue.keep(describe(Form.PERSISTENT, collective));
  }

  private CollectiveOperation describe(Form form, Collective.AlongEdges collective) {
    checkOpen();
    return switch (collective) {
      case Collective.AllGather it -> describe(form, it);
      case Collective.AllGatherV it -> describe(form, it);
      case Collective.AllToAll it -> describe(form, it);
      case Collective.AllToAllV it -> describe(form, it);
    };
  }

  private CollectiveOperation describe(Form form, Collective.AllGather it) {
    long sent = BufferChecks.readable(it.send(), it.type(), it.count(), "send");
    long blocks = Arguments.blocks(it.type(), it.count(), sources.length);
    long received = BufferChecks.writable(it.receive(), it.type(), blocks, "receive");
    Arguments.disjoint(it.send(), sent, it.receive(), received);
    return queue
        .make(form)
        .set(CollectiveKind.NEIGHBOR_ALL_GATHER, it.type(), it.count(), null, 0)
        .sending(it.send(), sent)
        .receiving(it.receive(), received);
  }

  private CollectiveOperation describe(Form form, Collective.AllGatherV it) {
    long sent = BufferChecks.readable(it.send(), it.type(), it.sendCount(), "send");
    long received =
        BufferChecks.writable(
            it.receive(), it.type(), it.counts(), it.displacements(), sources.length, "receive");
    Arguments.disjoint(it.send(), sent, it.receive(), received);
    return queue
        .make(form)
        .set(CollectiveKind.NEIGHBOR_ALL_GATHER_V, it.type(), it.sendCount(), null, 0)
        .sending(it.send(), sent)
        .receiving(it.receive(), received, it.counts(), it.displacements());
  }

  private CollectiveOperation describe(Form form, Collective.AllToAll it) {
    DType type = it.type();
    long out = Arguments.blocks(type, it.count(), targets.length);
    long in = Arguments.blocks(type, it.count(), sources.length);
    long sent = BufferChecks.readable(it.send(), type, out, "send");
    long received = BufferChecks.writable(it.receive(), type, in, "receive");
    Arguments.disjoint(it.send(), sent, it.receive(), received);
    return queue
        .make(form)
        .set(CollectiveKind.NEIGHBOR_ALL_TO_ALL, type, it.count(), null, 0)
        .sending(it.send(), sent)
        .receiving(it.receive(), received);
  }

  private CollectiveOperation describe(Form form, Collective.AllToAllV it) {
    long[] out = it.sendCounts();
    long[] outAt = it.sendDisplacements();
    long[] in = it.receiveCounts();
    long[] inAt = it.receiveDisplacements();
    long sent = BufferChecks.readable(it.send(), it.type(), out, outAt, targets.length, "send");
    long received =
        BufferChecks.writable(it.receive(), it.type(), in, inAt, sources.length, "receive");
    Arguments.disjoint(it.send(), sent, it.receive(), received);
    return queue
        .make(form)
        .set(CollectiveKind.NEIGHBOR_ALL_TO_ALL_V, it.type(), 0, null, 0)
        .sending(it.send(), sent, out, outAt)
        .receiving(it.receive(), received, in, inAt);
  }

  /** Nothing is held that a neighbour might still need, so nobody waits. */
  @Override
  public void close() {
    closed = true;
    member.deregister(this);
  }

  @Override
  public String toString() {
    return "topology of " + member.name();
  }
}
