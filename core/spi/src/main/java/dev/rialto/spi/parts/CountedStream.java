package dev.rialto.spi.parts;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Stream.Event;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.exec.Timeline.Observer;
import org.jspecify.annotations.Nullable;

/**
 * What streams have in common whose points are counts of operations: events, labels, failures and
 * somebody who listens. A kind of stream says how operations are added and when they have ended.
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

  /** What went wrong; the stream adds, this raises. */
  protected final StreamFailures failures = new StreamFailures();

  /** Who hears of operations. */
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
   * @param told whether the operation before it failed and somebody was told before this was
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
}
