package dev.rialto.mpi.message;

import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.watch.Patience;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.TimeoutException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An operation that the library carries out, once or, if persistent, at each start.
 *
 * <p>The handle is kept here and lent to the library's memory for the duration of a call, to one
 * thread at a time: the library frees what has ended. What it reads or writes meanwhile is kept
 * reachable.
 */
public final class MpiRequest implements PersistentRequest {
  /** The kinds of requests; only receives have a status and can be cancelled. */
  enum Kind {
    SEND,
    RECEIVE,
    COLLECTIVE
  }

  private static final int LOOKS_PER_SEARCH = 1 << 8;

  private final MpiGroup group;
  private final MpiCall operation;
  private final Kind kind;
  private final boolean persistent;
  private final Supplier<@Nullable RuntimeException> atEnd;
  private final @Nullable Payload payload;
  private final @Nullable StagedMessage staging;

  /** The probes that may find the message of a receive; null for all else. */
  private final @Nullable MpiProbes probes;

  private final Object[] kept;

  private long handle;

  /** Starts a persistent operation; meanwhile the handle may be that of an early message. */
  private long description;

  private boolean active;
  private boolean closed;
  private Status status = Status.EMPTY;

  /** The index of this among the pending requests, for their use. */
  int place;

  /** The number of looks in vain. */
  private int looks;

  /** Whether this receives an early message, so that no other can be meant. */
  private boolean met;

  /** The library's tag of a message of another type that has come instead; -1 for none. */
  private int other = -1;

  private @Nullable RuntimeException failure;

  private MpiRequest(
      MpiGroup group,
      MpiCall operation,
      Kind kind,
      boolean persistent,
      Supplier<@Nullable RuntimeException> atEnd,
      @Nullable Payload payload,
      @Nullable MpiProbes probes,
      Object... kept) {
    this.group = group;
    this.operation = operation;
    this.kind = kind;
    this.persistent = persistent;
    this.atEnd = atEnd;
    this.payload = payload;
    this.staging = payload == null ? null : payload.staging();
    this.probes = probes;
    this.kept = kept;
    this.handle = Mpi.getHandle(Scratch.get().request());
    this.description = handle;
    group.began();
    if (!persistent) {
      begin();
    }
  }

  private void begin() {
    active = true;
    group.job().underWay().add(this);
  }

  private void leave() {
    active = false;
    group.job().underWay().remove(this);
  }

  /**
   * Takes the handle of a collective over.
   *
   * @param atEnd is asked, when the operation is complete, for a failure that the library does not
   *     know of
   * @param kept what must stay reachable
   */
  public MpiRequest(
      MpiGroup group,
      MpiCall operation,
      Supplier<@Nullable RuntimeException> atEnd,
      Object... kept) {
    this(group, operation, Kind.COLLECTIVE, false, atEnd, null, null, kept);
  }

  /** Takes the handle of a collective over. */
  public MpiRequest(MpiGroup group, MpiCall operation, boolean persistent, Object... kept) {
    this(group, operation, Kind.COLLECTIVE, persistent, () -> null, null, null, kept);
  }

  /** Takes the handle of a message over, whose buffer is staged or used as it is. */
  MpiRequest(
      MpiGroup group,
      MpiCall operation,
      Kind kind,
      boolean persistent,
      Payload payload,
      MpiProbes probes,
      boolean met) {
    this(
        group,
        operation,
        kind,
        persistent,
        () -> null,
        payload,
        kind == Kind.RECEIVE ? probes : null,
        payload.memory());
    this.met = met;
  }

  @Override
  public synchronized void start() {
    if (closed || active) {
      throw new IllegalStateException(
          operation + " is " + (closed ? "closed" : "active; await it before the next start"));
    }
    group.handle();
    if (freed()) {
      throw freedBuffer();
    }
    if (staging != null) {
      staging.load();
    }
    if (probes != null && payload != null) {
      met = probes.receive(operation, payload, this::startInLibrary);
    } else {
      group.check(startInLibrary(), operation);
    }
    handle = Mpi.getHandle(Scratch.get().request());
    failure = null;
    other = -1;
    begin();
  }

  /** Starts the operation in the library; leaves its handle in the thread's scratch memory. */
  private int startInLibrary() {
    long request = Scratch.get().request();
    Mpi.putHandle(request, description);
    int code = Native.call(Messages.START, request);
    description = Mpi.getHandle(request);
    return code;
  }

  @Override
  public synchronized boolean test() {
    if (active) {
      if (freed()) {
        abandon(freedBuffer());
        return true;
      }
      Scratch scratch = Scratch.get();
      long request = lend();
      Native.putInt(scratch.flag(), 0);
      int code = Native.call(Messages.TEST, request, scratch.flag(), scratch.status());
      if (code != 0 || Native.getInt(scratch.flag()) != 0) {
        end(code, scratch);
      } else {
        RuntimeException ended = group.ended(closed);
        if (ended != null) {
          abandon(ended);
        } else if (kind == Kind.RECEIVE && ++looks % LOOKS_PER_SEARCH == 0) {
          searchOtherTypes();
        }
      }
    }
    return !active;
  }

  @Override
  public Status await() {
    return await(false, true);
  }

  /**
   * Waits for completion.
   *
   * @param closing whether something is closed by the operation
   * @param interruptible whether an interrupt of the thread ends the wait
   */
  public Status await(boolean closing, boolean interruptible) {
    if (group.polls() || freed()) {
      poll(closing, interruptible, Long.MAX_VALUE);
    } else {
      awaitInLibrary();
    }
    return result();
  }

  /** Waits for completion of a call that blocks, which an interrupt of the thread ends. */
  Status complete() {
    try {
      return await();
    } catch (CommunicationException e) {
      if (!(e.getCause() instanceof InterruptedException)) {
        throw e;
      }
      if (kind == Kind.RECEIVE) {
        boolean _ = cancel();
        Status end = await(false, false);
        if (!end.cancelled()) {
          return end; // Its message had come.
        }
      } else {
        giveUp(e);
        group.interrupt(e);
      }
      throw e;
    }
  }

  private synchronized void awaitInLibrary() {
    if (active) {
      end(Native.call(Messages.WAIT, lend(), Scratch.get().status()), Scratch.get());
    }
  }

  @Override
  public Status await(Duration limit) {
    if (!poll(false, true, limit.toNanos())) {
      throw new TimeoutException(
          operation + " is not complete after " + limit,
          group.where(),
          "await it again, or close it",
          null);
    }
    return result();
  }

  /** Looks again and again; returns whether the operation is complete, which it may not be. */
  private boolean poll(boolean closing, boolean interruptible, long nanos) {
    if (test()) {
      return true;
    }
    long begun = System.nanoTime();
    boolean limited = nanos < Long.MAX_VALUE;
    Patience patience = group.patience(operation, closing);
    boolean wasClosed = closed;
    closed |= closing;
    try {
      while (!test()) {
        if (limited && System.nanoTime() - begun > nanos) {
          return false;
        }
        if (interruptible && Thread.currentThread().isInterrupted()) {
          throw group.interrupted(operation);
        }
        patience.pause();
      }
      return true;
    } finally {
      closed = wasClosed;
      patience.end();
    }
  }

  @Override
  public synchronized boolean cancel() {
    if (kind != Kind.RECEIVE || !active || met) {
      return false;
    }
    other = -1;
    group.check(Native.call(Messages.CANCEL, lend()), operation);
    return test() && status.cancelled();
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    try {
      if (active && !cancel()) {
        await(true, false);
      }
    } finally {
      if (persistent) {
        // A rank that has failed leaves what is under way to the end of the process.
        if (!group.job().watch().failed()) {
          group.check(Native.call(Messages.REQUEST_FREE, lend()), operation);
        }
        group.ended();
      }
    }
  }

  /**
   * Looks whether the message has come as another type. The library lets a message and a receive
   * meet as soon as both are there, so a receive that can be cancelled now is one that this message
   * was for; one that has met its own is only not complete.
   */
  private void searchOtherTypes() {
    if (TypedTags.ON && probes != null && !met && operation.tag() >= 0 && other < 0) {
      other = probes.findOtherThan(type(), operation.peer(), operation.tag());
      if (other >= 0) {
        group.check(Native.call(Messages.CANCEL, lend()), operation);
      }
    }
  }

  private RuntimeException refuseOther(MpiProbes probes) {
    Status found = new Status(operation.peer(), operation.tag(), 0, false);
    Optional<MpiMessage> taken = probes.take(operation.peer(), operation.tag(), other);
    if (taken.isPresent()) {
      found = taken.get().status();
      taken.get().drop();
    }
    return MpiMessage.mismatch(group, other, found, type());
  }

  private DType type() {
    return payload == null ? DType.I8 : payload.type();
  }

  private boolean freed() {
    if (staging != null && !staging.lives()) {
      return true;
    }
    for (Object each : kept) {
      if (each instanceof MemorySegment segment && !segment.scope().isAlive()) {
        return true;
      }
    }
    return false;
  }

  private IllegalStateException freedBuffer() {
    return new IllegalStateException(
        ("%s uses memory whose arena was closed before it was complete, on %s; close the "
                + "arena after await, or run with -Drialto.checks=true to be safe from this")
            .formatted(operation, group.where()));
  }

  /** Gives the operation up, because other ranks have begun another. */
  public synchronized void giveUp(RuntimeException why) {
    if (active) {
      abandon(why);
    }
  }

  /** Gives the operation up, with a failure; the library may go on with it. */
  private void abandon(RuntimeException why) {
    leave();
    failure = why;
    group.job().abandon(kept);
    if (!persistent) {
      group.ended();
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
    leave();
    handle = description;
    failure = code == 0 ? null : group.failure(code, operation);
    if (code == 0 && kind == Kind.RECEIVE) {
      boolean cancelled = Mpi.LIBRARY.cancelled(scratch.status());
      int tag = scratch.tag();
      status = cancelled ? Status.CANCELLED : scratch.decoded(TypedTags.MASK);
      if (cancelled && other >= 0 && probes != null) {
        failure = refuseOther(probes);
      } else if (!cancelled && TypedTags.type(tag, type()) != type()) {
        failure = MpiMessage.mismatch(group, tag, status, type()); // It was met by ANY_TAG.
      }
    }
    if (!persistent) {
      group.ended();
    }
    if (code == 0 && kind == Kind.RECEIVE && staging != null && !status.cancelled()) {
      staging.deliver();
    }
    RuntimeException later = atEnd.get();
    if (failure == null) {
      failure = later;
    }
    BufferChecks.used(kept);
  }
}
