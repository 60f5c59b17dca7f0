package dev.rialto.runtime;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets one stream of a device work while all others are still.
 *
 * <p>Whoever adds an operation looks at one field; during a section, threads outside it wait here.
 * The section begins when all streams have ended what they had. An operation that passed that field
 * just before it was set may still run: keeping it back could keep back what the section itself
 * waits for.
 */
final class ExclusiveSection {
  /** Who is inside, and the stream that works. */
  private record Holder(Thread thread, ComputeStream stream) {}

  private final ComputeDevice device;
  private volatile @Nullable Holder holder;

  ExclusiveSection(ComputeDevice device) {
    this.device = device;
  }

  /** Waits until an operation may be added to a stream. */
  void pass(ComputeStream stream) {
    Holder inside = holder;
    if (inside == null || inside.stream() == stream) {
      return;
    }
    if (inside.thread().equals(Thread.currentThread())) {
      throw new IllegalStateException(
          "an exclusive section adds to "
              + stream
              + ", which is to be still; use the stream of its scope");
    }
    awaitEnd();
  }

  /** Returns whether the caller is inside a section, where only its own stream works. */
  boolean isInside() {
    Holder inside = holder;
    return inside != null && inside.thread().equals(Thread.currentThread());
  }

  private synchronized void awaitEnd() {
    boolean interrupted = false;
    while (holder != null) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  <T> T run(Function<ComputeStream, T> body) {
    Holder outer = holder;
    if (outer != null && outer.thread().equals(Thread.currentThread())) {
      return body.apply(outer.stream());
    }
    try (ComputeStream own = device.openStream(0)) {
      enter(new Holder(Thread.currentThread(), own));
      try {
        for (ComputeStream stream : device.streams()) {
          stream.timeline().awaitReached(stream.timeline().position());
        }
        T result = body.apply(own);
        own.sync();
        return result;
      } finally {
        leave();
      }
    }
  }

  private synchronized void enter(Holder next) {
    awaitEnd();
    holder = next;
  }

  private synchronized void leave() {
    holder = null;
    notifyAll();
  }
}
