package dev.rialto.cli;

import dev.rialto.spi.exec.Cancellation;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns an interrupt of this process into a request to stop, and lets the command say what it
 * reached before the process ends.
 *
 * <p>The JVM ends with 130 or 143 by itself once its shutdown hooks are done; this hook asks the
 * command to stop and waits until it has, but not for ever.
 */
final class Interruption {
  private static final long PATIENCE_SECONDS = 10;

  private final Cancellation cancellation = new Cancellation();
  private final CountDownLatch finished = new CountDownLatch(1);

  /** Begins to listen. */
  static Interruption listen() {
    Interruption interruption = new Interruption();
    Runtime.getRuntime().addShutdownHook(new Thread(interruption::stop, "stop the command"));
    return interruption;
  }

  private void stop() {
    cancellation.cancel();
    try {
      boolean _ = finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the switch that an interrupt turns. */
  Cancellation cancellation() {
    return cancellation;
  }

  /** Notes that everything was said. */
  void finished() {
    finished.countDown();
  }
}
