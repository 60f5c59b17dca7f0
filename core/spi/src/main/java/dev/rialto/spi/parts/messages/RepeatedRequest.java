package dev.rialto.spi.parts.messages;

import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A persistent request of an operation that can only be begun: each start begins it anew. A backend
 * that can keep something from one start to the next, such as matched peers or registered memory,
 * has a faster one of its own.
 */
public final class RepeatedRequest implements PersistentRequest {
  private final String what;
  private final Supplier<Request> begin;
  private final Runnable closing;
  private @Nullable Request last;

  /** Whether the end of the last start has not been seen: only then may there be no other. */
  private boolean active;

  private boolean closed;

  /**
   * Makes one.
   *
   * @param what the operation's name for messages, such as {@code a send to rank 1}
   * @param begin begins the operation
   */
  public RepeatedRequest(String what, Supplier<Request> begin) {
    this(what, begin, () -> {});
  }

  /**
   * Makes one that says when it is closed.
   *
   * @param what the operation's name for messages, such as {@code a send to rank 1}
   * @param begin begins the operation
   * @param closing runs once, after the request was closed
   */
  public RepeatedRequest(String what, Supplier<Request> begin, Runnable closing) {
    this.what = what;
    this.begin = begin;
    this.closing = closing;
  }

  @Override
  public void start() {
    if (closed || active) {
      throw new IllegalStateException(
          what + " cannot be started: it is " + (closed ? "closed" : "active; await it first"));
    }
    last = begin.get();
    active = true;
  }

  @Override
  public boolean test() {
    if (active && last != null) {
      active = !last.test();
    }
    return !active;
  }

  @Override
  public Status await() {
    if (last == null) {
      return Status.EMPTY;
    }
    try {
      return last.await();
    } finally {
      var _ = test();
    }
  }

  @Override
  public Status await(Duration limit) {
    if (last == null) {
      return Status.EMPTY;
    }
    try {
      return last.await(limit);
    } finally {
      var _ = test();
    }
  }

  @Override
  public boolean cancel() {
    boolean cancelled = active && last != null && last.cancel();
    active &= !cancelled;
    return cancelled;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (last != null) {
        last.close();
      }
    } finally {
      active = false;
      closing.run();
    }
  }
}
