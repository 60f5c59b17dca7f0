package dev.rialto.local;

import dev.rialto.spi.comm.Communicator;

/** The messages of a {@link LocalCommunicator}. */
abstract class LocalPointToPoint implements Communicator {
  final Group group;
  final Rank self;
  private final int rank;
  private volatile boolean closed;

  LocalPointToPoint(Group group, int rank) {
    this.group = group;
    this.rank = rank;
    this.self = group.member(rank);
  }

  @Override
  public final String name() {
    return group.name;
  }

  @Override
  public final int rank() {
    return rank;
  }

  @Override
  public final int size() {
    return group.size();
  }

  /** Checks, at the start of every operation, that it can take place at all. */
  final void checkOpen() {
    if (closed) {
      throw new IllegalStateException(name() + " is closed");
    }
    self.world.check(self);
  }

  /** Closes this rank's end; returns whether it was open. */
  final boolean markClosed() {
    boolean wasOpen = !closed;
    closed = true;
    return wasOpen;
  }
}
