package dev.rialto.local.world;

import dev.rialto.local.message.Pending;
import dev.rialto.local.rank.Rank;
import java.util.ArrayList;
import java.util.List;

/**
 * A rank's membership of a group, which its messages, collectives and windows share: who it is,
 * whether its communicator is open, and what was made from that and is not closed yet.
 */
public final class Member {
  public final Group group;
  public final Rank self;
  private final int rank;
  private final List<Object> open = new ArrayList<>();
  private int crowded = 64;
  private volatile boolean closed;

  Member(Group group, int rank) {
    this.group = group;
    this.rank = rank;
    this.self = group.member(rank);
  }

  /** Returns the communicator's name. */
  public String name() {
    return group.name;
  }

  /** Returns this rank's number in the group. */
  public int rank() {
    return rank;
  }

  /** Returns the number of ranks of the group. */
  public int size() {
    return group.size();
  }

  public String where() {
    return "rank " + rank + " of " + size() + " in " + name();
  }

  /** Checks, at the start of every operation, that it can take place at all. */
  public void checkOpen() {
    if (closed) {
      throw new IllegalStateException(name() + " is closed");
    }
    checkRunning();
  }

  /** Checks that the rank's body runs and the world has not failed. */
  public void checkRunning() {
    if (self.finished) {
      throw new IllegalStateException(
          self + " has returned from its body; use " + name() + " within run or call only");
    }
    self.world.check(self);
  }

  /** Returns whether the world has failed; closing is local and quiet then. */
  public boolean failed() {
    return self.world.failed();
  }

  /** Notes something made from this communicator that must be closed, or complete, before it. */
  public <T> T register(T made) {
    synchronized (open) {
      if (open.size() >= crowded) {
        // Requests may be complete and never be looked at again.
        forgetComplete();
        crowded = 2 * open.size() + 64;
      }
      open.add(made);
    }
    return made;
  }

  private void forgetComplete() {
    open.removeIf(each -> each instanceof Pending pending && !pending.isOpen());
  }

  /** Forgets what {@link #register} noted. */
  public void deregister(Object made) {
    synchronized (open) {
      int index = open.lastIndexOf(made);
      if (index >= 0) {
        open.remove(index);
      }
    }
  }

  /** Takes back what was begun and not completed when the rank's body returned. */
  public void abandonRequests() {
    List<Object> left;
    synchronized (open) {
      left = List.copyOf(open);
    }
    for (Object each : left) {
      if (each instanceof Pending pending) {
        pending.abandon();
      }
    }
  }

  /**
   * Closes this rank's end.
   *
   * @return what is still open
   */
  List<Object> markClosed() {
    closed = true;
    synchronized (open) {
      forgetComplete();
      return List.copyOf(open);
    }
  }

  boolean isClosed() {
    return closed;
  }
}
