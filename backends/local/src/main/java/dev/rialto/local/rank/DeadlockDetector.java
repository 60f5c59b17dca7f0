package dev.rialto.local.rank;

import dev.rialto.local.world.LocalWorld;
import dev.rialto.spi.error.DeadlockException;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tells when all ranks of a world wait for one another.
 *
 * <p>Parked threads look now and then. The world is deadlocked when each rank is finished, parked
 * without a time limit or in {@link Thread#join()} of a thread that is, {@link Standstill} has seen
 * none take a step for the grace period, and no other thread may bring them forward. A rank that
 * awaits something else while a thread waits, such as a task's result, may go on by itself. Where
 * there are such threads, or were, the ranks are given more time; as long as one of these {@link
 * Bystanders} may act it stays at a warning in the log. Once none may, the ranks must stand still a
 * little longer: the last one to act may have sent what its receiver has not looked at yet.
 */
public final class DeadlockDetector {
  /** The factor by which ranks may stand still longer in a world that has seen other threads. */
  private static final int WITH_BYSTANDERS = 3;

  /** After how many grace periods a standstill is logged if another thread may end it. */
  private static final int UNTIL_WARNING = 30;

  private final LocalWorld world;
  private final long graceNanos;
  private final ReentrantLock looking = new ReentrantLock();
  private final Bystanders bystanders = new Bystanders();

  private final Standstill standstill;
  private final Standstill longer;
  private final Standstill longest;

  /** Runs from when no other thread may act. */
  private final Standstill alone;

  private final long[] polls;
  private boolean wereAlone;
  private boolean warned;

  public DeadlockDetector(LocalWorld world, int ranks, long graceNanos) {
    this.world = world;
    this.graceNanos = graceNanos;
    this.standstill = new Standstill(ranks, graceNanos);
    this.longer = new Standstill(ranks, WITH_BYSTANDERS * graceNanos);
    this.longest = new Standstill(ranks, UNTIL_WARNING * graceNanos);
    this.alone = new Standstill(ranks, graceNanos / 4);
    this.polls = new long[ranks];
  }

  public Bystanders bystanders() {
    return bystanders;
  }

  /** Fails the world if it is deadlocked. */
  void look() {
    if (graceNanos == 0 || !looking.tryLock()) {
      return;
    }
    try {
      if (standsStill()) {
        judge();
      }
    } finally {
      looking.unlock();
    }
  }

  private void judge() {
    if (wereAlone && !alone.lasts()) {
      return;
    }
    Optional<String> active = bystanders.active(world.ranks());
    if (active.isEmpty()) {
      if (wereAlone) {
        world.failForAll(
            new DeadlockException(report(), "", "let one of them send, or receive, first", null));
      }
      wereAlone = true;
      alone.reset();
      return;
    }
    wereAlone = false;
    // Looking at threads is not cheap: do it once in a period.
    standstill.reset();
    longer.reset();
    if (longest.lasts() && !warned) {
      warned = true;
      System.getLogger(DeadlockDetector.class.getName())
          .log(
              Level.WARNING,
              "{0}\n  and they will be left so, because {1} may still end that",
              report(),
              active.get());
    }
  }

  private boolean standsStill() {
    long steps = 0;
    for (Rank rank : world.ranks()) {
      boolean away = rank.finished || bystanders.isAwaitedBy(rank.own().thread);
      if (!away && rank.blocked == null) {
        standstill.reset();
        longer.reset();
        longest.reset();
        wereAlone = false;
        return false;
      }
      steps += rank.steps();
      polls[rank.index] = away ? polls[rank.index] + 1 : rank.polls();
    }
    long now = System.nanoTime();
    standstill.note(steps, polls, now);
    longer.note(steps, polls, now);
    longest.note(steps, polls, now);
    alone.note(steps, polls, now);
    return bystanders.seen() ? longer.lasts() : standstill.lasts();
  }

  private String report() {
    StringBuilder text = new StringBuilder("all ranks wait for one another:");
    for (Rank rank : world.ranks()) {
      Wait wait = rank.blocked;
      text.append("\n  rank ").append(rank.index);
      if (wait == null) {
        Thread joined = bystanders.joinedBy(rank.own().thread);
        text.append(
            rank.finished
                ? " has finished"
                : joined == null
                    ? " waits for none of them"
                    : " waits for the end of thread " + joined.getName());
      } else {
        text.append(" waits for ").append(describe(wait, rank.own().thread));
      }
    }
    bystanders
        .waits()
        .forEach(
            (thread, wait) ->
                text.append("\n  the thread ")
                    .append(thread.getName())
                    .append(" waits for ")
                    .append(describe(wait, thread)));
    return text.toString();
  }

  /** Says what a thread waits for, and where in the user's code. */
  private static String describe(Wait wait, Thread thread) {
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (Bystanders.isUsers(frame)) {
        return wait.describe() + ", at " + frame;
      }
    }
    return wait.describe() + ", at an unknown place";
  }
}
