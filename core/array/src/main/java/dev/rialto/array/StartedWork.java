package dev.rialto.array;

import java.util.concurrent.CancellationException;

/**
 * Work on arrays that is under way.
 *
 * <p>{@link #cancel} may be called from any thread, {@link #await} from the rank's own.
 *
 * @param <R> the result
 */
public interface StartedWork<R> {
  /** Returns whether it has ended: with a result, by an exception, or cancelled. */
  boolean isDone();

  /**
   * Asks it to stop, on all ranks. It does, soon, unless it is nearly done on some rank: then it
   * completes on all of them.
   */
  void cancel();

  /**
   * Waits for the end. Where only one thread of a rank may communicate, this also does the
   * communication of this operation and those started before it.
   *
   * @throws CancellationException if it was cancelled, on all ranks
   */
  R await();
}
