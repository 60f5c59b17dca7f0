package dev.rialto.tck.run;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.opentest4j.AssertionFailedError;

/**
 * Runs something on a thread of its own and gives up on it when its time is up, with the stacks of
 * all threads. A thread that neither an interrupt nor freeing its ranks ends is left behind: it
 * costs a core, the run goes on.
 */
public final class Watchdog {
  public interface Work {
    void run() throws Throwable;
  }

  /** The longest time for an interrupted thread to end, unless it had less time for its work. */
  private static final long GRACE_MILLIS = 2000;

  private Watchdog() {}

  /**
   * Runs {@code work}.
   *
   * @param free called with a reason when time is up, to free what waits
   * @throws TimeUp if it did not end in time
   */
  public static void run(String name, Duration limit, Work work, Consumer<String> free)
      throws Throwable {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name(name)
            .start(
                () -> {
                  try {
                    work.run();
                    done.complete(null);
                  } catch (Throwable e) {
                    done.completeExceptionally(e);
                  }
                });
    try {
      done.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause();
    } catch (TimeoutException e) {
      String reason = name + " did not end within " + seconds(limit);
      TimeUp timeUp = new TimeUp(reason, Stacks.dump());
      free.accept(reason);
      thread.interrupt();
      thread.join(Math.min(GRACE_MILLIS, limit.toMillis()));
      throw timeUp;
    }
  }

  private static String seconds(Duration limit) {
    return limit.toMillis() % 1000 == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
  }

  /** Time was up; the stacks say where the threads were. */
  static final class TimeUp extends AssertionFailedError {
    private static final long serialVersionUID = 1L;

    private final String stacks;

    TimeUp(String reason, String stacks) {
      super(reason);
      this.stacks = stacks;
    }

    String stacks() {
      return stacks;
    }
  }
}
