package dev.rialto.local.world;

import dev.rialto.local.rank.DeadlockDetector;
import dev.rialto.local.rank.Failures;
import dev.rialto.local.rank.Patience;
import dev.rialto.local.rank.Rank;
import dev.rialto.spi.World;
import dev.rialto.spi.World.RankScope;
import dev.rialto.spi.error.CommunicationException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A world whose ranks are threads of this JVM.
 *
 * <p>The threads live as long as the world and sleep between runs.
 */
public final class LocalWorld implements World {
  private enum State {
    IDLE,
    RUNNING,
    CLOSED
  }

  public final Patience patience;
  public final DeadlockDetector deadlocks;

  private final Rank[] ranks;
  private final LocalCommunicator[] communicators;
  private State state = State.IDLE;
  private volatile boolean someFinished;

  private final Failures failures;

  public LocalWorld(int size) {
    long grace = Long.getLong("rialto.local.deadlock.millis", 1000) * 1_000_000;
    this.patience = Patience.of(size, grace);
    this.deadlocks = new DeadlockDetector(this, size, grace);
    this.ranks = new Rank[size];
    this.failures = new Failures(size);
    for (int i = 0; i < size; i++) {
      ranks[i] = new Rank(this, i);
    }
    Group all = new Group("local/world", ranks.clone());
    this.communicators = new LocalCommunicator[size];
    for (int i = 0; i < size; i++) {
      communicators[i] = LocalCommunicator.ofWorld(all, i);
    }
  }

  @Override
  public int size() {
    return ranks.length;
  }

  public Rank[] ranks() {
    return ranks;
  }

  /** Returns whether the body of a rank has returned. */
  public boolean someFinished() {
    return someFinished;
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
                    results[rank] = RankScope.call(rank, () -> run(function, rank));
                  } catch (Throwable e) {
                    fail(rank, e);
                    ranks[rank].left().settleAfterFailure();
                  } finally {
                    finish(rank, running);
                  }
                });
      }
      awaitRanks(running);
      failures.throwFirst();
      return Collections.unmodifiableList(Arrays.asList(results));
    } finally {
      end();
    }
  }

  private <T> T run(RankFunction<T> function, int rank) throws Exception {
    T result = function.run(communicators[rank]);
    ranks[rank].left().settleAll();
    return result;
  }

  private synchronized void begin() {
    switch (state) {
      case CLOSED -> throw new IllegalStateException("the world is closed; open another");
      case RUNNING ->
          throw new IllegalStateException("the world is running; run it again when that has ended");
      case IDLE -> {
        if (failures.failed()) {
          throw new IllegalStateException(
              "the world has failed and can only be closed; open another", failures.first());
        }
        someFinished = false;
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

  /** An interrupt of the caller ends the world, and is passed on to the ranks' bodies. */
  private void awaitRanks(CountDownLatch running) {
    boolean interrupted = false;
    while (true) {
      try {
        running.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
        failForAll(
            new CommunicationException(
                "the thread that runs the world was interrupted", "", "", e));
        for (Rank rank : ranks) {
          rank.own().thread.interrupt();
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void finish(int rank, CountDownLatch running) {
    try {
      ranks[rank].abandonRequests();
    } finally {
      ranks[rank].finished = true;
      someFinished = true;
      ranks[rank].progressed();
      wakeAll();
      running.countDown();
    }
  }

  private void wakeAll() {
    for (Rank rank : ranks) {
      rank.wake();
    }
  }

  /** Ends the world because of what a rank threw. */
  private void fail(int rank, Throwable cause) {
    failures.record(rank, cause);
    wakeAll();
  }

  /** Ends the world because a rank gives up. */
  void abort(int rank, Throwable reason) {
    failures.recordAbort(rank, reason);
    wakeAll();
  }

  /** Ends the world for a reason that no single rank is to blame for. */
  public void failForAll(Throwable cause) {
    failures.recordForAll(cause);
    wakeAll();
  }

  public boolean failed() {
    return failures.failed();
  }

  /** Throws if the world has failed; {@code rank} is the one that asks. */
  public void check(Rank rank) {
    failures.check(rank);
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
