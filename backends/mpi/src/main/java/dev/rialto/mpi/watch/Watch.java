package dev.rialto.mpi.watch;

import dev.rialto.mpi.world.Job;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.DeadlockException;
import dev.rialto.spi.error.PeerFailedException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A rank's view of the job: which of its calls wait, whether another rank has failed, and whether
 * all wait for one another.
 *
 * <p>A thread looks ten times a second. What it finds is a notice, which ends waiting calls with an
 * exception and refuses new ones. When all ranks wait for one another, those that wait while they
 * close something are told first: a rank may be on its way out after a failure of its own, which is
 * then what the others are told, instead of the standstill that it led to.
 */
public final class Watch {
  private static final long LOOK_MILLIS = 100;
  private static final Duration WAY_OUT = Duration.ofMillis(1500);
  private static final Duration LIBRARY_LIMIT = Duration.ofSeconds(2);

  /** Why calls fail from now on. */
  private sealed interface Notice {
    /** This rank has failed. */
    record Own(Throwable failure) implements Notice {}

    /** Another rank has. */
    record Peer(int rank, String words) implements Notice {}

    /** All ranks wait for one another. */
    record Standing(String words, boolean closingOnly) implements Notice {}
  }

  private final Job job;
  private final Optional<RankBoard> board;
  private final Set<Wait> waits = ConcurrentHashMap.newKeySet();
  private final OtherThreads others = new OtherThreads();
  private final AtomicLong steps = new AtomicLong();
  private final AtomicLong polls = new AtomicLong();
  private final Standstill standstill;
  private volatile @Nullable Thread rankThread;
  private volatile @Nullable Notice notice;
  private @Nullable Wait shown;
  private long beats;
  private long lastPolls;
  private long judged;

  public Watch(Job job, Optional<RankBoard> board) {
    this.job = job;
    this.board = board;
    this.standstill = new Standstill(board.map(RankBoard::size).orElse(0), job.rank());
    board.ifPresent(
        shared -> Thread.ofPlatform().daemon().name("mpi watch").start(() -> run(shared)));
  }

  /** Notes on which thread the rank runs. */
  public void begin() {
    rankThread = Thread.currentThread();
    others.add(Thread.currentThread());
  }

  /** Notes a call, and refuses it if the job has failed. */
  public void step(String where) {
    steps.setOpaque(steps.getPlain() + 1);
    if (!Thread.currentThread().equals(rankThread)) {
      others.add(Thread.currentThread());
    }
    check(false, where);
  }

  /** Notes that a call begins to wait. */
  public Wait enter(
      MpiCall operation, String communicator, int peer, boolean closing, boolean inLibrary) {
    Wait wait = new Wait(Thread.currentThread(), operation, communicator, peer, closing, inLibrary);
    waits.add(wait);
    return wait;
  }

  /** Notes that a waiting call has looked in vain. */
  void polled() {
    polls.setOpaque(polls.getPlain() + 1);
  }

  public void leave(Wait wait) {
    waits.remove(wait);
    steps.setOpaque(steps.getPlain() + 1);
  }

  /** Returns whether the job has failed, so that other ranks must not be waited for. */
  public boolean failed() {
    return notice != null;
  }

  /** Throws if the job has failed. */
  public void check(boolean closing, String where) {
    RuntimeException failure = notice == null ? null : failure(closing, where);
    if (failure != null) {
      throw failure;
    }
  }

  /** Throws if a rank has failed, even if that was not noticed yet. */
  public void checkNow(String where) {
    if (notice == null && board.isPresent() && board.get().anyFailed()) {
      look(board.get());
    }
    check(false, where);
  }

  /** Returns whether ranks see each other's states. */
  public boolean sees() {
    return board.isPresent();
  }

  /** Returns why a call that waits fails; null if it does not. */
  public @Nullable RuntimeException failure(boolean closing, String where) {
    return switch (notice) {
      case null -> null;
      case Notice.Own(Throwable failure) ->
          new CommunicationException(
              "this rank has failed: " + failure, where, "close the world", failure);
      case Notice.Peer(int rank, String words) ->
          new PeerFailedException("rank " + rank + " failed: " + words, where, "", null);
      case Notice.Standing(String words, boolean closingOnly) ->
          closingOnly && !closing
              ? null
              : new DeadlockException(
                  words, where, "let one of them send, or receive, first", null);
    };
  }

  /**
   * Tells the others that this rank has failed.
   *
   * @return the reason for all: a failure that only follows from another rank's is not one
   */
  public Throwable fail(Throwable failure) {
    boolean derived =
        failure instanceof PeerFailedException || failure instanceof DeadlockException;
    board.ifPresent(shared -> shared.showFailed(words(failure), derived));
    Throwable reason = failure;
    if (derived && board.isPresent()) {
      reason = othersReason(board.get()).map(known -> (Throwable) known).orElse(failure);
    }
    own(reason);
    return reason;
  }

  private synchronized void own(Throwable reason) {
    notice = new Notice.Own(reason);
  }

  private static String words(Throwable failure) {
    StringBuilder words = new StringBuilder(failure.toString());
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      words.append("; caused by ").append(cause);
    }
    return words.toString();
  }

  /** Waits a moment for a rank that failed for a reason of its own. */
  private Optional<RuntimeException> othersReason(RankBoard shared) {
    long end = System.nanoTime() + WAY_OUT.toNanos();
    try {
      while (true) {
        // Asked before looking: the last rank to fail may be the one that knows why.
        boolean over = allFailed(shared) || System.nanoTime() > end;
        Optional<Notice.Peer> first = firstFailed(shared, false);
        if (first.isPresent()) {
          String words = "rank " + first.get().rank() + " failed: " + first.get().words();
          return Optional.of(new PeerFailedException(words, job.where(), "", null));
        }
        if (over) {
          return Optional.empty();
        }
        Thread.sleep(LOOK_MILLIS / 2);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /** Returns whether no rank of the job runs any more; false if that is not known. */
  public boolean allOver() {
    return board.map(Watch::allFailed).orElse(false);
  }

  /** Returns whether this is the rank that tells people why the job failed. */
  public boolean speaks(Throwable reason) {
    if (!(reason instanceof PeerFailedException || reason instanceof DeadlockException)) {
      return true;
    }
    return board
        .map(shared -> firstFailed(shared, false).or(() -> firstFailed(shared, true)))
        .map(first -> first.isEmpty() || first.get().rank() == job.rank())
        .orElse(true);
  }

  /** Shows that this process ends. */
  public void end() {
    board.ifPresent(shared -> shared.show(RankBoard.State.ENDED));
  }

  private static boolean allFailed(RankBoard shared) {
    for (int rank = 0; rank < shared.size(); rank++) {
      RankBoard.State state = shared.state(rank);
      if (state != RankBoard.State.FAILED && state != RankBoard.State.ENDED) {
        return false;
      }
    }
    return true;
  }

  private static Optional<Notice.Peer> firstFailed(RankBoard shared, boolean derivedToo) {
    for (int rank = 0; rank < shared.size(); rank++) {
      if (shared.state(rank) == RankBoard.State.FAILED && (derivedToo || !shared.derived(rank))) {
        return Optional.of(new Notice.Peer(rank, shared.words(rank)));
      }
    }
    return Optional.empty();
  }

  private void run(RankBoard shared) {
    while (shared.state(job.rank()) != RankBoard.State.ENDED) {
      try {
        Thread.sleep(LOOK_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
      show(shared);
      look(shared, System.nanoTime());
    }
  }

  private void show(RankBoard shared) {
    RankBoard.State state = shared.state(job.rank());
    if (state == RankBoard.State.FAILED || state == RankBoard.State.ENDED) {
      return;
    }
    long newPolls = polls.getOpaque();
    Optional<Wait> first = waits.stream().findFirst();
    if (newPolls != lastPolls || first.map(Wait::inLibrary).orElse(false)) {
      beats++;
      lastPolls = newPolls;
    }
    shared.show(steps.getOpaque(), beats);
    if (first.isEmpty()) {
      others.reset();
      shared.show(RankBoard.State.RUNNING);
    } else if (others.mayAct(
        waits.stream().map(Wait::thread).collect(Collectors.toSet()), Thread.currentThread())) {
      shared.show(RankBoard.State.RUNNING);
    } else if (state != RankBoard.State.WAITING || !first.get().equals(shown)) {
      long bytes = waits.stream().mapToLong(wait -> wait.operation().bytes()).max().orElse(0);
      // Several threads that wait may each bring the rank forward.
      int peer = waits.size() == 1 ? first.get().peer() : -1;
      shown = first.get();
      shared.showWaiting(shown.describe(), bytes, peer, waits.stream().anyMatch(Wait::closing));
    }
  }

  /** Looks for a rank that has failed; returns whether there is one. */
  private synchronized boolean look(RankBoard shared) {
    if (notice instanceof Notice.Own) {
      return true;
    }
    Optional<Notice.Peer> failed = firstFailed(shared, false);
    if (failed.isEmpty() && shared.verdict() == RankBoard.NONE) {
      // Otherwise that rank has failed because all stand still, as this one is told too.
      failed = firstFailed(shared, true);
    }
    if (failed.isPresent() && failed.get().rank() != job.rank()) {
      notice = failed.get();
      return true;
    }
    return false;
  }

  private void look(RankBoard shared, long now) {
    if (look(shared)) {
      return;
    }
    boolean still = standstill.lasts(shared, now);
    long verdict = shared.verdict();
    if (verdict == RankBoard.NONE) {
      judged = now;
      if (still) {
        boolean anyCloses = false;
        for (int rank : standstill.ranks()) {
          anyCloses |= shared.closing(rank) && shared.state(rank) == RankBoard.State.WAITING;
        }
        shared.judge(
            RankBoard.NONE,
            anyCloses ? RankBoard.FOR_CLOSING : RankBoard.FOR_ALL,
            report(shared, standstill.ranks()));
      }
    } else if (verdict == RankBoard.FOR_CLOSING) {
      notice = new Notice.Standing(shared.verdictWords(), true);
      if (now - judged > WAY_OUT.toNanos()) {
        shared.judge(RankBoard.FOR_CLOSING, RankBoard.FOR_ALL, shared.verdictWords());
      }
    } else {
      notice = new Notice.Standing(shared.verdictWords(), false);
      if (now - judged > LIBRARY_LIMIT.plus(WAY_OUT).toNanos()
          && waits.stream().anyMatch(Wait::inLibrary)) {
        job.abort(shared.verdictWords());
      }
    }
  }

  private static String report(RankBoard shared, int[] ranks) {
    StringBuilder text =
        new StringBuilder(ranks.length == shared.size() ? "all ranks wait" : "ranks wait");
    text.append(" for one another:");
    for (int rank : ranks) {
      text.append("\n  rank ")
          .append(rank)
          .append(' ')
          .append(shared.state(rank) == RankBoard.State.ENDED ? "has ended" : shared.words(rank));
    }
    return text.toString();
  }
}
