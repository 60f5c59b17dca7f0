package dev.rialto.cli;

import dev.rialto.spi.exec.Cancellation;
import dev.rialto.system.files.WholeFile;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Turns an interrupt of this process into a request to stop, and lets the command say what it
 * reached before the process ends.
 *
 * <p>The JVM ends with 130 or 143 by itself once its shutdown hooks are done; this hook asks the
 * command to stop and waits until it has, but not for long: where a command is in the middle of
 * something that cannot be asked, the hook itself says how far it was and removes files that are
 * not finished. Ranks that are processes are given longer, for each of them does the same.
 */
final class Interruption {
  private static final long PATIENCE_MILLIS = 5_000;
  private static final long PATIENCE_WITH_RANKS_MILLIS = 10_000;

  private final Cancellation cancellation;
  private final CountDownLatch finished = new CountDownLatch(1);
  private volatile Supplier<String> reached = () -> "";
  private volatile boolean ranksAreProcesses;

  /** Makes one that nothing but the switch interrupts. */
  Interruption(Cancellation cancellation) {
    this.cancellation = cancellation;
  }

  static Interruption listen() {
    Interruption interruption = new Interruption(new Cancellation());
    Runtime.getRuntime().addShutdownHook(new Thread(interruption::stop, "stop the command"));
    return interruption;
  }

  private void stop() {
    if (finished.getCount() == 0 || isExit()) {
      return;
    }
    cancellation.cancel();
    long patience = ranksAreProcesses ? PATIENCE_WITH_RANKS_MILLIS : PATIENCE_MILLIS;
    try {
      if (!finished.await(patience, TimeUnit.MILLISECONDS)) {
        System.err.println("rialto: " + sentence(reached.get()));
        System.err.flush();
        WholeFile.discardUnfinished();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether the JVM ends because a program called {@link System#exit}, not by a signal. */
  private static boolean isExit() {
    return Thread.getAllStackTraces().values().stream()
        .flatMap(Arrays::stream)
        .anyMatch(
            frame ->
                frame.getClassName().equals(Runtime.class.getName())
                    && frame.getMethodName().equals("exit"));
  }

  /** Says that a command was interrupted. */
  static String sentence(String reached) {
    return reached.isEmpty() ? "Interrupted." : "Interrupted " + reached + ".";
  }

  /** Returns the switch that an interrupt turns. */
  Cancellation cancellation() {
    return cancellation;
  }

  /** Tells where to ask how far the command is: a clause such as "after 3 of 8 iterations". */
  void reached(Supplier<String> clause) {
    reached = clause;
  }

  /** Notes that what is waited for are processes that were interrupted too. */
  void ranksAreProcesses() {
    ranksAreProcesses = true;
  }

  /** Notes that everything was said. */
  void finished() {
    finished.countDown();
  }
}
