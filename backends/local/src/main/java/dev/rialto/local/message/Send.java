package dev.rialto.local.message;

import static java.util.Objects.requireNonNull;

import dev.rialto.local.memory.ConfinedCopy;
import dev.rialto.local.memory.Memory;
import dev.rialto.local.memory.Runs;
import dev.rialto.local.rank.Rank;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Status;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A send under way: what is to be sent, and the copy to its receive.
 *
 * <p>A message too long for a slot is copied once, from the sender's memory to the receiver's. The
 * receiver begins when it has matched the message. A long copy is cut into chunks that both sides
 * claim, the receiver from the front and the sender, if it waits anyway, from the back: two cores
 * copy faster than one, and from one message to the next each touches the same part of the buffers.
 */
final class Send extends LocalRequest {
  /** From how many bytes the sender helps; below, telling it costs more than it saves. */
  private static final long SHARE = 32 << 10;

  private static final long SMALLEST_CHUNK = 16 << 10;
  private static final long LARGEST_CHUNK = 256 << 10;

  /** From how many bytes caches are of no use to the copy. */
  private static final long STREAMED = 6 << 20;

  /**
   * The JDK's copy goes around the caches from 2.5 MiB at a time on; measured, it halves the time.
   */
  private static final long STREAMED_CHUNK = 3 << 20;

  private static final VarHandle CLAIMED;
  private static final VarHandle COPIED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      CLAIMED = lookup.findVarHandle(Send.class, "claimed", long.class);
      COPIED = lookup.findVarHandle(Send.class, "copied", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Outlet outlet;
  private final int target;
  private int tag;
  private boolean synchronous;

  private @Nullable Receive receive;
  private long chunk;
  private long chunks;
  private volatile long claimed;

  @SuppressWarnings("UnusedVariable")
  private volatile long copied;

  /** What went wrong with a chunk. */
  private @Nullable IllegalStateException fault;

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
  Send of(MemorySegment buffer, long length) {
    setMemory(buffer, length, null);
    return this;
  }

  /** Says what is sent later; {@code layout} is null for a buffer without gaps. */
  Send keeping(MemorySegment buffer, long length, @Nullable Runs layout) {
    keepMemory(buffer, length, layout);
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
    if (state() == SHARED && claimed < chunks) {
      Receive to = requireNonNull(receive);
      try {
        copyShare(to, false);
      } catch (Throwable e) {
        breakOff(to);
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
      if (!to.fits(inlet, tag, bytes())) {
        finish();
      } else if (bytes() >= SHARE && !hasGaps() && !to.hasGaps()) {
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
    Rank sender = outlet.source();
    Rank receiver = outlet.target();
    fail(mine);
    sender.wake();
    to.fail(its);
    receiver.wake();
  }

  /** An error that can strike anywhere ends both. */
  private void breakOff(Receive to) {
    setState(FAILED);
    to.setState(FAILED);
    outlet.source().wake();
    outlet.target().wake();
  }

  private void share(Receive to) {
    if (receive != to) {
      receive = to;
    }
    chunk = chunkOf(bytes());
    chunks = (bytes() + chunk - 1) / chunk;
    COPIED.set(this, 0L);
    fault = null;
    // The receiver's first chunk is taken already, so that it always has a part in the end.
    CLAIMED.set(this, 1L);
    setState(SHARED);
    copyShare(to, true);
  }

  /** Returns the size of chunks; there is an even number of large ones, for two to share. */
  private static long chunkOf(long bytes) {
    if (bytes < STREAMED) {
      return Math.clamp(bytes / 8, SMALLEST_CHUNK, LARGEST_CHUNK);
    }
    long pairs = bytes / (2 * STREAMED_CHUNK);
    return Math.ceilDiv(bytes, 2 * pairs);
  }

  /**
   * Copies chunks until none is left; whoever ends the last one completes both requests. After a
   * fault chunks are only counted, so that nobody is at work any more when the requests end.
   */
  private void copyShare(Receive to, boolean receiving) {
    long mine = 0;
    if (receiving) {
      copyChunk(to, 0);
      mine = 1;
    }
    while ((long) CLAIMED.getAndAdd(this, 1L) < chunks) {
      copyChunk(to, receiving ? mine : chunks - 1 - mine);
      mine++;
    }
    if (mine > 0 && (long) COPIED.getAndAdd(this, mine) + mine == chunks) {
      IllegalStateException wrong = fault;
      if (wrong != null) {
        failBoth(to, wrong);
        return;
      }
      Rank receiver = outlet.target();
      finish();
      to.setState(DONE);
      receiver.wake();
    }
  }

  private void copyChunk(Receive to, long index) {
    if (fault != null) {
      return;
    }
    long at = index * chunk;
    try {
      copyTo(to, at, Math.min(chunk, bytes() - at));
    } catch (IllegalStateException e) {
      Memory.brokenOff();
      fault = e;
    }
  }

  private void finish() {
    Rank sender = outlet.source();
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
