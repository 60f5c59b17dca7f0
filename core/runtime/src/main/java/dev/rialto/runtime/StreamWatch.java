package dev.rialto.runtime;

import dev.rialto.runtime.trace.OperationEvent;
import dev.rialto.spi.exec.StreamObserver;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Hears what happens on one stream and passes it on: to failures, profiles and JFR. */
final class StreamWatch implements StreamObserver {
  private final ComputeDevice device;
  private final String stream;
  private final AtomicBoolean failed = new AtomicBoolean();

  StreamWatch(ComputeDevice device, String stream) {
    this.device = device;
    this.stream = stream;
  }

  /** Returns whether something failed since this was last asked. */
  boolean takeFailed() {
    return failed.get() && failed.getAndSet(false);
  }

  @Override
  public boolean isTiming() {
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
    if (failure != null) {
      if (label instanceof Operation operation) {
        device.failures().add(failure, operation, stream);
      }
      failed.set(true);
    }
    if (ended == 0 || !(label instanceof Operation operation)) {
      return;
    }
    device.profiled(stream, operation, position, added, began, ended);
    OperationEvent.commit(
        stream,
        operation.rank().orElse(-1),
        operation.kind().name(),
        operation.name(),
        operation.site(),
        operation.bytes(),
        added,
        began,
        ended);
  }
}
