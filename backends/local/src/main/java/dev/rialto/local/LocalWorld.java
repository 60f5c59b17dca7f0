package dev.rialto.local;

import dev.rialto.spi.World;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.DeadlockException;
import dev.rialto.spi.error.PeerFailedException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A world whose ranks are threads of this JVM.
 *
 * <p>The threads live as long as the world and sleep between runs. The first failure of a rank is
 * recorded in one field that every wait reads; it allocates nothing, so that running out of memory
 * is told like any other failure.
 */
final class LocalWorld implements World {
  /** The failed "rank" while there is none. */
  private static final int NONE = -1;

  private enum State {
    IDLE,
    RUNNING,
    CLOSED
  }

  final Patience patience;
  final DeadlockDetector deadlocks;

  private final Rank[] ranks;
  private final LocalCommunicator[] communicators;
  private State state = State.IDLE;

  /** What each rank threw; written before {@link #failed} by the first. */
  private final @Nullable Throwable[] failures;

  private final AtomicInteger failed = new AtomicInteger(NONE);
  private @Nullable DeadlockException deadlock;

  LocalWorld(int size) {
    long grace = Long.getLong("rialto.local.deadlock.millis", 1000) * 1_000_000;
    this.patience = Patience.of(size, grace);
    this.deadlocks = new DeadlockDetector(this, size, grace);
    this.ranks = new Rank[size];
    this.failures = new Throwable[size];
    for (int i = 0; i < size; i++) {
      ranks[i] = new Rank(this, i);
    }
    Group everyone = new Group(this, "local/world", ranks.clone());
    this.communicators = new LocalCommunicator[size];
    for (int i = 0; i < size; i++) {
      communicators[i] = LocalCommunicator.ofWorld(everyone, i);
    }
  }

  @Override
  public int size() {
    return ranks.length;
  }

  Rank[] ranks() {
    return ranks;
  }

  /** Returns whether nothing more will come from a rank. */
  boolean finished(int rank) {
    return ranks[rank].finished;
  }

  @Override
  public <T> List<T> call(RankFunction<T> function) {
    begin();
    try {
      @SuppressWarnings("unchecked")
      T[] results = (T[]) new Object[size()];
      CountDownLatch running = new CountDownLatch(size());
      for (int i = 0; i < size(); i++) {
        int rank = i;
        ranks[i]
            .own()
            .submit(
                () -> {
                  try {
                    results[rank] = function.run(communicators[rank]);
                  } catch (Throwable e) {
                    fail(rank, e);
                  } finally {
                    finish(rank);
                    running.countDown();
                  }
                });
      }
      awaitRanks(running);
      throwFailure();
      return Collections.unmodifiableList(Arrays.asList(results));
    } finally {
      end();
    }
  }

  private synchronized void begin() {
    switch (state) {
      case CLOSED -> throw new IllegalStateException("the world is closed; open another");
      case RUNNING ->
          throw new IllegalStateException("the world is running; run it again when that has ended");
      case IDLE -> {
        if (failed.get() != NONE) {
          throw new IllegalStateException(
              "the world has failed and can only be closed; open another", failures[failed.get()]);
        }
        for (Rank rank : ranks) {
          rank.finished = false;
        }
        state = State.RUNNING;
      }
    }
  }

  private synchronized void end() {
    state = State.IDLE;
  }

  /** An interrupt of the caller ends the world; the ranks still run to their end. */
  private void awaitRanks(CountDownLatch running) {
    boolean interrupted = false;
    while (true) {
      try {
        running.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
        fail(
            0,
            new CommunicationException(
                "the thread that runs the world was interrupted", "", "", e));
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void throwFailure() {
    if (failed.get() == NONE) {
      return;
    }
    Throwable first = failures[failed.get()];
    CommunicationException thrown =
        new CommunicationException("failed: " + first, ranks[failed.get()].toString(), "", first);
    for (Throwable other : failures) {
      if (other != null && !isConsequence(other, first)) {
        thrown.addSuppressed(other);
      }
    }
    throw thrown;
  }

  /** Others throw because the first failed, and say so in their chain of causes. */
  private boolean isConsequence(Throwable thrown, @Nullable Throwable first) {
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      if (each.equals(first) || (first == deadlock && each instanceof DeadlockException)) {
        return true;
      }
    }
    return false;
  }

  private void finish(int rank) {
    ranks[rank].abandonRequests();
    ranks[rank].finished = true;
    ranks[rank].progressed();
    wakeAll();
  }

  private void wakeAll() {
    for (Rank rank : ranks) {
      rank.wake();
    }
  }

  /** Ends the world because of what a rank threw; only the first failure counts. */
  void fail(int rank, Throwable cause) {
    if (failures[rank] == null) {
      failures[rank] = cause;
    }
    if (failed.compareAndSet(NONE, rank)) {
      wakeAll();
    }
  }

  /** Ends the world because all ranks wait for one another, as {@code report} says. */
  void deadlocked(String report) {
    deadlock = deadlockOn("", report);
    fail(0, deadlock);
  }

  private static DeadlockException deadlockOn(String where, String report) {
    return new DeadlockException(report, where, "let one of them send, or receive, first", null);
  }

  /** Throws if the world has failed; {@code rank} is the one that asks. */
  void check(Rank rank) {
    if (failed.get() != NONE) {
      throw failure(rank);
    }
  }

  private CommunicationException failure(Rank rank) {
    Throwable cause = failures[failed.get()];
    if (cause != null && cause == deadlock) {
      return new DeadlockException(deadlock.getMessage(), rank.toString(), "", deadlock);
    }
    return new PeerFailedException(
        "rank " + failed.get() + " failed: " + cause, rank.toString(), "", cause);
  }

  @Override
  public synchronized void close() {
    if (state == State.RUNNING) {
      throw new IllegalStateException("the world is running; close it when that has ended");
    }
    if (state != State.CLOSED) {
      state = State.CLOSED;
      for (Rank rank : ranks) {
        rank.own().stop();
      }
    }
  }
}
