package dev.rialto.spi.parts;

import dev.rialto.spi.comm.Communicator;
import java.util.ArrayList;
import java.util.List;

/**
 * The objects that a rank has left to be closed with others, in order, until its body has returned;
 * see {@link Communicator#whenReturned}.
 */
public final class LeftClosings {
  private record Left(Communicator comm, Runnable closing) {}

  private final List<Left> left = new ArrayList<>();

  public synchronized void add(Communicator comm, Runnable closing) {
    left.add(new Left(comm, closing));
  }

  /** Closes what was left with a communicator. */
  public void settle(Communicator comm) {
    for (Left each : taken(List.of(comm))) {
      each.closing.run();
    }
  }

  /** Closes everything; if something cannot be, the rest is tried too. */
  public void settleAll() {
    RuntimeException failure = null;
    for (Left each : taken(List.of())) {
      try {
        each.closing.run();
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Closes everything after a failure, which alone counts. */
  public void settleAfterFailure() {
    try {
      settleAll();
    } catch (RuntimeException _) {
      // It follows from the failure.
    }
  }

  /** Takes what was left with one of these communicators, or all of it. */
  private synchronized List<Left> taken(List<Communicator> of) {
    List<Left> taken =
        left.stream().filter(each -> of.isEmpty() || of.contains(each.comm)).toList();
    left.removeAll(taken);
    return taken;
  }
}
