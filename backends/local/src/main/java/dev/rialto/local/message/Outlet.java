package dev.rialto.local.message;

import dev.rialto.local.memory.Memory;
import dev.rialto.local.rank.Guarded;
import dev.rialto.local.rank.Rank;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The sender's end of a {@link Ring}.
 *
 * <p>When the ring is full, sends queue up here in order, and go out whenever their rank waits for
 * something. The reader's position is looked at only when the ring seems full, so that in steady
 * state no cache line but the slot's moves.
 */
final class Outlet extends Guarded {
  private final Rank source;
  private final Rank target;
  private final Ring ring;
  private final Inlet inlet;
  private long next;
  private long limit = Ring.SLOTS;
  private @Nullable Send first;
  private @Nullable Send last;

  Outlet(Rank source, Rank target, Ring ring, Inlet inlet) {
    this.source = source;
    this.target = target;
    this.ring = ring;
    this.inlet = inlet;
  }

  Rank target() {
    return target;
  }

  /** Sends a short message unless the ring is full. */
  boolean offer(MemorySegment buffer, DType type, long bytes, int tag) {
    lock();
    try {
      if (first != null || !room()) {
        return false;
      }
      ring.put(next, tag, type, buffer, 0, bytes);
      next++;
    } finally {
      unlock();
    }
    target.wake();
    return true;
  }

  /** Sends a message, or queues it if the ring is full; returns whether it is queued. */
  boolean post(Send send) {
    boolean queued;
    lock();
    try {
      queued = first != null || !room();
      if (queued) {
        append(send);
      } else {
        put(send);
      }
    } finally {
      unlock();
    }
    target.wake();
    return queued;
  }

  /** Sends what is queued, as far as there is room; returns whether something is left. */
  boolean flush() {
    boolean sent = false;
    boolean queued;
    lock();
    try {
      for (Send send = first; send != null && room(); send = first) {
        first = send.following;
        send.following = null;
        put(send);
        sent = true;
      }
      queued = first != null;
    } finally {
      unlock();
    }
    if (sent) {
      source.progressed();
      source.wake();
    }
    target.wake();
    return queued;
  }

  private void put(Send send) {
    if (!send.isShort() || !fill(send)) {
      ring.put(next, send);
    }
    next++;
  }

  /** Puts a short message into its slot; returns false if its memory was freed meanwhile. */
  private boolean fill(Send send) {
    try {
      send.copyTo(ring, next, send.tag());
    } catch (IllegalStateException e) {
      Memory.brokenOff();
      // The receiver is to learn of it: it will find the same when it wants to copy.
      return false;
    }
    send.setState(Transfer.DONE);
    return true;
  }

  private boolean room() {
    if (next == limit) {
      limit = inlet.freed() + Ring.SLOTS;
    }
    return next < limit;
  }

  private void append(Send send) {
    Send before = last;
    if (first == null || before == null) {
      first = send;
    } else {
      before.following = send;
    }
    last = send;
  }

  /** Takes a send out of the queue; returns whether it was there. */
  boolean remove(Send send) {
    lock();
    try {
      Send before = null;
      for (Send each = first; each != null; each = each.following) {
        if (each == send) {
          unlink(before, each);
          return true;
        }
        before = each;
      }
      return false;
    } finally {
      unlock();
    }
  }

  private void unlink(@Nullable Send before, Send send) {
    if (before == null) {
      first = send.following;
    } else {
      before.following = send.following;
    }
    if (last == send) {
      last = before;
    }
    send.following = null;
  }
}
