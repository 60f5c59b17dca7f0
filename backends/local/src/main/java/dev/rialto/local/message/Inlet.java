package dev.rialto.local.message;

import dev.rialto.local.rank.Isolated;
import dev.rialto.local.rank.LongField;
import dev.rialto.local.rank.Rank;
import dev.rialto.local.world.Group;
import dev.rialto.spi.comm.Status;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The receiver's end of a {@link Ring}, and the messages of its sender that came before a receive
 * for them, oldest first. Guarded by the mailbox it belongs to.
 */
final class Inlet extends Isolated {
  /** A sender that finds the ring full waits for a quarter of it, not for each slot. */
  private static final int FREED_AT_ONCE = Ring.SLOTS / 4;

  private static final VarHandle FREED = LongField.of(MethodHandles.lookup(), "freed");

  final int source;
  final Outlet outlet;
  final Ring ring;
  private final Rank sender;
  private long front;

  @SuppressWarnings("UnusedVariable")
  private long freed;

  private @Nullable Arrival first;
  private @Nullable Arrival last;
  private final @Nullable Status[] recent = new Status[8];

  /** Makes both ends of the ring from one member of a group to another. */
  Inlet(Group group, int source, int target) {
    this.source = source;
    this.ring = new Ring(group.arena);
    this.sender = group.member(source);
    this.outlet = new Outlet(sender, group.member(target), ring, this);
  }

  /** Returns whether a message is there; only a hint unless the mailbox is locked. */
  boolean ready() {
    return ring.ready(front);
  }

  /** Returns the number of the message at the front of the ring. */
  long front() {
    return front;
  }

  /** Returns up to which message slots are free again; for the sender. */
  long freed() {
    return (long) FREED.getAcquire(this);
  }

  /** Gives the slot at the front back; the sender learns of several at a time. */
  void advance() {
    front++;
    if (front % FREED_AT_ONCE == 0) {
      FREED.setRelease(this, front);
      sender.wake();
    }
  }

  /** Returns whether the ring is half full, so that the sender may soon wait for room. */
  boolean isCrowded() {
    return ring.ready(front + Ring.SLOTS / 2);
  }

  /** Keeps the message at the front of the ring until a receive for it comes. */
  void keep(Arrival arrival) {
    arrival.load(this);
    advance();
    Arrival before = last;
    if (first == null || before == null) {
      first = arrival;
    } else {
      before.following = arrival;
    }
    last = arrival;
  }

  /** Returns the oldest message kept that has the tag, or any for a wildcard. */
  @Nullable Arrival find(int tag) {
    Arrival before = null;
    for (Arrival each = first; each != null; each = each.following) {
      if (each.isGone()) {
        unlink(before, each);
      } else if (each.hasTag(tag)) {
        return each;
      } else {
        before = each;
      }
    }
    return null;
  }

  /** Takes a message out that {@link #find} returned. */
  void remove(Arrival arrival) {
    Arrival before = null;
    for (Arrival each = first; each != arrival && each != null; each = each.following) {
      before = each;
    }
    unlink(before, arrival);
  }

  private void unlink(@Nullable Arrival before, Arrival arrival) {
    if (before == null) {
      first = arrival.following;
    } else {
      before.following = arrival.following;
    }
    if (last == arrival) {
      last = before;
    }
  }

  /** Returns the status of a message of this sender: the one before with its tag, if equal. */
  Status status(int tag, long bytes) {
    int place = tag & (recent.length - 1);
    Status status = recent[place];
    if (status == null || status.tag() != tag || status.bytes() != bytes) {
      status = new Status(source, tag, bytes, false);
      recent[place] = status;
    }
    return status;
  }
}
