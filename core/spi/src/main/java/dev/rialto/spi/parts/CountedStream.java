package dev.rialto.spi.parts;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Stream.Event;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.exec.Timeline.Observer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The common part of streams whose points are counts of operations: events, labels, failures and an
 * observer. A kind of stream says how operations are added and when they have ended.
 */
public abstract class CountedStream implements Timeline {
  private static final Observer NOBODY =
      new Observer() {
        @Override
        public boolean isTiming() {
          return false;
        }

        @Override
        public void ended(
            @Nullable Object label,
            long position,
            long added,
            long began,
            long ended,
            @Nullable Throwable failure) {}
      };

  /** For messages, traces and threads. */
  protected final String name;

  /** The failures; the stream adds, this raises. */
  protected final Failures failures = new Failures();

  /** The observer of operations. */
  protected volatile Observer observer = NOBODY;

  /** Names the stream. */
  protected CountedStream(String name) {
    this.name = name;
  }

  /** Adds host code. */
  protected abstract void run(@Nullable Object label, Runnable operation);

  /** Throws if this stream is closed. */
  protected abstract void refuseIfClosed();

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final void run(Runnable operation) {
    run(null, requireNonNull(operation));
  }

  @Override
  public final Event record() {
    refuseIfClosed();
    long position = position();
    return new At(this, position, failures.isTold(position));
  }

  @Override
  public final void waitFor(Event event) {
    if (!(event instanceof At(CountedStream stream, long position, boolean told))) {
      throw new IllegalArgumentException(
          "the event is not of the backend of "
              + name
              + "; pass one that one of its streams recorded");
    }
    refuseIfClosed();
    if (!told) {
      waitFor(stream, position);
    }
  }

  @Override
  public final boolean isIdle() {
    return isReached(position());
  }

  @Override
  public final void await() {
    await(position());
  }

  private void await(long position) {
    awaitReached(position);
    raise(position);
  }

  @Override
  public final void raise(long position) {
    failures.raise(position, name);
  }

  @Override
  public final @Nullable Throwable failureAt(long position) {
    return failures.at(position);
  }

  @Override
  public final Stream labelled(Object label) {
    return new Labelled(this, requireNonNull(label));
  }

  @Override
  public final void observe(Observer who) {
    observer = requireNonNull(who);
  }

  /**
   * A point of a stream.
   *
   * @param told whether the operation before it failed and that was raised before this was
   *     recorded: then it is past, and no failure of who waits for it
   */
  private record At(CountedStream stream, long position, boolean told) implements Event {
    @Override
    public boolean isDone() {
      return stream.isReached(position);
    }

    @Override
    public void await() {
      stream.await(position);
    }
  }

  /**
   * A stream under a label.
   *
   * @param stream where operations go
   * @param label what the observer is told of them
   */
  public record Labelled(CountedStream stream, Object label) implements Stream {
    @Override
    public String name() {
      return stream.name();
    }

    @Override
    public void run(Runnable operation) {
      stream.run(label, requireNonNull(operation));
    }

    @Override
    public Event record() {
      return stream.record();
    }

    @Override
    public void waitFor(Event event) {
      stream.waitFor(event);
    }

    @Override
    public boolean isIdle() {
      return stream.isIdle();
    }

    @Override
    public void await() {
      stream.await();
    }

    /** Does nothing: the stream is its owner's. */
    @Override
    public void close() {}
  }

  /**
   * The failures of one stream: at most one that was not raised yet, during which operations are
   * skipped, and the ranges of positions that earlier ones spoilt.
   *
   * <p>The stream's thread adds; any thread raises and asks.
   */
  public static final class Failures {
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
    public Failures() {}

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
     * Returns why the operation before {@code position} is to be skipped, and keeps that; null if
     * it is to run.
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

    /** Returns whether the operation before {@code position} was spoilt and this was raised. */
    public boolean isTold(long position) {
      for (Failure failure = newest; failure != null; failure = failure.older) {
        if (failure.first <= position && position <= failure.last) {
          return failure.told.get();
        }
      }
      return false;
    }

    /**
     * Throws a failure before {@code position} unless it was raised; operations are no longer
     * skipped then.
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
}
