package dev.rialto.spi.parts.messages;

import dev.rialto.spi.comm.Window.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * The epochs of a window that one rank has open, and what may be called in them. Nothing here
 * waits.
 *
 * <p>Accesses and flushes, which come often, read the state without a lock: threads that share an
 * epoch agree on when it is open.
 */
public final class WindowEpoch {
  /** The kinds of epochs in which a rank reaches others' memory. */
  private enum Access {
    NONE("no epoch"),
    FENCE("a fence epoch"),
    LOCK("a lock epoch"),
    LOCK_ALL("a lockAll epoch"),
    START("a start epoch");

    final String words;

    Access(String words) {
      this.words = words;
    }
  }

  private final String window;
  private Access access = Access.NONE;

  /** Whether something was done in the fence epoch. */
  private boolean used;

  private final @Nullable LockMode[] locks;
  private int held;
  private int[] targets = {};
  private int @Nullable [] origins;
  private boolean closed;

  /**
   * Makes the epochs of a new window: none is open.
   *
   * @param window its name for messages
   * @param ranks how many have memory in it
   */
  public WindowEpoch(String window, int ranks) {
    this.window = window;
    this.locks = new LockMode[ranks];
  }

  private IllegalStateException wrong(String call, String remedy) {
    String state = origins == null ? access.words : access.words + " and a post epoch";
    return new IllegalStateException(call + " on " + window + " in " + state + "; " + remedy);
  }

  /** Checks that the window is not closed; {@code call} is what was called. */
  public void checkOpen(String call) {
    if (closed) {
      throw new IllegalStateException(call + " on " + window + ", which is closed");
    }
  }

  /** Checks that {@code target}'s memory may be reached. */
  public void access(String call, int target) {
    checkOpen(call);
    boolean allowed =
        switch (access) {
          case NONE -> false;
          case FENCE, LOCK_ALL -> true;
          case LOCK -> locks[target] != null;
          case START -> started(target);
        };
    if (!allowed) {
      throw wrong(
          call + " to rank " + target,
          "call fence, lock(" + target + ", …), lockAll or start with it first");
    }
    if (!used) {
      used = true;
    }
  }

  private boolean started(int target) {
    for (int each : targets) {
      if (each == target) {
        return true;
      }
    }
    return false;
  }

  /** Ends a fence epoch, if one is open, and opens the next. */
  public synchronized void fence() {
    checkOpen("fence");
    boolean fenced = access == Access.NONE || access == Access.FENCE;
    if (!fenced || origins != null) {
      throw wrong("fence", "end that first");
    }
    access = Access.FENCE;
    used = false;
  }

  /** Checks that an epoch of another kind may be opened; an unused fence epoch ends then. */
  private void leaveFence(String call) {
    checkOpen(call);
    if (access == Access.FENCE && used) {
      throw wrong(call, "end that with fence first");
    }
    if (access == Access.FENCE) {
      access = Access.NONE;
    }
  }

  /** Checks that {@code target} may be locked. */
  public synchronized void checkLock(int target) {
    leaveFence("lock");
    boolean free = access == Access.NONE || (access == Access.LOCK && locks[target] == null);
    if (!free || origins != null) {
      throw wrong(
          "lock(" + target + ", …)",
          access == Access.LOCK ? "unlock that target first" : "end that first");
    }
  }

  /** Opens a lock epoch for {@code target}, which is locked. */
  public synchronized void locked(int target, LockMode mode) {
    access = Access.LOCK;
    locks[target] = mode;
    held++;
  }

  /** Ends a lock epoch and returns how the target was locked. */
  public synchronized LockMode unlock(int target) {
    checkOpen("unlock");
    LockMode mode = locks[target];
    if (access != Access.LOCK || mode == null) {
      throw wrong("unlock(" + target + ")", "lock that target first");
    }
    locks[target] = null;
    held--;
    if (held == 0) {
      access = Access.NONE;
    }
    return mode;
  }

  /** Checks that all ranks may be locked. */
  public synchronized void checkLockAll() {
    leaveFence("lockAll");
    if (access != Access.NONE || origins != null) {
      throw wrong("lockAll", "end that first");
    }
  }

  /** Opens an epoch for all ranks, which are locked. */
  public synchronized void lockedAll() {
    access = Access.LOCK_ALL;
  }

  /** Ends the epoch for all ranks. */
  public synchronized void unlockAll() {
    checkOpen("unlockAll");
    if (access != Access.LOCK_ALL) {
      throw wrong("unlockAll", "call lockAll first");
    }
    access = Access.NONE;
  }

  /** Checks that there is a lock epoch for {@code target}, or any if it is negative. */
  public void flush(String call, int target) {
    checkOpen(call);
    boolean locked =
        access == Access.LOCK_ALL
            || (access == Access.LOCK && (target < 0 || locks[target] != null));
    if (!locked) {
      throw wrong(call, "it completes what was begun in a lock epoch, open one first");
    }
  }

  /** Opens an epoch in which the listed ranks may reach this one. */
  public synchronized void post(int[] newOrigins) {
    leaveFence("post");
    if (origins != null || access == Access.LOCK || access == Access.LOCK_ALL) {
      throw wrong("post", "end that first");
    }
    origins = newOrigins;
  }

  /** Returns the ranks of the post epoch. */
  public synchronized int[] posted() {
    checkOpen("await");
    if (origins == null) {
      throw wrong("await", "call post first");
    }
    return origins;
  }

  /** Ends the post epoch. */
  public synchronized void awaited() {
    origins = null;
  }

  /** Checks that a start epoch may be opened. */
  public synchronized void checkStart() {
    leaveFence("start");
    if (access != Access.NONE) {
      throw wrong("start", "end that first");
    }
  }

  /** Opens a start epoch for the listed ranks. */
  public synchronized void started(int[] newTargets) {
    access = Access.START;
    targets = newTargets;
  }

  /** Ends a start epoch and returns its ranks. */
  public synchronized int[] complete() {
    checkOpen("complete");
    if (access != Access.START) {
      throw wrong("complete", "call start first");
    }
    access = Access.NONE;
    return targets;
  }

  /** Closes and returns what was wrong with that. */
  public synchronized @Nullable IllegalStateException close() {
    boolean unfinished =
        origins != null || (access != Access.NONE && (access != Access.FENCE || used));
    IllegalStateException wrong =
        unfinished ? wrong("close", "end it before; the window is closed all the same") : null;
    closed = true;
    return wrong;
  }

  /** Returns whether the window is closed. */
  public synchronized boolean closed() {
    return closed;
  }

  /** Returns how {@code target} is locked by this rank, if it is. */
  public synchronized @Nullable LockMode lockOn(int target) {
    return access == Access.LOCK_ALL ? LockMode.SHARED : locks[target];
  }

  /** Returns whether all ranks are locked together. */
  public synchronized boolean allLocked() {
    return access == Access.LOCK_ALL;
  }

  /** Returns whether a start epoch is open. */
  public synchronized boolean isStarted() {
    return access == Access.START;
  }
}
