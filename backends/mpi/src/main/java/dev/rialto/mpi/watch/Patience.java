package dev.rialto.mpi.watch;

import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A wait by looking again and again: a rank spins, then yields, then sleeps.
 *
 * <p>Spinning is skipped where ranks outnumber processors: what is waited for cannot happen while
 * this rank keeps a processor busy. Who sleeps is known to the {@link Watch}.
 */
public final class Patience {
  private static final int SPINS = 50_000;
  private static final int YIELDS = 200;
  private static final long NAP_NANOS = 20_000;

  /** After how long it sleeps in any case, however slow its looks are. */
  private static final long AWAKE_NANOS = 20_000_000;

  private static final int LOOKS_PER_CLOCK = 64;

  private final Watch watch;
  private final MpiCall operation;
  private final String communicator;
  private final IntUnaryOperator jobRank;
  private final boolean closing;
  private int looks;
  private long begun;
  private @Nullable Wait wait;

  /**
   * Begins to wait.
   *
   * @param jobRank the number in the job of a rank of the communicator
   * @param closing whether something is closed by the operation
   */
  public Patience(
      Watch watch,
      boolean crowded,
      MpiCall operation,
      String communicator,
      IntUnaryOperator jobRank,
      boolean closing) {
    this.watch = watch;
    this.operation = operation;
    this.communicator = communicator;
    this.jobRank = jobRank;
    this.closing = closing;
    looks = crowded ? SPINS : 0;
  }

  /** Lets some time pass. */
  public void pause() {
    if (looks < SPINS) {
      Thread.onSpinWait();
    } else if (looks < SPINS + YIELDS) {
      Thread.yield();
    } else {
      nap();
      return;
    }
    looks++;
    if (looks % LOOKS_PER_CLOCK == 0) {
      long now = System.nanoTime();
      if (begun == 0) {
        begun = now;
      } else if (now - begun > AWAKE_NANOS) {
        looks = SPINS + YIELDS;
      }
    }
  }

  private void nap() {
    if (wait == null) {
      // A collective may need others too, and what has no tag may come from anywhere.
      boolean isOfOne = operation.peer() >= 0 && operation.tag() >= 0;
      int peer = isOfOne ? jobRank.applyAsInt(operation.peer()) : -1;
      wait = watch.enter(operation, communicator, peer, closing, false);
    }
    watch.polled();
    LockSupport.parkNanos(NAP_NANOS);
  }

  /** Ends the wait, however it went. */
  public void end() {
    if (wait != null) {
      watch.leave(wait);
      wait = null;
    }
  }
}
