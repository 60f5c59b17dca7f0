package dev.rialto.cli.output;

import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The process through which the {@code ./rialto} script passes standard error, to drop the JVM's
 * announcement of the incubating Vector API.
 *
 * <p>It is a child of this process and ends at the end of its input. Waiting for that makes sure
 * that nothing is still on its way when the command is over: who reads a redirected standard error
 * next, reads all of it.
 */
public final class LauncherFilter {

  private static final long PATIENCE_MILLIS = 2_000;

  private LauncherFilter() {}

  public static void finish() {
    Long pid = Long.getLong("rialto.stderr.filter");
    if (pid == null) {
      return;
    }
    System.err.close();
    Optional<ProcessHandle> filter = ProcessHandle.of(pid);
    if (filter.isEmpty()) {
      return;
    }
    try {
      filter.get().onExit().get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // The filter shows what it has in any case; only the order at the very end is at stake.
      return;
    }
  }
}
