package dev.rialto.local.message;

import dev.rialto.local.memory.ConfinedCopy;
import dev.rialto.local.memory.Memory;
import dev.rialto.local.memory.Runs;
import dev.rialto.local.rank.Rank;
import dev.rialto.local.rank.Wait;
import dev.rialto.local.world.Member;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.DeadlockException;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.error.TimeoutException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A send or receive under way, also one that blocks its caller; non-blocking ones are started once,
 * persistent ones many times.
 */
abstract class LocalRequest extends Transfer implements PersistentRequest, Pending, Wait {
  final LocalMessages messages;
  final Member member;

  /** The rank whose side this is: its peer wakes it without looking at what it writes. */
  final Rank self;

  private final boolean persistent;
  private @Nullable RuntimeException failure;
  private @Nullable ConfinedCopy staging;
  private boolean active;
  private boolean closed;

  LocalRequest(LocalMessages messages, boolean persistent) {
    this.messages = messages;
    this.member = messages.member;
    this.self = member.self;
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

  /** Copies what was received to the owner's memory. */
  abstract void unstage(ConfinedCopy from);

  /** Returns the status once the state is {@link #DONE}. */
  abstract Status status();

  /** Says where the elements lie for as long as the request lasts, not only the call. */
  final void keepMemory(MemorySegment buffer, DType type, long length, @Nullable Runs layout) {
    if (Memory.confined(buffer)) {
      staging = new ConfinedCopy(buffer, length, layout);
      setMemory(staging.copy(), type, length, null);
    } else {
      setMemory(buffer, type, length, layout);
    }
  }

  /** Returns the copy that peers work on instead of confined memory; null if there is none. */
  final @Nullable ConfinedCopy staging() {
    return staging;
  }

  final void fail(RuntimeException reason) {
    failure = reason;
    setState(FAILED);
  }

  /** Returns the exception for this side, whose memory was freed while it was needed. */
  final IllegalStateException freedTooEarly(IllegalStateException cause) {
    return new IllegalStateException(
        ("%s: the memory of %s was freed before that was complete; keep its arena open until "
                + "then")
            .formatted(self, describe()),
        cause);
  }

  /** Returns the exception for this side where {@code peer}'s memory was freed. */
  final PeerFailedException peerFreed(LocalRequest peer, IllegalStateException cause) {
    return new PeerFailedException(
        describe() + " broke off: rank " + peer.member.rank() + " freed the memory of its part",
        self.toString(),
        "keep its arena open until its request is complete",
        cause);
  }

  /** Starts without looking at the rules for persistent requests. */
  final LocalRequest begin() {
    active = true;
    launch();
    if (!persistent && !isComplete()) {
      member.register(this);
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
    member.checkOpen();
    begin();
  }

  @Override
  public boolean test() {
    if (!isServed()) {
      return failsNow();
    }
    settle(true);
    return true;
  }

  /** Looks whether it is complete, and brings that about as far as this rank can. */
  final boolean isServed() {
    if (isComplete()) {
      return true;
    }
    self.progress();
    return poll();
  }

  /** A request that is only ever tested must also learn that it cannot complete any more. */
  private boolean failsNow() {
    try {
      self.failIfHopeless(this);
      return false;
    } catch (CommunicationException e) {
      giveUp(e);
      settle(true);
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
        if (!self.await(this, nanos)) {
          throw new TimeoutException(
              describe() + " is not complete after " + Duration.ofNanos(nanos),
              self.toString(),
              "it is still pending: await it again or cancel it",
              null);
        }
      } catch (PeerFailedException | DeadlockException e) {
        giveUp(e);
      }
    }
    settle(true);
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
        self.await(this);
      }
      over = true;
    } finally {
      if (!over) {
        leave();
      }
      forgetMemory();
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
              describe() + " broke off while it was copied", self.toString(), "", null);
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
    settle(false);
  }

  @Override
  public final boolean isOpen() {
    return persistent || !isComplete();
  }

  private void settle(boolean wanted) {
    if (!active) {
      return;
    }
    if (staging != null && wanted && state() == DONE) {
      try {
        unstage(staging);
      } catch (IllegalStateException e) {
        fail(freedTooEarly(e));
      }
    }
    active = false;
    if (!persistent) {
      member.deregister(this);
      forgetMemory();
    }
  }

  @Override
  public boolean cancel() {
    boolean cancelled = !isComplete() && withdraw(false);
    if (cancelled) {
      settle(false);
    }
    return cancelled;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      if (persistent) {
        member.deregister(this);
      }
      if (member.failed()) {
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
