package dev.rialto.mpi;

import java.util.concurrent.locks.LockSupport;

/**
 * How a rank waits by looking again and again: it spins, then yields, then sleeps.
 *
 * <p>Spinning is skipped where ranks outnumber processors: what is waited for cannot happen while
 * this rank keeps a processor busy.
 */
final class Patience {
  private static final int SPINS = 2000;
  private static final int YIELDS = 200;
  private static final long NAP_NANOS = 20_000;

  private int looks;

  Patience(boolean crowded) {
    looks = crowded ? SPINS : 0;
  }

  /** Lets some time pass. */
  void pause() {
    if (looks < SPINS) {
      Thread.onSpinWait();
    } else if (looks < SPINS + YIELDS) {
      Thread.yield();
    } else {
      LockSupport.parkNanos(NAP_NANOS);
      return;
    }
    looks++;
  }
}
