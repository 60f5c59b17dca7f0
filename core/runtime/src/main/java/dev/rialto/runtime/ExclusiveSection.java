package dev.rialto.runtime;

import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets one stream of a device work while all others are still.
 *
 * <p>A thread that adds an operation looks at one field; during a section, threads outside it wait
 * here. The section begins when all streams have ended what they had. What they had may itself need
 * something to be added: kernels may add at once, and others after some milliseconds, longer the
 * longer the section waits already, so that it begins at last: at a moment when all streams are
 * claimed, so that nothing is being added, and all are idle.
 */
final class ExclusiveSection {
  private static final long PATIENCE_NANOS = 10_000_000;

  /**
   * The thread that asked for a section, the stream that works in it, and whether all others are
   * still.
   */
  private static final class Holder {
    final Thread thread = Thread.currentThread();
    final ComputeStream stream;
    final long since = System.nanoTime();
    volatile boolean still;

    Holder(ComputeStream stream) {
      this.stream = stream;
    }

    boolean isCaller() {
      return thread.equals(Thread.currentThread());
    }
  }

  private final ComputeDevice device;
  private volatile @Nullable Holder holder;

  ExclusiveSection(ComputeDevice device) {
    this.device = device;
  }

  /** Waits until an operation may be added to a stream. */
  void pass(ComputeStream stream) {
    Holder now = holder;
    if (now != null && now.stream != stream) {
      admit(now, stream);
    }
  }

  private void admit(Holder now, ComputeStream stream) {
    boolean kernel = DeviceBody.isRunningOn(device);
    if (now.isCaller() || (kernel && now.still)) {
      throw new IllegalStateException(
          "an exclusive section adds to "
              + stream
              + ", which is to be still; use the stream of its scope");
    }
    if (!kernel) {
      awaitEnd(true);
    }
  }

  /** Returns whether a stream has to be still because a section has begun; asked with its claim. */
  boolean isStill(ComputeStream stream) {
    Holder now = holder;
    return now != null && now.still && now.stream != stream;
  }

  /** Returns whether a section is running or about to begin. */
  boolean isTaken() {
    return holder != null;
  }

  /** Returns whether the caller is inside a section, where only its own stream works. */
  boolean isInside() {
    Holder now = holder;
    return now != null && now.isCaller();
  }

  /** Waits until there is no section, or on request until one takes long to begin. */
  private synchronized void awaitEnd(boolean orLate) {
    boolean interrupted = false;
    long start = System.nanoTime();
    for (Holder now = holder; now != null; now = holder) {
      long left = Long.MAX_VALUE;
      if (orLate && !now.still) {
        left = patience(start - now.since) - (System.nanoTime() - start);
        if (left <= 0) {
          break;
        }
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static long patience(long waitedBefore) {
    return PATIENCE_NANOS + Math.max(0, waitedBefore) / 4;
  }

  <T> T run(Function<ComputeStream, T> body) {
    Holder outer = holder;
    if (outer != null && outer.isCaller()) {
      return body.apply(outer.stream);
    }
    if (DeviceBody.isRunningOn(device)) {
      throw new IllegalStateException(
          "a kernel of "
              + device.name()
              + " begins an exclusive section, which would wait for that kernel to end");
    }
    try (ComputeStream own = device.openStream(0)) {
      Holder mine = enter(own);
      try {
        awaitStill(mine);
        T result = body.apply(own);
        own.finish();
        return result;
      } finally {
        leave();
      }
    }
  }

  private void awaitStill(Holder mine) {
    do {
      for (ComputeStream stream : device.streams()) {
        stream.timeline().awaitReached(stream.timeline().position());
      }
    } while (!device.ifIdle(() -> mine.still = true));
  }

  private synchronized Holder enter(ComputeStream own) {
    awaitEnd(false);
    Holder mine = new Holder(own);
    holder = mine;
    return mine;
  }

  private synchronized void leave() {
    holder = null;
    notifyAll();
  }
}
