package dev.rialto.array;

import dev.rialto.spi.exec.Cancellation;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Work on arrays that is under way.
 *
 * <p>{@link #cancel} may be called from any thread, {@link #await} from the rank's own.
 *
 * @param <R> the result
 */
public final class Started<R> {
  private final FutureTask<R> task;
  private final Cancellation cancellation;
  private final CommunicationThread ferry;

  Started(FutureTask<R> task, Cancellation cancellation, CommunicationThread ferry) {
    this.task = task;
    this.cancellation = cancellation;
    this.ferry = ferry;
  }

  /** Returns whether it has ended: with a result, by an exception, or cancelled. */
  public boolean isDone() {
    return task.isDone();
  }

  /**
   * Asks it to stop, on all ranks. It does, soon, unless it is nearly done on some rank: then it
   * completes on all of them.
   */
  public void cancel() {
    cancellation.cancel();
  }

  /**
   * Waits for the end. Where only one thread of a rank may communicate, this also does the
   * communication of this operation and those started before it.
   *
   * @throws CancellationException if it was cancelled, on all ranks
   */
  public R await() {
    try {
      while (ferry != CommunicationThread.NONE && !task.isDone()) {
        ferry.serve();
      }
      return task.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      cancel();
      throw new IllegalStateException("interrupted while waiting; the operation is cancelled", e);
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException failure -> throw failure;
        case Error error -> throw error;
        case null, default -> throw new IllegalStateException(e.getCause());
      }
    }
  }
}
