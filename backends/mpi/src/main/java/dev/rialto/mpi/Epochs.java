package dev.rialto.mpi;

import java.util.BitSet;

/**
 * The epochs of one rank's window: which is open, and so what is allowed. The library checks some
 * of this and leaves the rest undefined.
 *
 * <p>Accesses read the state without a lock; what changes it is synchronized.
 */
final class Epochs {
  /** The kinds of access epoch. */
  private enum Kind {
    NONE,
    FENCE,
    LOCKS,
    LOCK_ALL,
    START
  }

  /** An access epoch; {@code targets} of those that are for some ranks only. */
  private record Access(Kind kind, BitSet targets) {}

  private static final Access CLOSED = new Access(Kind.NONE, new BitSet());

  private volatile Access access = CLOSED;
  private volatile boolean fenceUsed;
  private volatile boolean posted;

  /** Checks that a target may be accessed. */
  void access(int target) {
    Access open = access;
    switch (open.kind) {
      case FENCE -> {
        if (!fenceUsed) {
          fenceUsed = true;
        }
      }
      case LOCK_ALL -> {}
      case LOCKS, START -> {
        if (!open.targets.get(target)) {
          throw new IllegalStateException(
              "rank " + target + " is not among the targets of this epoch, " + open.targets);
        }
      }
      case NONE ->
          throw new IllegalStateException(
              "no epoch is open for rank " + target + "; call fence, lock, lockAll or start first");
    }
  }

  synchronized void fence() {
    if (access.kind != Kind.FENCE) {
      checkClosed("fence");
    }
    if (posted) {
      throw new IllegalStateException("fence while posted; await first");
    }
    fenceUsed = false;
    access = new Access(Kind.FENCE, new BitSet());
  }

  synchronized void checkLock(int target) {
    if (access.kind == Kind.LOCKS) {
      if (access.targets.get(target)) {
        throw new IllegalStateException("rank " + target + " is locked already; unlock it first");
      }
    } else {
      checkClosed("lock");
    }
  }

  synchronized void locked(int target) {
    BitSet targets = (BitSet) access.targets.clone();
    targets.set(target);
    access = new Access(Kind.LOCKS, targets);
  }

  synchronized void unlock(int target) {
    if (access.kind != Kind.LOCKS || !access.targets.get(target)) {
      throw new IllegalStateException("rank " + target + " is not locked; lock it first");
    }
    BitSet targets = (BitSet) access.targets.clone();
    targets.clear(target);
    access = targets.isEmpty() ? CLOSED : new Access(Kind.LOCKS, targets);
  }

  synchronized void lockAll() {
    checkClosed("lockAll");
    access = new Access(Kind.LOCK_ALL, new BitSet());
  }

  synchronized void unlockAll() {
    end(Kind.LOCK_ALL, "unlockAll", "lockAll");
  }

  /** Checks that a target, or all for -1, may be flushed. */
  void flush(int target) {
    Access open = access;
    boolean locked =
        open.kind == Kind.LOCK_ALL
            || (open.kind == Kind.LOCKS && (target < 0 || open.targets.get(target)));
    if (!locked) {
      throw new IllegalStateException(
          "flush outside of a lock epoch"
              + (target < 0 ? "" : " for rank " + target)
              + "; call lock or lockAll first");
    }
  }

  synchronized void start(int[] targets) {
    checkClosed("start");
    BitSet set = new BitSet();
    for (int target : targets) {
      set.set(target);
    }
    access = new Access(Kind.START, set);
  }

  synchronized void complete() {
    end(Kind.START, "complete", "start");
  }

  synchronized void post() {
    if (posted) {
      throw new IllegalStateException("post while posted; await first");
    }
    if (access.kind == Kind.FENCE && fenceUsed) {
      throw new IllegalStateException("post within a fence epoch; call fence to end it first");
    }
    posted = true;
  }

  synchronized void await() {
    if (!posted) {
      throw new IllegalStateException("await without post; call post first");
    }
    posted = false;
  }

  /** Returns the targets that are locked one by one. */
  synchronized int[] lockedTargets() {
    return access.kind == Kind.LOCKS ? access.targets.stream().toArray() : new int[0];
  }

  synchronized boolean allLocked() {
    return access.kind == Kind.LOCK_ALL;
  }

  synchronized boolean started() {
    return access.kind == Kind.START;
  }

  /** Returns whether anything but an empty fence epoch is open. */
  synchronized boolean isOpen() {
    return posted || (access.kind == Kind.FENCE ? fenceUsed : access.kind != Kind.NONE);
  }

  private void end(Kind kind, String call, String opener) {
    if (access.kind != kind) {
      throw new IllegalStateException(call + " without " + opener + "; call " + opener + " first");
    }
    access = CLOSED;
  }

  /** A fence epoch in which nothing was done ends by opening another kind. */
  private void checkClosed(String call) {
    if (access.kind == Kind.NONE || (access.kind == Kind.FENCE && !fenceUsed)) {
      return;
    }
    throw new IllegalStateException(
        call + " within an epoch of kind " + access.kind + "; end that first");
  }
}
