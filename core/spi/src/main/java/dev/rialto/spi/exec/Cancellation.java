package dev.rialto.spi.exec;

import java.util.concurrent.CancellationException;

/**
 * A switch that asks running work to stop; once cancelled it stays so.
 *
 * <p>Thread-safe. Work that has begun is not interrupted: it stops at the next chunk, or where it
 * asks.
 */
public final class Cancellation {
  private volatile boolean cancelled;

  /** Makes a switch that is not cancelled. */
  public Cancellation() {}

  /** Asks the work to stop. */
  public void cancel() {
    cancelled = true;
  }

  /** Returns whether the work was asked to stop. */
  public boolean isCancelled() {
    return cancelled;
  }

  /**
   * Does nothing unless cancelled.
   *
   * @throws CancellationException if cancelled
   */
  public void check() {
    if (cancelled) {
      throw new CancellationException("the work was cancelled");
    }
  }
}
