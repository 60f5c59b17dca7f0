package dev.rialto.cpu;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread of a {@link WorkStealingExecutor}: looks for work, waits for a while if there is none,
 * then sleeps until it is woken.
 */
final class Worker extends Thread {
  private final WorkStealingExecutor executor;
  private final Participant participant;
  private final AtomicBoolean asleep = new AtomicBoolean();

  /**
   * Makes a worker that has not started.
   *
   * @param seat its seat in loops; 0 for a spare, which runs tasks only
   */
  Worker(WorkStealingExecutor executor, String name, int seat) {
    // Inheritable thread locals of the opener are not for tasks.
    super(null, null, name, 0, false);
    this.executor = executor;
    this.participant = new Participant(seat);
    setDaemon(true);
  }

  WorkStealingExecutor executor() {
    return executor;
  }

  Participant participant() {
    return participant;
  }

  boolean isSpare() {
    return participant.seat == 0;
  }

  @Override
  public void run() {
    long idleSince = System.nanoTime();
    while (true) {
      if (executor.work(this)) {
        // A body may leave the thread interrupted; that is no concern of the next.
        Thread.interrupted();
        idleSince = System.nanoTime();
      } else if (executor.dismisses(this)) {
        return;
      } else if (!executor.pause(System.nanoTime() - idleSince)) {
        sleep();
        idleSince = System.nanoTime();
      }
    }
  }

  /** Sleeps until there is work. A thread that adds some later sees it asleep. */
  private void sleep() {
    asleep.set(true);
    executor.fellAsleep(this);
    while (asleep.get()) {
      if (executor.needs(this)) {
        wake();
      } else {
        LockSupport.park(this);
        Thread.interrupted();
      }
    }
    executor.wokeUp(this);
  }

  /** Ends this one's sleep; returns false if it is awake. */
  boolean wake() {
    if (!asleep.get() || !asleep.compareAndSet(true, false)) {
      return false;
    }
    LockSupport.unpark(this);
    return true;
  }

  /** Waits for the end of this thread; returns whether the waiting one was interrupted. */
  boolean end() {
    boolean interrupted = false;
    wake();
    while (isAlive()) {
      try {
        join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    return interrupted;
  }
}
