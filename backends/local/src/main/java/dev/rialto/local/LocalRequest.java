package dev.rialto.local;

import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.DeadlockException;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.error.TimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A send or receive under way, also one that blocks its caller; non-blocking ones are started once,
 * persistent ones many times.
 */
abstract class LocalRequest extends Transfer implements PersistentRequest, Pending, Wait {
  final LocalPointToPoint comm;
  private final boolean persistent;
  private @Nullable RuntimeException failure;
  private boolean active;
  private boolean closed;

  LocalRequest(LocalPointToPoint comm, boolean persistent) {
    this.comm = comm;
    this.persistent = persistent;
  }

  /** Begins the operation: hands it to the mailbox or outlet. */
  abstract void launch();

  /**
   * Takes the operation back if no receive has got it.
   *
   * @param reserved also if a matched probe has
   */
  abstract boolean withdraw(boolean reserved);

  /** Does this side's part of a copy that is under way. */
  abstract void help();

  /** Returns the status once the state is {@link #DONE}. */
  abstract Status status();

  final void fail(RuntimeException reason) {
    failure = reason;
    setState(FAILED);
  }

  /** Starts without looking at the rules for persistent requests. */
  final LocalRequest begin() {
    active = true;
    launch();
    if (!persistent && !isComplete()) {
      comm.register(this);
    }
    return this;
  }

  @Override
  public void start() {
    if (!persistent) {
      throw new IllegalStateException("only persistent requests are started");
    }
    if (closed || active) {
      throw new IllegalStateException(
          describe() + (closed ? " is closed" : " is active; complete it before its next start"));
    }
    comm.checkOpen();
    begin();
  }

  @Override
  public boolean test() {
    if (!isServed()) {
      return failsNow();
    }
    settle();
    return true;
  }

  /** Looks whether it is complete, and brings that about as far as this rank can. */
  final boolean isServed() {
    if (isComplete()) {
      return true;
    }
    comm.self.progress();
    return poll();
  }

  /** A request that is only ever tested must also learn that it cannot complete any more. */
  private boolean failsNow() {
    try {
      comm.self.failIfHopeless(this);
      return false;
    } catch (CommunicationException e) {
      giveUp(e);
      settle();
      return true;
    }
  }

  @Override
  public Status await() {
    return await(Long.MAX_VALUE);
  }

  @Override
  public Status await(Duration limit) {
    boolean endless = limit.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0;
    return await(endless ? Long.MAX_VALUE : Math.max(limit.toNanos(), 0));
  }

  private Status await(long nanos) {
    if (!isComplete()) {
      try {
        if (!comm.self.await(this, nanos)) {
          throw new TimeoutException(
              describe() + " is not complete after " + Duration.ofNanos(nanos),
              comm.self.toString(),
              "it is still pending: await it again or cancel it",
              null);
        }
      } catch (PeerFailedException | DeadlockException e) {
        giveUp(e);
      }
    }
    settle();
    return switch (state()) {
      case CANCELLED -> Status.CANCELLED;
      case FAILED -> throw failure();
      case DONE -> status();
      default -> Status.EMPTY;
    };
  }

  /** Waits on behalf of a blocking call, after which nothing of it may be left behind. */
  final Status conclude() {
    boolean over = false;
    try {
      if (!isComplete()) {
        comm.self.await(this);
      }
      over = true;
    } finally {
      if (!over) {
        leave();
      }
    }
    if (state() == FAILED) {
      throw failure();
    }
    return status();
  }

  private RuntimeException failure() {
    if (failure == null) {
      // The copy was torn out by an error of one side, which the other learns of here.
      failure =
          new CommunicationException(
              describe() + " broke off while it was copied", comm.self.toString(), "", null);
    }
    return failure;
  }

  /** Ends the operation because of {@code reason}, unless it completes while that is tried. */
  private void giveUp(RuntimeException reason) {
    leave();
    if (state() == CANCELLED) {
      fail(reason);
    }
  }

  /**
   * Sees to it that no peer touches the buffer any more: takes the operation back or, where a copy
   * is under way, waits for its end.
   */
  final void leave() {
    while (!isComplete() && !withdraw(true)) {
      help();
      Thread.onSpinWait();
    }
  }

  @Override
  public final void abandon() {
    leave();
    settle();
  }

  @Override
  public final boolean isOpen() {
    return persistent || !isComplete();
  }

  private void settle() {
    if (active) {
      active = false;
      if (!persistent) {
        comm.deregister(this);
      }
    }
  }

  @Override
  public boolean cancel() {
    boolean cancelled = !isComplete() && withdraw(false);
    if (cancelled) {
      settle();
    }
    return cancelled;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      if (persistent) {
        comm.deregister(this);
      }
      if (comm.failed()) {
        abandon();
      } else {
        end();
      }
    }
  }

  @Override
  public String toString() {
    return describe();
  }

  /** Brings a pending operation to an end on closing. */
  abstract void end();
}
