package dev.rialto.local;

import dev.rialto.spi.comm.Window.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * Which epochs of a window one rank has open, and what may be called in them. Nothing here waits.
 */
final class WindowEpoch {
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

  WindowEpoch(String window, int ranks) {
    this.window = window;
    this.locks = new LockMode[ranks];
  }

  private IllegalStateException wrong(String call, String remedy) {
    String state = origins == null ? access.words : access.words + " and a post epoch";
    return new IllegalStateException(call + " on " + window + " in " + state + "; " + remedy);
  }

  void checkOpen(String call) {
    if (closed) {
      throw new IllegalStateException(call + " on " + window + ", which is closed");
    }
  }

  /**
   * Checks that {@code target}'s memory may be reached. Without the lock of what opens and closes
   * epochs: threads that share an epoch agree on when it is open.
   */
  void access(String call, int target) {
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

  synchronized void fence() {
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

  synchronized void checkLock(int target) {
    leaveFence("lock");
    boolean free = access == Access.NONE || (access == Access.LOCK && locks[target] == null);
    if (!free || origins != null) {
      throw wrong(
          "lock(" + target + ", …)",
          access == Access.LOCK ? "unlock that target first" : "end that first");
    }
  }

  synchronized void locked(int target, LockMode mode) {
    access = Access.LOCK;
    locks[target] = mode;
    held++;
  }

  /** Ends a lock epoch and returns how the target was locked. */
  synchronized LockMode unlock(int target) {
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

  synchronized void checkLockAll() {
    leaveFence("lockAll");
    if (access != Access.NONE || origins != null) {
      throw wrong("lockAll", "end that first");
    }
  }

  synchronized void lockedAll() {
    access = Access.LOCK_ALL;
  }

  synchronized void unlockAll() {
    checkOpen("unlockAll");
    if (access != Access.LOCK_ALL) {
      throw wrong("unlockAll", "call lockAll first");
    }
    access = Access.NONE;
  }

  /** Checks that there is a lock epoch for {@code target}, or any if it is negative. */
  synchronized void flush(String call, int target) {
    checkOpen(call);
    boolean locked =
        access == Access.LOCK_ALL
            || (access == Access.LOCK && (target < 0 || locks[target] != null));
    if (!locked) {
      throw wrong(call, "it completes what was begun in a lock epoch, open one first");
    }
  }

  synchronized void post(int[] newOrigins) {
    leaveFence("post");
    if (origins != null || access == Access.LOCK || access == Access.LOCK_ALL) {
      throw wrong("post", "end that first");
    }
    origins = newOrigins;
  }

  /** Returns the ranks of the post epoch. */
  synchronized int[] posted() {
    checkOpen("await");
    if (origins == null) {
      throw wrong("await", "call post first");
    }
    return origins;
  }

  synchronized void awaited() {
    origins = null;
  }

  synchronized void checkStart() {
    leaveFence("start");
    if (access != Access.NONE) {
      throw wrong("start", "end that first");
    }
  }

  synchronized void started(int[] newTargets) {
    access = Access.START;
    targets = newTargets;
  }

  /** Ends a start epoch and returns its ranks. */
  synchronized int[] complete() {
    checkOpen("complete");
    if (access != Access.START) {
      throw wrong("complete", "call start first");
    }
    access = Access.NONE;
    return targets;
  }

  /** Closes and returns what was wrong with that. */
  synchronized @Nullable IllegalStateException close() {
    boolean unfinished =
        origins != null || (access != Access.NONE && (access != Access.FENCE || used));
    IllegalStateException wrong =
        unfinished ? wrong("close", "end it before; the window is closed all the same") : null;
    closed = true;
    return wrong;
  }

  synchronized boolean closed() {
    return closed;
  }

  /** Returns how {@code target} is locked by this rank, if it is. */
  synchronized @Nullable LockMode lockOn(int target) {
    return access == Access.LOCK_ALL ? LockMode.SHARED : locks[target];
  }
}
