package dev.rialto.local.message;

import dev.rialto.local.memory.ConfinedCopy;
import dev.rialto.local.memory.Memory;
import dev.rialto.local.memory.Runs;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.TruncationException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A receive under way: where a message is wanted, and which. */
final class Receive extends LocalRequest {
  private final Mailbox mailbox;
  private int source;
  private int tag;

  private @Nullable Inlet inlet;
  private int matchedTag;
  private long matchedBytes;

  /** Neighbours among the posted receives; guarded by the mailbox. */
  @Nullable Receive before;

  @Nullable Receive after;

  Receive(LocalMessages messages, boolean persistent) {
    super(messages, persistent);
    this.mailbox = messages.mailbox;
  }

  /** Says which message is wanted. */
  Receive from(int fromSource, int withTag) {
    source = fromSource;
    tag = withTag;
    return this;
  }

  /** Says where it is wanted by a call that lasts until it is there. */
  Receive into(MemorySegment buffer, DType type, long bytes) {
    setMemory(buffer, type, bytes, null);
    return this;
  }

  /** Says where it is wanted later; {@code layout} is null for a buffer without gaps. */
  Receive keeping(MemorySegment buffer, DType type, long bytes, @Nullable Runs layout) {
    keepMemory(buffer, type, bytes, layout);
    return this;
  }

  int source() {
    return source;
  }

  boolean wants(int fromSource, int withTag) {
    return (source == PointToPoint.ANY_SOURCE || source == fromSource)
        && (tag == PointToPoint.ANY_TAG || tag == withTag);
  }

  /** Looks among the messages kept for one this receive wants. */
  @Nullable Arrival findIn(Inlet from) {
    return from.find(tag);
  }

  @Override
  void launch() {
    arm();
    mailbox.post(this);
  }

  /** Receives a message that a matched probe took. */
  Status take(Mailbox.Found found) {
    arm();
    if (!found.arrival().match(RESERVED)) {
      // Its sender gave up, which it only does when the world has failed.
      member.self.failIfHopeless(this);
      throw new AssertionError("a message was taken back after it was matched");
    }
    setState(MATCHED);
    found.arrival().deliver(this, found.inlet());
    mailbox.recycle(found.arrival());
    return conclude();
  }

  @Override
  public boolean poll() {
    if (state() < DONE) {
      mailbox.look(this);
    }
    return state() >= DONE;
  }

  /** Takes a matched message that lies in memory of this rank. */
  void accept(Inlet from, int withTag, DType sent, MemorySegment memory, long at, long bytes) {
    if (!fits(from, withTag, sent, bytes)) {
      return;
    }
    try {
      fill(memory, at, bytes);
    } catch (IllegalStateException e) {
      Memory.brokenOff();
      fail(freedTooEarly(e));
      return;
    }
    setState(DONE);
  }

  @Override
  void unstage(ConfinedCopy from) {
    from.store(matchedBytes);
  }

  /**
   * Notes what was matched; fails this receive and returns false if it is too long or of another
   * type.
   */
  boolean fits(Inlet from, int withTag, DType sent, long length) {
    if (inlet != from) {
      inlet = from;
    }
    matchedTag = withTag;
    matchedBytes = length;
    if (sent != type()) {
      fail(
          new MismatchException(
              "message of "
                  + sent
                  + " from rank "
                  + from.source
                  + " with tag "
                  + withTag
                  + " was to be received as "
                  + type(),
              self + " on " + member.name(),
              "receive it as what it was sent as; raw bytes are I8 at both ends",
              null));
      return false;
    }
    if (length > bytes()) {
      fail(
          new TruncationException(
              ("message of %s bytes from rank %s with tag %s does not fit the %s bytes that "
                      + "were to receive it")
                  .formatted(length, from.source, withTag, bytes()),
              self + " on " + member.name(),
              "receive with a larger count, or probe for the length first",
              null));
      return false;
    }
    return true;
  }

  @Override
  Status status() {
    return inlet == null ? Status.EMPTY : inlet.status(matchedTag, matchedBytes);
  }

  @Override
  boolean withdraw(boolean reserved) {
    return mailbox.withdraw(this);
  }

  @Override
  void help() {
    // A receiver copies as soon as it has matched; there is only the sender to wait for.
  }

  @Override
  void end() {
    abandon();
  }

  @Override
  public int needs() {
    return mailbox.onlySender(source);
  }

  @Override
  public String describe() {
    return "receive " + describe(source, tag, member.name());
  }

  /** Says which messages are meant by a source, a tag and a communicator. */
  static String describe(int source, int tag, String where) {
    return "from %s%s on %s"
        .formatted(
            source == PointToPoint.ANY_SOURCE ? "any rank" : "rank " + source,
            tag == PointToPoint.ANY_TAG ? ", any tag" : ", tag " + tag,
            where);
  }
}
