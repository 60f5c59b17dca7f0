package dev.rialto.local;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An object with a lock of its own, for the threads of one rank.
 *
 * <p>A rank mostly has one thread, so the lock is free and its word in that thread's cache: taking
 * it costs one atomic instruction. It is held for some loads and stores only, never while waiting
 * or copying much; whoever finds it taken spins, then yields. Not reentrant.
 */
abstract class Guarded extends Padded {
  private static final VarHandle HELD;

  static {
    try {
      HELD = MethodHandles.lookup().findVarHandle(Guarded.class, "held", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("UnusedVariable")
  private boolean held;

  final void lock() {
    for (int i = 1; !HELD.compareAndSet(this, false, true); i++) {
      if (i % 64 == 0) {
        Thread.yield();
      } else {
        Thread.onSpinWait();
      }
    }
  }

  final void unlock() {
    HELD.setRelease(this, false);
  }
}
