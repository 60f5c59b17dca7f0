package dev.rialto.example.socket;

import static dev.rialto.spi.comm.PointToPoint.ANY_SOURCE;
import static dev.rialto.spi.comm.PointToPoint.ANY_TAG;

import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.PeerFailedException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The arrivals at this process and those who wait for them: the messages, the receives, and whether
 * there is still a rank to wait for.
 *
 * <p>Matching is MPI's: a message goes to the first posted receive that matches it, a receive takes
 * the first message that matches it. A link keeps the order of what one rank sends, so messages do
 * not overtake one another. Everything is guarded by this object's monitor, and threads that wait
 * do so on it and look again when anything has changed.
 */
final class Mailbox {
  static final long FOREVER = Long.MAX_VALUE;

  private final List<Frame> arrived = new ArrayList<>();
  private final List<Receive> posted = new ArrayList<>();
  private final BitSet gone = new BitSet();
  // Contexts are never used again, so a communicator costs these few bytes after it is closed.
  private final Set<Long> closed = new HashSet<>();
  private @Nullable String failure;

  synchronized void deliver(Frame frame) {
    for (Receive receive : posted) {
      if (matches(frame, receive.group(), receive.source(), receive.tag())) {
        posted.remove(receive);
        receive.fill(frame);
        notifyAll();
        return;
      }
    }
    if (!closed.contains(frame.context())) {
      arrived.add(frame);
      notifyAll();
    }
  }

  /** Lets a receive have a message, now or later. */
  synchronized void post(Receive receive) {
    Frame frame = take(receive.group(), receive.source(), receive.tag());
    if (frame == null) {
      posted.add(receive);
    } else {
      receive.fill(frame);
    }
  }

  /** Takes a receive back; false if it has its message. */
  synchronized boolean withdraw(Receive receive) {
    return posted.remove(receive);
  }

  /** Returns the first message that matches, and leaves it here. */
  synchronized @Nullable Frame find(Group group, int source, int tag) {
    for (Frame frame : arrived) {
      if (matches(frame, group, source, tag)) {
        return frame;
      }
    }
    return null;
  }

  /** Returns the first message that matches, and takes it out. */
  synchronized @Nullable Frame take(Group group, int source, int tag) {
    Frame frame = find(group, source, tag);
    if (frame != null) {
      arrived.remove(frame);
    }
    return frame;
  }

  private static boolean matches(Frame frame, Group group, int source, int tag) {
    return frame.context() == group.context()
        && (source == ANY_SOURCE || source == frame.source())
        && (tag == ANY_TAG || tag == frame.tag());
  }

  /**
   * Waits until {@code look} finds something.
   *
   * @param source whom it would come from; when nothing can any more, this throws
   * @return what was found; null if {@code nanos} have passed
   */
  synchronized <T> @Nullable T await(
      Group group, int source, Supplier<@Nullable T> look, long nanos) {
    long start = System.nanoTime();
    InterruptedException interrupt = null;
    while (true) {
      T found = look.get();
      if (found != null) {
        return found;
      }
      check(group);
      if (isDeserted(group, source)) {
        throw new PeerFailedException(
            (source == ANY_SOURCE ? "all other ranks have" : "rank " + source + " has")
                + " closed the world, so nothing will come",
            group.where(),
            "have them send what this rank receives",
            null);
      }
      if (interrupt != null) {
        throw new CommunicationException("interrupted while waiting", group.where(), "", interrupt);
      }
      long rest = nanos - (System.nanoTime() - start);
      if (rest <= 0) {
        return null;
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, rest);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        interrupt = e;
      }
    }
  }

  synchronized void check(Group group) {
    if (closed.contains(group.context()) || closed.contains(Group.WORLD)) {
      throw new IllegalStateException(group.name() + " is closed");
    }
    if (failure != null) {
      throw new PeerFailedException(
          failure, group.where(), "see what that rank itself reports", null);
    }
  }

  private boolean isDeserted(Group group, int source) {
    return source != ANY_SOURCE
        ? gone.get(group.members().get(source))
        : group.size() > 1
            && IntStream.range(0, group.size())
                .allMatch(rank -> rank == group.rank() || gone.get(group.members().get(rank)));
  }

  /** Notes that a rank of the world has closed it. */
  synchronized void leave(int rank) {
    gone.set(rank);
    notifyAll();
  }

  synchronized boolean hasLeft(int rank) {
    return gone.get(rank);
  }

  /** Notes that the world has failed; the first reason stays. */
  synchronized void fail(String reason) {
    if (failure == null) {
      failure = reason;
      notifyAll();
    }
  }

  /** Returns why the world has failed; null if it has not. */
  synchronized @Nullable String failure() {
    return failure;
  }

  /**
   * Closes a communicator.
   *
   * @return how many receives were still waiting
   */
  synchronized long close(Group group) {
    closed.add(group.context());
    arrived.removeIf(frame -> frame.context() == group.context());
    notifyAll();
    return posted.stream().filter(receive -> receive.group().equals(group)).count();
  }
}
