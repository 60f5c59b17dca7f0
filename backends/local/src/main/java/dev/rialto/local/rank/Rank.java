package dev.rialto.local.rank;

import dev.rialto.local.message.LocalMessages;
import dev.rialto.local.world.LocalWorld;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.parts.LeftClosings;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One rank of a world: how its threads wait, how others wake them, and the operations it keeps
 * going while it waits.
 *
 * <p>A wait spins, then yields, then parks. Spinning costs a core and answers within a cache-line
 * transfer; {@link Patience} says how long it pays. A parked thread is found through {@link
 * #parked}, which is written only on parking: waking a rank that is not parked costs a fence and
 * the read of a line that stays in the waker's cache.
 */
public final class Rank extends Guarded {
  public final LocalWorld world;
  public final int index;

  private final LeftClosings left = new LeftClosings();

  /** Set while the rank's body is not running: nothing more will come from this rank. */
  public volatile boolean finished;

  /** The wait for which the rank's own thread is parked without a time limit. */
  public volatile @Nullable Wait blocked;

  /** Counts ends of waits and everything else that shows the rank is going on. */
  private final AtomicLong steps = new AtomicLong();

  /** Counts the polls of the thread in {@link #blocked}. */
  private final AtomicLong polls = new AtomicLong();

  /** The number of polls before a wait yields; learned from the waits before. */
  private int spins;

  /** The number of threads that have spun in vain and may park soon. */
  private volatile int drowsy;

  private volatile boolean parked;
  private final List<Thread> sleepers = new ArrayList<>(4);

  /** The messages of this rank's open communicators; replaced, never changed. */
  private volatile LocalMessages[] messages = {};

  private volatile @Nullable PendingOperation active;

  /** The thread that runs the rank's bodies. */
  private final RankThread own;

  public Rank(LocalWorld world, int index) {
    this.world = world;
    this.index = index;
    this.own = new RankThread(index, world.deadlocks.bystanders());
    this.spins = world.patience.mostSpins();
  }

  /** Returns what is to be closed when the body has returned. */
  public LeftClosings left() {
    return left;
  }

  public RankThread own() {
    return own;
  }

  /** Returns whether the calling thread is the rank's own; remembers if it is another. */
  public boolean isOwnThread() {
    if (Thread.currentThread().equals(own.thread)) {
      return true;
    }
    world.deadlocks.bystanders().see();
    return false;
  }

  /** Returns who this is, for messages. */
  @Override
  public String toString() {
    return "rank " + index + " of " + world.size();
  }

  public void await(Wait wait) {
    var _ = await(wait, Long.MAX_VALUE);
  }

  /**
   * Waits until {@code wait} is over, for at most {@code nanos}; {@link Long#MAX_VALUE} is no
   * limit.
   *
   * @return whether it is over
   */
  public boolean await(Wait wait, long nanos) {
    for (int i = spins; i > 0; i--) {
      if (wait.poll()) {
        return true;
      }
      world.check(this);
      if ((i & 15) == 0) {
        progress();
      }
      Thread.onSpinWait();
    }
    changeDrowsy(1);
    try {
      long start = System.nanoTime();
      boolean over = awaitLonger(wait, nanos, start);
      spins = world.patience.spinsAfter(spins, System.nanoTime() - start);
      return over;
    } finally {
      changeDrowsy(-1);
    }
  }

  private boolean awaitLonger(Wait wait, long nanos, long start) {
    for (int i = world.patience.yieldsAfter(spins); i > 0; i--) {
      progress(true);
      if (wait.poll()) {
        return true;
      }
      world.check(this);
      if (nanos != Long.MAX_VALUE && System.nanoTime() - start >= nanos) {
        return false;
      }
      Thread.yield();
    }
    boolean own = isOwnThread();
    Bystanders bystanders = world.deadlocks.bystanders();
    try {
      if (!own && nanos == Long.MAX_VALUE) {
        bystanders.waits(wait);
      }
      while (true) {
        if (own && nanos == Long.MAX_VALUE) {
          blocked = wait;
        }
        long left = nanos == Long.MAX_VALUE ? nanos : nanos - (System.nanoTime() - start);
        if (pollOrPark(wait, left)) {
          return true;
        }
        if (left <= 0) {
          return false;
        }
        if (own) {
          polls.incrementAndGet();
        }
        world.deadlocks.look();
      }
    } finally {
      if (own) {
        blocked = null;
      } else {
        bystanders.goesOn();
      }
      progressed();
    }
  }

  /** Parks unless the wait is over; whatever is published after the last poll unparks. */
  private boolean pollOrPark(Wait wait, long nanos) {
    Thread thread = Thread.currentThread();
    enlist(thread);
    try {
      VarHandle.fullFence();
      progress(true);
      if (wait.poll()) {
        return true;
      }
      failIfHopeless(wait);
      if (thread.isInterrupted()) {
        throw new CommunicationException(
            "interrupted while waiting for " + wait.describe(),
            toString(),
            "a call that blocks has ended, a request can be awaited again",
            new InterruptedException());
      }
      LockSupport.parkNanos(this, Math.min(nanos, world.patience.napNanos()));
      return wait.poll();
    } finally {
      delist(thread);
    }
  }

  /**
   * Throws if the wait can never be over, because the world failed or the rank waited for has
   * finished: that was seen before the last poll, so nothing can follow.
   */
  public void failIfHopeless(Wait wait) {
    world.check(this);
    int peer = wait.needs();
    if (peer >= 0 && peer != index && world.ranks()[peer].finished && !wait.poll()) {
      world.check(this); // A rank that fails tells so before it has finished.
      throw new PeerFailedException(
          "rank " + peer + " has finished, so " + wait.describe() + " can never complete",
          toString(),
          "let rank " + peer + " do its part before its body returns",
          null);
    }
  }

  /**
   * Wakes the rank's waiting threads; called after publishing what they may wait for.
   *
   * <p>A rank that spins, or does not wait, costs its waker a read. That the read may overtake the
   * publication does no harm: from the time a rank is drowsy to its last look before it sleeps
   * there are many yields, while a processor holds a store back for some hundred nanoseconds; and
   * no sleep is longer than a nap.
   */
  public void wake() {
    if (drowsy > 0) {
      VarHandle.fullFence();
      wakeParked();
    }
  }

  /** Does what {@link #wake} does for a caller that has put a fence after what it published. */
  public void wakeParked() {
    if (parked) {
      synchronized (sleepers) {
        parked = false;
        for (Thread sleeper : sleepers) {
          LockSupport.unpark(sleeper);
        }
        sleepers.clear();
      }
    }
  }

  private void changeDrowsy(int by) {
    synchronized (sleepers) {
      drowsy += by;
    }
  }

  private void enlist(Thread thread) {
    synchronized (sleepers) {
      sleepers.add(thread);
      parked = true;
    }
  }

  private void delist(Thread thread) {
    synchronized (sleepers) {
      sleepers.remove(thread);
      parked = !sleepers.isEmpty();
    }
  }

  /** Tells that the rank did something that others may go on by, without its wait being over. */
  public void progressed() {
    steps.incrementAndGet();
  }

  long steps() {
    return steps.get();
  }

  public long polls() {
    return polls.get();
  }

  /** Advances an operation and, unless that completed it, keeps advancing it in every wait. */
  public void begin(PendingOperation operation) {
    lock();
    try {
      if (!operation.advance() && !operation.linked) {
        operation.linked = true;
        operation.next = active;
        active = operation;
      }
    } finally {
      unlock();
    }
  }

  /** Adds the messages of a communicator to those that every wait of this rank looks after. */
  public synchronized void join(LocalMessages joining) {
    LocalMessages[] more = Arrays.copyOf(messages, messages.length + 1);
    more[messages.length] = joining;
    messages = more;
  }

  /** Removes the messages of a communicator that is closed. */
  public synchronized void quit(LocalMessages quitting) {
    messages =
        Arrays.stream(messages)
            .filter(each -> !each.equals(quitting))
            .toArray(LocalMessages[]::new);
  }

  /** Ends what the rank's body has begun and left behind: its buffers may be gone now. */
  public void abandonRequests() {
    for (LocalMessages each : messages) {
      each.member.abandonRequests();
    }
  }

  /** Brings what this rank has begun forward. */
  public void progress() {
    progress(false);
  }

  private void progress(boolean thoroughly) {
    for (LocalMessages each : messages) {
      each.progress(thoroughly);
    }
    progressOperations();
  }

  /** Advances all operations under way, unless another thread of this rank is doing so. */
  private void progressOperations() {
    if (active == null || !tryLock()) {
      return;
    }
    try {
      PendingOperation kept = null;
      for (PendingOperation each = active; each != null; ) {
        PendingOperation following = each.next;
        if (each.advance()) {
          each.next = null;
          each.linked = false;
          unlink(kept, following);
        } else {
          kept = each;
        }
        each = following;
      }
    } finally {
      unlock();
    }
  }

  private void unlink(@Nullable PendingOperation before, @Nullable PendingOperation after) {
    if (before == null) {
      active = after;
    } else {
      before.next = after;
    }
  }
}
