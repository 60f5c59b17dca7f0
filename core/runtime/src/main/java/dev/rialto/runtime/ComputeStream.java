package dev.rialto.runtime;

import dev.rialto.runtime.memory.Lane;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.error.TimeoutException;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Timeline;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A queue of operations of one device, which run in order; owned by its opener.
 *
 * <p>Thread-safe. An operation starts as soon as what it depends on has ended: there is nothing to
 * flush. If one fails, those after it are skipped, and those on other streams that read what it
 * should have written fail too, until {@link #sync}, {@link #flush} or a read has raised it.
 *
 * <p>Threads that add to one stream at the same moment do so one after the other, so that each
 * knows the position of its own operation, and so that all entries of an operation are on the same
 * side of a sync.
 */
public final class ComputeStream extends Lane implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger("dev.rialto.runtime");

  /** More waiting operations than these make the next caller wait. */
  private static final long MOST_WAITING = 1 << 19;

  /** The owner of a stream. */
  enum Owner {
    /** The one who opened it. */
    CALLER,
    /** A thread that uses it by default. */
    THREAD,
    /** Another owner, who opened the timeline. */
    STRANGER
  }

  private final ComputeDevice device;
  private final String name;
  private final Owner owner;
  private final StreamWatch watch;

  /**
   * The purpose of entries that no operation of the runtime added; null if they are not to be told.
   */
  private final @Nullable Operation purpose;

  private volatile boolean closed;

  /** A position that the stream is known to have reached. */
  private volatile long passed;

  ComputeStream(ComputeDevice device, Timeline timeline, Owner owner) {
    this(device, timeline, owner, null);
  }

  ComputeStream(ComputeDevice device, Timeline timeline, Owner owner, @Nullable Operation purpose) {
    super(timeline);
    this.device = device;
    this.name = timeline.name();
    this.owner = owner;
    this.purpose = purpose;
    this.watch = new StreamWatch(device, this);
    timeline.observe(watch);
  }

  /** Adds something to a stream that the device gave. */
  @FunctionalInterface
  interface Adding {
    void to(Stream labelled);
  }

  /** Returns the name in messages and traces. */
  public String name() {
    return name;
  }

  @Nullable Operation purpose() {
    return purpose;
  }

  /** Returns the device whose operations these are. */
  public ComputeDevice device() {
    return device;
  }

  /**
   * Returns this stream.
   *
   * @throws IllegalStateException if it or its device is closed
   */
  ComputeStream requireOpen() {
    device.requireOpen();
    if (closed) {
      throw new IllegalStateException(name + " is closed; open another stream");
    }
    return this;
  }

  // --- Adding -----------------------------------------------------------------------------------

  /** Adds an operation after everything that it depends on; returns the position after it. */
  long submit(Operation operation, Footprint footprint, Adding adding) {
    tell(operation);
    return submit(timeline().labelled(new Task(operation, footprint)), footprint, adding);
  }

  /** Logs an operation that is added, to {@code dev.rialto.runtime}. */
  void tell(Operation operation) {
    if (LOGGER.isLoggable(System.Logger.Level.TRACE)) {
      LOGGER.log(System.Logger.Level.TRACE, device.name() + ": " + operation);
    }
  }

  /** Logs a copy that the caller does itself. */
  void tell(String name, long bytes) {
    if (LOGGER.isLoggable(System.Logger.Level.TRACE)) {
      tell(Operation.at(Operation.Kind.TRANSFER, name, bytes));
    }
  }

  long submit(Stream labelled, Footprint footprint, Adding adding) {
    while (true) {
      device.exclusive().pass(this);
      awaitRoom();
      footprint.claim();
      claim();
      try {
        ComputeStream _ = requireOpen();
        if (!device.exclusive().isStill(this)) {
          return add(labelled, footprint, adding);
        }
      } finally {
        unclaim();
        footprint.unclaim();
      }
    }
  }

  private long add(Stream labelled, Footprint footprint, Adding adding) {
    footprint.require(this);
    // Asked after it is known what is waited for: a write that failed meanwhile is seen here.
    Throwable failure = footprint.failure();
    if (failure == null) {
      adding.to(labelled);
    } else {
      labelled.run(() -> rethrow(failure));
    }
    long position = timeline().position();
    footprint.record(this, position);
    return position;
  }

  /** Waits while too much waits already, so that no thread has to while the stream is claimed. */
  private void awaitRoom() {
    long room = timeline().position() - MOST_WAITING;
    if (room > passed) {
      timeline().awaitReached(room);
      // The position of the stream changes with each operation, so it is asked for once in a while.
      long ahead = room + MOST_WAITING / 2;
      passed = timeline().isReached(ahead) ? ahead : room;
    }
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void rethrow(Throwable e) throws E {
    throw (E) e;
  }

  @Override
  protected void after(Lane before, long position) {
    if (before instanceof ComputeStream other && other.device == device) {
      super.after(before, position);
      return;
    }
    // Devices of different backends know nothing of one another's streams, so the host waits.
    timeline()
        .run(
            () -> {
              before.timeline().awaitReached(position);
              Throwable failure = before.timeline().failureAt(position);
              if (failure != null) {
                throw new IllegalStateException("what is copied was never written", failure);
              }
            });
  }

  // --- Waiting ----------------------------------------------------------------------------------

  /** Returns whether everything added so far has ended. */
  public boolean isIdle() {
    return timeline().isIdle();
  }

  /** Returns whether something failed that was not raised yet. */
  boolean hasFailed() {
    return watch.hasFailed();
  }

  /**
   * Waits for everything added so far.
   *
   * @throws DeviceException if an operation failed and this was not raised yet; names the operation
   *     and the line that asked for it. Also if the thread is interrupted while it waits, which it
   *     is still afterwards; the operations go on
   */
  public void sync() {
    long position = end();
    try {
      while (!timeline().awaitReached(position, Long.MAX_VALUE)) {
        Thread.onSpinWait();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    raise(position);
  }

  /**
   * Waits as {@link #sync()} does, but not longer than {@code most}.
   *
   * @throws TimeoutException if something is still pending then; it names the operation, which goes
   *     on
   */
  public void sync(Duration most) {
    long position = end();
    try {
      if (!timeline().awaitReached(position, nanos(most))) {
        throw new TimeoutException(
            pending() + " has not ended after " + most.toMillis() + " ms",
            name,
            "wait longer, or find out what it waits for; it goes on",
            null);
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    raise(position);
  }

  private static long nanos(Duration most) {
    if (most.isNegative()) {
      throw new IllegalArgumentException("a time-out of " + most + "; give zero or more");
    }
    try {
      return most.toNanos();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }

  private DeviceException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new DeviceException(
        "the thread was interrupted while it waited for " + pending(),
        name,
        "the operations go on; sync again to wait for them",
        e);
  }

  private String pending() {
    return timeline().pending() instanceof Task task ? task.operation().toString() : "an operation";
  }

  /** Returns the point after everything added so far, never within an operation. */
  private long end() {
    claim();
    try {
      return timeline().position();
    } finally {
      unclaim();
    }
  }

  private void raise(long position) {
    boolean failed = watch.takeFailed();
    try {
      timeline().raise(position);
    } catch (DeviceException e) {
      throw explain(e);
    }
    if (failed) {
      // The failure comes after the position.
      watch.giveFailed();
    }
  }

  /**
   * Raises a failure that has happened already, without waiting for anything else. Operations need
   * no flushing: each starts by itself.
   *
   * @throws DeviceException as {@link #sync}
   */
  public void flush() {
    if (watch.hasFailed()) {
      finish();
    }
  }

  /** Waits for everything, whatever interrupts come, and raises what failed. */
  void finish() {
    long position = end();
    timeline().awaitReached(position);
    raise(position);
  }

  private DeviceException explain(DeviceException raised) {
    Throwable cause = raised.getCause();
    FailureLog.Entry origin = cause == null ? null : device.failures().find(cause);
    if (origin == null) {
      return raised;
    }
    return failure(origin, cause);
  }

  /** Describes what an operation threw. */
  DeviceException failure(FailureLog.Entry origin, @Nullable Throwable cause) {
    String on = origin.stream().equals(name) ? "" : " on " + origin.stream();
    return new DeviceException(
        origin.operation() + on + " failed: " + cause,
        name,
        "operations that depend on it, and those after it on its stream, were skipped",
        cause);
  }

  /** Waits for everything added so far and ends the stream. One that was wrapped is not closed. */
  @Override
  public void close() {
    if (owner == Owner.THREAD) {
      throw new IllegalStateException(
          name + " is the stream of a thread; close only streams that you opened");
    }
    claim();
    boolean first = !closed;
    closed = true;
    unclaim();
    if (!first) {
      return;
    }
    try {
      finish();
    } finally {
      device.forget(this);
      terminate();
    }
  }

  /** Ends a stream that is the device's; one that was wrapped is its opener's. */
  void terminate() {
    if (owner != Owner.STRANGER) {
      timeline().close();
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
