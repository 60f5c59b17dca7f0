package dev.rialto.spi.parts;

import dev.rialto.spi.error.DeviceException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong on one stream: at most one failure that nobody has been told, during which
 * operations are skipped, and the ranges of positions that earlier ones spoilt.
 *
 * <p>The stream's thread adds; any thread raises and asks.
 */
public final class StreamFailures {
  private static final int KEPT = 16;

  /** A failure, the positions from the operation that threw to the last one skipped. */
  private static final class Failure {
    final Throwable cause;
    final long first;
    final AtomicBoolean told = new AtomicBoolean();
    volatile long last;
    volatile @Nullable Failure older;

    Failure(Throwable cause, long position, @Nullable Failure older) {
      this.cause = cause;
      this.first = position;
      this.last = position;
      this.older = older;
    }
  }

  private final AtomicReference<@Nullable Failure> untold = new AtomicReference<>();
  private volatile @Nullable Failure newest;

  /** Starts without failures. */
  public StreamFailures() {}

  /** Adds what the operation before {@code position} threw. */
  public void add(Throwable cause, long position) {
    Failure failure = new Failure(cause, position, newest);
    Failure oldest = failure;
    for (int i = 1; i < KEPT && oldest != null; i++) {
      oldest = oldest.older;
    }
    if (oldest != null) {
      oldest.older = null;
    }
    newest = failure;
    untold.set(failure);
  }

  /**
   * Returns why the operation before {@code position} is to be skipped, and keeps that; null if it
   * is to run.
   */
  public @Nullable Throwable skip(long position) {
    Failure failure = untold.get();
    if (failure == null) {
      return null;
    }
    failure.last = position;
    return failure.cause;
  }

  /** Returns what spoilt the operation before {@code position}, or null. */
  public @Nullable Throwable at(long position) {
    for (Failure failure = newest; failure != null; failure = failure.older) {
      if (failure.first <= position && position <= failure.last) {
        return failure.cause;
      }
    }
    return null;
  }

  /** Returns whether the operation before {@code position} was spoilt and somebody was told. */
  public boolean isTold(long position) {
    for (Failure failure = newest; failure != null; failure = failure.older) {
      if (failure.first <= position && position <= failure.last) {
        return failure.told.get();
      }
    }
    return false;
  }

  /**
   * Throws a failure before {@code position} unless somebody was told of it; operations are no
   * longer skipped then.
   */
  public void raise(long position, String stream) {
    Failure failure = untold.get();
    if (failure == null || failure.first > position || !failure.told.compareAndSet(false, true)) {
      return;
    }
    untold.compareAndSet(failure, null);
    throw new DeviceException(
        "an operation failed: " + failure.cause,
        stream,
        "operations added after it, until now, were skipped",
        failure.cause);
  }
}
