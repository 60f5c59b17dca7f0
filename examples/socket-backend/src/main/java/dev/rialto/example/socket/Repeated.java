package dev.rialto.example.socket;

import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A persistent request: an operation that is kept as code and begun anew by each start. A faster
 * backend would keep what it finds out the first time: matched peers, registered memory, a route.
 */
final class Repeated implements PersistentRequest {
  private final Supplier<Request> begin;
  private final String what;
  private @Nullable Request active;
  private Status last = Status.EMPTY;
  private boolean closed;

  Repeated(String what, Supplier<Request> begin) {
    this.what = what;
    this.begin = begin;
  }

  @Override
  public void start() {
    if (closed || active != null) {
      throw new IllegalStateException(
          what + " cannot be started: it is " + (closed ? "closed" : "active; await it first"));
    }
    active = begin.get();
  }

  @Override
  public boolean test() {
    if (active != null && active.test()) {
      finish(active);
    }
    return active == null;
  }

  @Override
  public Status await() {
    return active == null ? last : finish(active);
  }

  @Override
  public Status await(Duration limit) {
    if (active != null) {
      last = active.await(limit);
      active = null;
    }
    return last;
  }

  /** Makes this inactive, also if the operation failed. */
  private Status finish(Request request) {
    try {
      last = request.await();
    } finally {
      active = null;
    }
    return last;
  }

  @Override
  public boolean cancel() {
    boolean cancelled = active != null && active.cancel();
    if (cancelled) {
      last = Status.CANCELLED;
      active = null;
    }
    return cancelled;
  }

  @Override
  public void close() {
    closed = true;
    if (active != null) {
      active.close();
      active = null;
    }
  }
}
