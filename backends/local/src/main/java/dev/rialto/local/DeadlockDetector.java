package dev.rialto.local;

import dev.rialto.spi.error.DeadlockException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tells when all ranks of a world wait for one another.
 *
 * <p>Parked ranks look now and then. The world is deadlocked when each rank is finished or parked
 * without a time limit and {@link Standstill} has seen none take a step for the grace period.
 * Threads other than the ranks' own could still bring the ranks forward; a world that has seen one
 * is not watched.
 */
final class DeadlockDetector {
  private final LocalWorld world;
  private final long graceNanos;
  private final ReentrantLock looking = new ReentrantLock();
  private final InheritableThreadLocal<Boolean> children = new ChildThreads();
  private volatile boolean otherThreads;

  private final Standstill standstill;
  private final long[] polls;

  DeadlockDetector(LocalWorld world, int ranks, long graceNanos) {
    this.world = world;
    this.graceNanos = graceNanos;
    this.standstill = new Standstill(ranks, graceNanos);
    this.polls = new long[ranks];
  }

  /** Begins to watch for threads that the calling rank thread starts. */
  void watchChildren() {
    children.set(true);
  }

  /** Tells that a thread other than the ranks' own uses the world. */
  void seeOtherThread() {
    otherThreads = true;
  }

  /** Returns whether threads other than the ranks' own may act for a rank. */
  boolean otherThreads() {
    return otherThreads;
  }

  /** Fails the world if it is deadlocked. */
  void look() {
    if (graceNanos == 0 || otherThreads || !looking.tryLock()) {
      return;
    }
    try {
      if (standstill()) {
        world.failForAll(
            new DeadlockException(report(), "", "let one of them send, or receive, first", null));
      }
    } finally {
      looking.unlock();
    }
  }

  private boolean standstill() {
    long steps = 0;
    for (Rank rank : world.ranks()) {
      boolean finished = rank.finished;
      if (!finished && rank.blocked == null) {
        standstill.reset();
        return false;
      }
      steps += rank.steps();
      polls[rank.index] = finished ? polls[rank.index] + 1 : rank.polls();
    }
    return standstill.lasts(steps, polls, System.nanoTime())
        && ForkJoinPool.commonPool().isQuiescent();
  }

  private String report() {
    StringBuilder text = new StringBuilder("all ranks wait for one another:");
    for (Rank rank : world.ranks()) {
      Wait wait = rank.blocked;
      text.append("\n  rank ").append(rank.index);
      if (wait == null) {
        text.append(" has finished");
      } else {
        text.append(" waits for ").append(wait.describe()).append(", ").append(place(rank));
      }
    }
    return text.toString();
  }

  /** Returns where the user's code waits; the tests of this package are users too. */
  private static String place(Rank rank) {
    for (StackTraceElement frame : rank.own().thread.getStackTrace()) {
      String type = frame.getClassName();
      boolean ours = type.startsWith("dev.rialto.local.") && !type.contains("Test");
      boolean library = type.startsWith("java.") || type.startsWith("jdk.");
      if (!ours && !library && !type.startsWith("dev.rialto.spi.")) {
        return "at " + frame;
      }
    }
    return "at an unknown place";
  }

  /** Sees the threads that rank threads create. */
  private final class ChildThreads extends InheritableThreadLocal<Boolean> {
    @Override
    protected Boolean childValue(Boolean ofParent) {
      otherThreads = true;
      return ofParent;
    }
  }
}
