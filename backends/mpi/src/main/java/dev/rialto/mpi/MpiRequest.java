package dev.rialto.mpi;

import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.error.TimeoutException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An operation that the library carries out, once or, if persistent, at each start.
 *
 * <p>The handle is kept here and lent to the library's memory for the duration of a call. What the
 * library reads or writes meanwhile is kept reachable.
 */
final class MpiRequest implements PersistentRequest {
  /** What the request is of; only receives have a status and can be cancelled. */
  enum Kind {
    SEND,
    RECEIVE,
    COLLECTIVE
  }

  private final MpiGroup group;
  private final Operation operation;
  private final Kind kind;
  private final boolean persistent;
  private final Supplier<@Nullable RuntimeException> atEnd;
  private final Object[] kept;

  private long handle;
  private boolean active;
  private boolean closed;
  private Status status = Status.EMPTY;
  private @Nullable RuntimeException failure;

  /**
   * Takes a handle over.
   *
   * @param atEnd is asked, when the operation is complete, for a failure that the library does not
   *     know of
   * @param kept what must stay reachable
   */
  MpiRequest(
      MpiGroup group,
      Operation operation,
      Kind kind,
      boolean persistent,
      Supplier<@Nullable RuntimeException> atEnd,
      Object... kept) {
    this.group = group;
    this.operation = operation;
    this.kind = kind;
    this.persistent = persistent;
    this.atEnd = atEnd;
    this.kept = kept;
    this.handle = Mpi.getHandle(Scratch.get().request());
    this.active = !persistent;
    group.began();
  }

  MpiRequest(MpiGroup group, Operation operation, Kind kind, boolean persistent, Object... kept) {
    this(group, operation, kind, persistent, () -> null, kept);
  }

  @Override
  public void start() {
    if (closed || active) {
      throw new IllegalStateException(
          operation + " is " + (closed ? "closed" : "active; await it before the next start"));
    }
    long request = lend();
    group.check(Native.call(Messages.START, request), operation);
    handle = Mpi.getHandle(request);
    failure = null;
    active = true;
  }

  @Override
  public boolean test() {
    if (active) {
      Scratch scratch = Scratch.get();
      long request = lend();
      Native.putInt(scratch.flag(), 0);
      int code = Native.call(Messages.TEST, request, scratch.flag(), scratch.status());
      if (code != 0 || Native.getInt(scratch.flag()) != 0) {
        end(code, scratch);
      }
    }
    return !active;
  }

  @Override
  public Status await() {
    if (active) {
      if (group.crowded()) {
        Patience patience = new Patience(true);
        while (!test()) {
          patience.pause();
        }
      } else {
        end(Native.call(Messages.WAIT, lend(), Scratch.get().status()), Scratch.get());
      }
    }
    return result();
  }

  @Override
  public Status await(Duration limit) {
    if (active && !test()) {
      long begun = System.nanoTime();
      Patience patience = new Patience(group.crowded());
      while (!test()) {
        if (System.nanoTime() - begun > limit.toNanos()) {
          throw new TimeoutException(
              operation + " is not complete after " + limit,
              group.where(),
              "await it again, or close it",
              null);
        }
        patience.pause();
      }
    }
    return result();
  }

  @Override
  public boolean cancel() {
    if (kind != Kind.RECEIVE || !active) {
      return false;
    }
    group.check(Native.call(Messages.CANCEL, lend()), operation);
    return test() && status.cancelled();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (active && !cancel()) {
        await();
      }
    } finally {
      if (persistent) {
        group.check(Native.call(Messages.REQUEST_FREE, lend()), operation);
        group.ended();
      }
    }
  }

  private long lend() {
    long request = Scratch.get().request();
    Mpi.putHandle(request, handle);
    return request;
  }

  private Status result() {
    RuntimeException failed = failure;
    if (failed != null) {
      throw failed;
    }
    return status;
  }

  private void end(int code, Scratch scratch) {
    active = false;
    failure = code == 0 ? null : group.failure(code, operation);
    if (code == 0 && kind == Kind.RECEIVE) {
      status = Mpi.LIBRARY.cancelled(scratch.status()) ? Status.CANCELLED : scratch.decoded();
    }
    if (!persistent) {
      group.ended();
    }
    RuntimeException later = atEnd.get();
    if (failure == null) {
      failure = later;
    }
    Buffers.used(kept);
  }
}
