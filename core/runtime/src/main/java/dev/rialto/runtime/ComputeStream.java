package dev.rialto.runtime;

import dev.rialto.runtime.memory.Lane;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Timeline;
import org.jspecify.annotations.Nullable;

/**
 * A queue of operations of one device, which run in order; owned by whoever opened it.
 *
 * <p>Thread-safe. An operation starts as soon as what it depends on has ended: there is nothing to
 * flush. If one fails, those after it are skipped, and those on other streams that use what it
 * should have written fail too, until {@link #sync}, {@link #flush} or a read has raised it.
 */
public final class ComputeStream extends Lane implements AutoCloseable {
  private final ComputeDevice device;
  private final String name;
  private final boolean owned;
  private final StreamWatch watch;

  ComputeStream(ComputeDevice device, Timeline timeline, boolean owned) {
    super(timeline);
    this.device = device;
    this.name = timeline.name();
    this.owned = owned;
    this.watch = new StreamWatch(device, name);
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

  /** Returns the device whose operations these are. */
  public ComputeDevice device() {
    return device;
  }

  /** Adds an operation after everything that it depends on. */
  void submit(Operation operation, Footprint footprint, Adding adding) {
    submit(timeline().labelled(operation), footprint, adding);
  }

  void submit(Stream labelled, Footprint footprint, Adding adding) {
    device.exclusive().pass(this);
    footprint.claim();
    try {
      footprint.require(this);
      adding.to(labelled);
      footprint.record(this, timeline().position());
    } finally {
      footprint.unclaim();
    }
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

  /** Returns whether everything added so far has ended. */
  public boolean isIdle() {
    return timeline().isIdle();
  }

  /**
   * Waits for everything added so far.
   *
   * @throws DeviceException if an operation failed and nobody has been told; names the operation
   *     and the line that asked for it
   */
  public void sync() {
    try {
      timeline().await();
    } catch (DeviceException e) {
      throw explain(e);
    }
  }

  /**
   * Raises a failure that has happened already, without waiting for anything else. Operations need
   * no flushing: each starts by itself.
   *
   * @throws DeviceException as {@link #sync}
   */
  public void flush() {
    if (watch.takeFailed()) {
      sync();
    }
  }

  private DeviceException explain(DeviceException raised) {
    watch.takeFailed();
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

  /** Waits as {@link #sync} does and ends the stream. One that was wrapped is not closed. */
  @Override
  public void close() {
    if (owned && device.isDefault(this)) {
      throw new IllegalStateException(
          name + " is the device's own stream; close only streams that you opened");
    }
    try {
      sync();
    } finally {
      device.forget(this);
      end();
    }
  }

  /** Ends a stream that is the device's; one that was wrapped is somebody else's. */
  void end() {
    if (owned) {
      timeline().close();
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
