package dev.rialto.local.message;

import dev.rialto.local.rank.Guarded;
import dev.rialto.local.rank.Rank;
import dev.rialto.local.world.Group;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.Status;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The messages that have arrived at one rank of a communicator, and its receives for them.
 *
 * <p>Only threads of the receiving rank match, under this mailbox's lock. A message goes to the
 * oldest posted receive that wants it or, without one, is kept in its {@link Inlet}; a receive
 * looks at what was kept before it is posted. So messages of one sender are matched in the order in
 * which they were sent, whether they lie in their slot or are copied later. As long as no receive
 * is posted, messages stay in their rings. Copies of announced messages run outside the lock.
 */
public final class Mailbox extends Guarded {
  /** The most arrivals kept for later messages: enough for steady state, not for a flood. */
  private static final int MOST_SPARES = 256;

  private final Group group;
  private final int rank;
  private final Rank owner;
  private final AtomicReferenceArray<@Nullable Inlet> inlets;
  private volatile Inlet[] senders = {};
  private @Nullable Receive first;
  private @Nullable Receive last;
  private @Nullable Arrival unused;
  private int spares;
  private int turn;

  public Mailbox(Group group, int rank) {
    this.group = group;
    this.rank = rank;
    this.owner = group.member(rank);
    this.inlets = new AtomicReferenceArray<>(group.size());
  }

  /** Returns where {@code source} puts its messages to this rank; called by the sender. */
  synchronized Outlet outletOf(int source) {
    Inlet inlet = inlets.get(source);
    if (inlet == null) {
      inlet = new Inlet(group, source, rank);
      Inlet[] more = Arrays.copyOf(senders, senders.length + 1);
      more[senders.length] = inlet;
      senders = more;
      inlets.set(source, inlet);
    }
    return inlet.outlet;
  }

  /** Matches a receive with a message that was kept, or else posts it and looks into the rings. */
  void post(Receive receive) {
    Inlet inlet = null;
    Arrival kept = null;
    lock();
    try {
      if (receive.source() != PointToPoint.ANY_SOURCE) {
        inlet = inlets.get(receive.source());
        kept = inlet == null ? null : takeKept(inlet, receive);
      } else {
        Inlet[] all = senders;
        int from = turn++;
        for (int i = 0; i < all.length && kept == null; i++) {
          inlet = all[Math.floorMod(from + i, all.length)];
          kept = takeKept(inlet, receive);
        }
      }
      if (kept == null) {
        append(receive);
      } else {
        receive.setState(Transfer.MATCHED);
      }
    } finally {
      unlock();
    }
    if (kept != null && inlet != null) {
      kept.deliver(receive, inlet);
      recycle(kept);
    } else {
      look(receive);
    }
  }

  private @Nullable Arrival takeKept(Inlet inlet, Receive receive) {
    Arrival kept = receive.findIn(inlet);
    while (kept != null) {
      inlet.remove(kept);
      if (kept.match(Transfer.PENDING)) {
        return kept;
      }
      kept = receive.findIn(inlet);
    }
    return null;
  }

  /** Looks for the message a posted receive waits for. */
  void look(Receive receive) {
    if (receive.source() == PointToPoint.ANY_SOURCE) {
      drainAll(receive);
    } else {
      Inlet inlet = inlets.get(receive.source());
      if (inlet != null) {
        drain(inlet, receive, false);
      }
    }
  }

  /**
   * Matches what has arrived for the receives that are posted.
   *
   * @param thoroughly also makes room in rings whose senders may be waiting for it
   */
  void progress(boolean thoroughly) {
    if (first != null) {
      drainAll(null);
    } else if (thoroughly) {
      for (Inlet inlet : senders) {
        if (inlet.isCrowded()) {
          drain(inlet, null, true);
        }
      }
    }
  }

  private void drainAll(@Nullable Receive awaited) {
    Inlet[] all = senders;
    int from = turn++;
    for (int i = 0; i < all.length; i++) {
      drain(all[Math.floorMod(from + i, all.length)], awaited, false);
    }
  }

  /**
   * Takes messages out of a ring: as long as receives are posted, or all of them.
   *
   * @param awaited the receive whose owner is calling and need not be woken
   */
  private void drain(Inlet inlet, @Nullable Receive awaited, boolean everything) {
    boolean taken = true;
    while (taken && inlet.ready()) {
      taken = takeFront(inlet, awaited, everything);
    }
  }

  private boolean takeFront(Inlet inlet, @Nullable Receive awaited, boolean everything) {
    Receive receive;
    Send send;
    lock();
    try {
      if ((first == null && !everything) || !inlet.ready()) {
        return false;
      }
      long number = inlet.front();
      Ring ring = inlet.ring;
      int tag = ring.tag(number);
      long length = ring.length(number);
      receive = wanting(inlet.source, tag);
      if (receive == null) {
        inlet.keep(blank());
        return true;
      }
      if (length >= 0) {
        unlink(receive);
        receive.accept(inlet, tag, ring.type(number), ring.memory(), ring.payload(number), length);
        inlet.advance();
        send = null;
      } else {
        owner.world.check(owner);
        send = ring.send(number);
        boolean matched = send.change(ring.start(number), Transfer.PENDING, Transfer.MATCHED);
        inlet.advance();
        if (!matched) {
          return true;
        }
        unlink(receive);
        receive.setState(Transfer.MATCHED);
      }
    } finally {
      unlock();
    }
    if (send != null) {
      send.deliver(receive, inlet);
    }
    if (receive != awaited) {
      owner.progressed();
      owner.wake();
    }
    return true;
  }

  /** Returns the oldest posted receive that wants a message. */
  private @Nullable Receive wanting(int source, int tag) {
    Receive each = first;
    while (each != null && !each.wants(source, tag)) {
      each = each.after;
    }
    return each;
  }

  /** Takes a receive back that is still posted. */
  boolean withdraw(Receive receive) {
    lock();
    try {
      boolean posted = receive.state() == Transfer.PENDING;
      if (posted) {
        unlink(receive);
        receive.setState(Transfer.CANCELLED);
      }
      return posted;
    } finally {
      unlock();
    }
  }

  /**
   * Looks for a message.
   *
   * @param take whether to take it, for its receive to come
   * @return the message; null if there is none
   */
  @Nullable Found find(int source, int tag, boolean take) {
    if (source != PointToPoint.ANY_SOURCE) {
      Inlet inlet = inlets.get(source);
      return inlet == null ? null : findIn(inlet, tag, take);
    }
    for (Inlet inlet : senders) {
      Found found = findIn(inlet, tag, take);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private @Nullable Found findIn(Inlet inlet, int tag, boolean take) {
    drain(inlet, null, true);
    lock();
    try {
      Arrival kept = inlet.find(tag);
      while (kept != null && take) {
        inlet.remove(kept);
        if (kept.reserve()) {
          break;
        }
        kept = inlet.find(tag);
      }
      return kept == null ? null : new Found(inlet, kept, kept.status(inlet));
    } finally {
      unlock();
    }
  }

  /**
   * A message that a probe found.
   *
   * @param status as it was then; the arrival may have been received since, unless it was taken
   */
  record Found(Inlet inlet, Arrival arrival, Status status) {}

  /** Returns the world rank that alone can send to a receive from {@code source}, or -1. */
  int onlySender(int source) {
    if (source != PointToPoint.ANY_SOURCE) {
      return group.member(source).index;
    }
    int finished = -1;
    for (int i = 0; i < group.size(); i++) {
      if (i != rank) {
        if (!group.member(i).finished) {
          return -1;
        }
        finished = group.member(i).index;
      }
    }
    return finished;
  }

  private void append(Receive receive) {
    receive.before = last;
    receive.after = null;
    if (last == null) {
      first = receive;
    } else {
      last.after = receive;
    }
    last = receive;
  }

  private void unlink(Receive receive) {
    if (receive.before == null) {
      first = receive.after;
    } else {
      receive.before.after = receive.after;
    }
    if (receive.after == null) {
      last = receive.before;
    } else {
      receive.after.before = receive.before;
    }
    receive.before = null;
    receive.after = null;
  }

  private Arrival blank() {
    Arrival blank = unused;
    if (blank == null) {
      return new Arrival();
    }
    unused = blank.following;
    spares--;
    return blank;
  }

  /** Keeps an arrival that was received for the next message. */
  void recycle(Arrival arrival) {
    lock();
    if (spares < MOST_SPARES) {
      arrival.following = unused;
      unused = arrival;
      spares++;
    }
    unlock();
  }
}
