package dev.rialto.runtime.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Something that one thread at a time looks at and changes, for the time of a few stores or of a
 * call of a device's driver.
 *
 * <p>A claim is a compare-and-set, and letting go is a store. A thread that finds it claimed for
 * longer than a moment queues up, and the first in the queue looks again from time to time. All of
 * them sleep: virtual threads that yielded instead would keep their carriers busy with one another,
 * while the one that has the claim, once it had to wait for a lock of the driver, never got to run.
 */
public abstract class Claim {
  private static final int SPINS = 100;
  private static final long LONGEST_PAUSE_NANOS = 100_000;
  private static final VarHandle CLAIMED;
  private static final VarHandle QUEUE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      CLAIMED = lookup.findVarHandle(Claim.class, "claimed", int.class);
      QUEUE = lookup.findVarHandle(Claim.class, "queue", ReentrantLock.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // through CLAIMED
  private int claimed;

  /** The queue of threads; made by the first that has to. */
  private volatile @Nullable ReentrantLock queue;

  Claim() {}

  /** Waits until this is the caller's to look at and change. */
  public final void claim() {
    if (!CLAIMED.compareAndSet(this, 0, 1) && !spin()) {
      ReentrantLock waiting = queue();
      waiting.lock();
      try {
        await();
      } finally {
        waiting.unlock();
      }
    }
  }

  private boolean spin() {
    for (int spins = 0; spins < SPINS; spins++) {
      Thread.onSpinWait();
      if (CLAIMED.compareAndSet(this, 0, 1)) {
        return true;
      }
    }
    return false;
  }

  private ReentrantLock queue() {
    ReentrantLock made = queue;
    if (made == null) {
      ReentrantLock mine = new ReentrantLock();
      ReentrantLock first = (ReentrantLock) QUEUE.compareAndExchange(this, null, mine);
      made = first == null ? mine : first;
    }
    return made;
  }

  /** Claims this as the first of the queue. */
  private void await() {
    boolean interrupted = false;
    for (long pause = 1_000; !spin(); pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS)) {
      LockSupport.parkNanos(this, pause);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets go of a claim. */
  public final void unclaim() {
    CLAIMED.setRelease(this, 0);
  }
}
