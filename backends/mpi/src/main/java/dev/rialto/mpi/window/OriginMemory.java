package dev.rialto.mpi.window;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The memory that the library reads or writes on this rank for one target of a window, kept until
 * the target's operations are complete.
 *
 * <p>Segments of one allocation share a scope, so an epoch of any length keeps few. A loop over
 * segments of one scope, in the thread that made the window, takes no lock, allocates nothing and
 * stores no reference, which would be as dear as the rest of a short put. So a scope is kept beyond
 * {@link #completed}, until another takes its place or the epoch ends.
 */
final class OriginMemory {
  private static final MemorySegment.Scope NONE = MemorySegment.NULL.scope();

  private final Thread owner = Thread.currentThread();

  /** The first that the owner keeps; no other thread reads it. */
  private MemorySegment.Scope first = NONE;

  /** Whether the library uses the first. */
  private boolean used;

  private final Set<MemorySegment.Scope> others =
      Collections.newSetFromMap(new IdentityHashMap<>());

  /** Whether there are others. */
  private volatile boolean several;

  /** Keeps a segment's memory until the operations are {@link #completed}. */
  void keep(MemorySegment origin) {
    MemorySegment.Scope scope = origin.scope();
    if (Thread.currentThread().equals(owner)) {
      if (scope.equals(first)) {
        used = true;
        return;
      }
      if (!used) {
        first = scope;
        used = true;
        return;
      }
    }
    synchronized (others) {
      others.add(scope);
      several = true;
    }
  }

  /** Lets go of all memory at the end of an epoch; returns as {@link #completed} does. */
  boolean release() {
    boolean there = completed();
    if (Thread.currentThread().equals(owner) && !first.equals(NONE)) {
      first = NONE;
    }
    return there;
  }

  /**
   * Notes that the operations of the calling thread are complete; returns whether all their memory
   * was still there.
   */
  boolean completed() {
    boolean there = true;
    if (used && Thread.currentThread().equals(owner)) {
      there = first.isAlive();
      used = false;
    }
    if (several) {
      synchronized (others) {
        there &= others.stream().allMatch(MemorySegment.Scope::isAlive);
        others.clear();
        several = false;
      }
    }
    return there;
  }
}
