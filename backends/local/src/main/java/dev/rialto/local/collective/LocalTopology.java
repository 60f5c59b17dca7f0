package dev.rialto.local.collective;

import dev.rialto.local.collective.CollectiveQueue.Form;
import dev.rialto.local.world.Member;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;

/**
 * One rank's end of a topology. Its operations have a board and a queue of their own, on which only
 * neighbours wait for one another.
 */
final class LocalTopology implements Topology {
  private final Member member;
  private final CollectiveQueue queue;
  private final int[] sources;
  private final int[] targets;
  private final CollectiveDescriptions descriptions;
  private boolean closed;

  LocalTopology(Member member, CollectiveQueue queue, int[] sources, int[] targets) {
    this.member = member;
    this.queue = queue;
    this.sources = sources;
    this.targets = targets;
    this.descriptions =
        CollectiveDescriptions.alongEdges(queue, member.rank(), sources.length, targets.length);
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
    return descriptions.describe(form, collective);
  }

  /** Waits for no rank: nothing is held that a neighbour might still need. */
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
