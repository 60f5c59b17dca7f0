package dev.rialto.runtime;

import dev.rialto.spi.World.RankScope;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An operation whose parts its owner adds: host code, copies, or launches of code that is bound to
 * its {@link #stream}. It comes after what used its buffers before, on any stream, and is named in
 * failures, profiles and traces. Made once and run as often as wanted.
 *
 * <p>Thread-safe. The buffers stay the caller's, and may be of another device whose memory this one
 * can use; a run after one of them was closed throws.
 */
public final class Work {
  private final ComputeStream on;
  private final Operation operation;
  private final Footprint footprint;
  private final Map<Buffer, Access> uses;
  private final Stream stream;
  private final AtomicLong last = new AtomicLong();

  Work(ComputeStream on, String name, Map<Buffer, Access> uses) {
    this.on = on;
    this.uses = Map.copyOf(uses);
    this.operation =
        new Operation(Operation.Kind.LAUNCH, name, 0, Optional.empty(), RankScope.current());
    List<Footprint.Use> all = new ArrayList<>();
    uses.forEach((buffer, access) -> all.add(new Footprint.Use(buffer, access)));
    this.footprint = new Footprint(all);
    this.stream = on.timeline().labelled(new Task(operation, footprint));
  }

  /** Returns the name in messages and traces. */
  public String name() {
    return operation.name();
  }

  /** Returns the stream that parts are added to. */
  public Stream stream() {
    return stream;
  }

  /**
   * Returns the memory of one of its buffers, for the parts and for nothing else. Memory that the
   * host cannot access has an address only.
   */
  public MemorySegment memory(Buffer buffer) {
    if (!uses.containsKey(buffer)) {
      throw new IllegalArgumentException(this + " does not use " + buffer);
    }
    return buffer.segment();
  }

  /**
   * Adds the operation.
   *
   * @param parts adds each part to {@link #stream}, without waiting; called at once
   * @throws IllegalStateException if a buffer is closed
   */
  public void add(Runnable parts) {
    long position = on.submit(stream, footprint, _ -> parts.run());
    last.accumulateAndGet(position, Math::max);
  }

  /**
   * Does the operation in the caller, as soon as no stream uses its buffers; who wants to use them
   * meanwhile waits.
   *
   * @throws IllegalStateException if a buffer is closed
   * @throws dev.rialto.spi.error.DeviceException if what should have written a buffer that it reads
   *     failed
   */
  public void run(Runnable code) {
    while (!ranWhenIdle(code)) {
      footprint.awaitIdle();
    }
  }

  private boolean ranWhenIdle(Runnable code) {
    ComputeStream _ = on.requireOpen();
    footprint.claim();
    try {
      if (!footprint.isIdle()) {
        return false;
      }
      footprint.requireWritten(on);
      timed(code);
      footprint.initialize();
      return true;
    } finally {
      footprint.unclaim();
    }
  }

  private void timed(Runnable code) {
    ComputeDevice device = on.device();
    long began = StreamWatch.isTiming(device) ? System.nanoTime() : 0;
    code.run();
    if (began != 0) {
      device.profiledFromHost(
          new Profile.Entry(
              device.name() + "/host",
              operation,
              began,
              began,
              System.nanoTime(),
              Optional.empty()));
    }
  }

  /** Returns whether a run that was added has not ended. */
  public boolean isPending() {
    return !on.timeline().isReached(last.get());
  }

  @Override
  public String toString() {
    return operation.toString();
  }
}
