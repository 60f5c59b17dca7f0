package dev.rialto.runtime;

import dev.rialto.runtime.trace.OperationEvent;
import dev.rialto.spi.exec.Timeline.Observer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Hears what happens on one stream and passes it on: to failures, buffers, profiles and JFR. */
final class StreamWatch implements Observer {
  private final ComputeDevice device;
  private final ComputeStream stream;
  private volatile boolean failed;

  StreamWatch(ComputeDevice device, ComputeStream stream) {
    this.device = device;
    this.stream = stream;
  }

  /** Returns whether something failed that was not raised yet. */
  boolean hasFailed() {
    return failed;
  }

  /** Returns whether something failed that was not raised yet, and counts it as told. */
  boolean takeFailed() {
    boolean was = failed;
    if (was) {
      failed = false;
    }
    return was;
  }

  /** Counts what was taken as not told after all. */
  void giveFailed() {
    failed = true;
  }

  @Override
  public boolean isTiming() {
    return isTiming(device);
  }

  static boolean isTiming(ComputeDevice device) {
    return device.isProfiling() || OperationEvent.isOn();
  }

  @Override
  public void ended(
      @Nullable Object label,
      long position,
      long added,
      long began,
      long ended,
      @Nullable Throwable failure) {
    Task task = label instanceof Task known ? known : null;
    Operation operation = task == null ? stream.purpose() : task.operation();
    if (failure != null) {
      if (operation != null) {
        device.failures().add(failure, operation, stream.name());
      }
      if (task != null) {
        task.footprint().spoil(stream, position, failure);
      }
      failed = true;
    }
    if (ended != 0 && operation != null) {
      device.profiled(
          position,
          new Profile.Entry(
              stream.name(), operation, added, began, ended, Optional.ofNullable(failure)));
    }
  }

  @Override
  public void skipped(@Nullable Object label, long position, Throwable failure) {
    if (label instanceof Task task) {
      task.footprint().spoil(stream, position, failure);
    }
  }
}
