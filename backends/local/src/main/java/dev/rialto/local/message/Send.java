package dev.rialto.local.message;

import static java.util.Objects.requireNonNull;

import dev.rialto.local.memory.ConfinedCopy;
import dev.rialto.local.memory.Memory;
import dev.rialto.local.memory.Runs;
import dev.rialto.local.rank.Rank;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A send under way: what is to be sent, and the copy to its receive.
 *
 * <p>A message too long for a slot is copied once, from the sender's memory to the receiver's. The
 * receiver begins when it has matched the message; a long copy is a {@link SharedCopy}.
 */
final class Send extends LocalRequest {
  private final Outlet outlet;
  private final int target;
  private int tag;
  private boolean synchronous;

  /** The copy that both sides work at, if the message is long; made for the first such one. */
  private @Nullable SharedCopy copy;

  /** The next in the outlet's queue. */
  @Nullable Send following;

  Send(LocalMessages messages, Outlet outlet, int target, boolean persistent) {
    super(messages, persistent);
    this.outlet = outlet;
    this.target = target;
  }

  /** Says how the message is sent. Mostly as the one before: then nothing is stored. */
  Send with(int withTag, SendMode mode) {
    if (tag != withTag) {
      tag = withTag;
    }
    if (synchronous != (mode == SendMode.SYNCHRONOUS)) {
      synchronous = !synchronous;
    }
    return this;
  }

  /** Says what is sent by a call that lasts until it is. */
  Send of(MemorySegment buffer, DType type, long length) {
    setMemory(buffer, type, length, null);
    return this;
  }

  /** Says what is sent later; {@code layout} is null for a buffer without gaps. */
  Send keeping(MemorySegment buffer, DType type, long length, @Nullable Runs layout) {
    keepMemory(buffer, type, length, layout);
    return this;
  }

  int tag() {
    return tag;
  }

  /** Returns whether it travels in its slot and is complete as soon as it is there. */
  boolean isShort() {
    return bytes() <= Ring.INLINE && !synchronous && !hasGaps();
  }

  @Override
  void launch() {
    ConfinedCopy staged = staging();
    if (staged != null) {
      staged.load();
    }
    arm();
    if (outlet.post(this)) {
      messages.queued();
    }
  }

  @Override
  void help() {
    // The state first: it is what tells this thread that the rest is of this message.
    if (state() == SHARED && requireNonNull(copy).isOpen()) {
      try {
        copy.copy(false);
      } catch (Throwable e) {
        breakOff(copy.receive());
        throw e;
      }
    }
  }

  @Override
  void unstage(ConfinedCopy from) {
    // What was sent is not changed.
  }

  @Override
  public boolean poll() {
    help();
    if (state() < DONE) {
      messages.progress(false);
    }
    return state() >= DONE;
  }

  /** Copies the message, which is matched, to its receive; called by a thread of the receiver. */
  void deliver(Receive to, Inlet inlet) {
    try {
      if (!to.fits(inlet, tag, type(), bytes())) {
        finish();
      } else if (bytes() >= SharedCopy.SHORTEST && !hasGaps() && !to.hasGaps()) {
        share(to);
      } else {
        copyWhole(to);
      }
    } catch (Throwable e) {
      breakOff(to);
      throw e;
    }
  }

  private void copyWhole(Receive to) {
    try {
      copyTo(to);
    } catch (IllegalStateException e) {
      Memory.brokenOff();
      failBoth(to, e);
      return;
    }
    finish();
    to.setState(DONE);
  }

  /** Ends both sides because the memory of one of them was freed. */
  private void failBoth(Receive to, IllegalStateException cause) {
    RuntimeException mine = freed() ? freedTooEarly(cause) : peerFreed(to, cause);
    RuntimeException its = to.freed() ? to.freedTooEarly(cause) : to.peerFreed(this, cause);
    Rank sender = self;
    Rank receiver = to.self;
    fail(mine);
    sender.wake();
    to.fail(its);
    receiver.wake();
  }

  /** An error that can strike anywhere ends both. */
  private void breakOff(Receive to) {
    setState(FAILED);
    to.setState(FAILED);
    self.wake();
    to.self.wake();
  }

  private void share(Receive to) {
    if (copy == null) {
      copy = new SharedCopy(this);
    }
    copy.begin(to);
    setState(SHARED);
    copy.copy(true);
  }

  /** Ends both sides of a copy, well or because the memory of one of them was freed. */
  void complete(Receive to, @Nullable IllegalStateException fault) {
    if (fault != null) {
      failBoth(to, fault);
      return;
    }
    Rank receiver = to.self;
    finish();
    to.setState(DONE);
    receiver.wake();
  }

  private void finish() {
    Rank sender = self;
    setState(DONE);
    sender.wake();
  }

  @Override
  Status status() {
    return Status.EMPTY;
  }

  @Override
  boolean withdraw(boolean reserved) {
    if (outlet.remove(this)) {
      setState(CANCELLED);
      return true;
    }
    return change(startNumber(), PENDING, CANCELLED)
        || (reserved && change(startNumber(), RESERVED, CANCELLED));
  }

  @Override
  void end() {
    if (!isComplete()) {
      var _ = await();
    }
  }

  @Override
  public int needs() {
    return outlet.target().index;
  }

  @Override
  public String describe() {
    return "send of %s bytes to rank %s, tag %s on %s"
        .formatted(bytes(), target, tag, member.name());
  }
}
