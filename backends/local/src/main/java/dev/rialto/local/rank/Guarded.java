package dev.rialto.local.rank;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An object with a lock of its own, for the threads of one rank.
 *
 * <p>A rank mostly has one thread, so the lock is free and its word in that thread's cache: taking
 * it costs one atomic instruction. It is held for some loads and stores only, never while waiting
 * or copying much; a thread that finds it taken spins, then yields.
 *
 * <p>No thread takes it twice. One that finds itself the holder was torn out by an error that can
 * strike anywhere, such as a stack overflow; it takes the lock over, so that the rank still fails
 * instead of hanging.
 */
public abstract class Guarded extends Isolated {
  private static final VarHandle HOLDER = LongField.of(MethodHandles.lookup(), "holder");

  /** The number of the thread that has the lock, or 0. */
  @SuppressWarnings("UnusedVariable")
  private long holder;

  public final void lock() {
    for (int i = 1; !tryLock(); i++) {
      if (i % 64 == 0) {
        Thread.yield();
      } else {
        Thread.onSpinWait();
      }
    }
  }

  final boolean tryLock() {
    long me = Thread.currentThread().threadId();
    long before = (long) HOLDER.compareAndExchange(this, 0L, me);
    return before == 0 || before == me;
  }

  /** Takes the lock if no thread has it, this one neither. */
  public final boolean acquire() {
    return HOLDER.compareAndSet(this, 0L, Thread.currentThread().threadId());
  }

  public final boolean isHeldByThisThread() {
    return (long) HOLDER.getAcquire(this) == Thread.currentThread().threadId();
  }

  public final void unlock() {
    HOLDER.setRelease(this, 0L);
  }
}
