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
 * segments of one scope, in the thread that made the window, takes no lock and allocates nothing.
 */
final class OriginMemory {
  private static final MemorySegment.Scope NONE = MemorySegment.NULL.scope();

  private final long owner = Thread.currentThread().threadId();

  /** The first that the owner keeps; no other thread reads it. */
  private MemorySegment.Scope first = NONE;

  private final Set<MemorySegment.Scope> others =
      Collections.newSetFromMap(new IdentityHashMap<>());

  /** Whether there are others. */
  private volatile boolean several;

  /** Keeps a segment's memory until {@link #release}. */
  void keep(MemorySegment origin) {
    MemorySegment.Scope scope = origin.scope();
    if (Thread.currentThread().threadId() == owner) {
      if (first.equals(NONE)) {
        first = scope;
      }
      if (scope.equals(first)) {
        return;
      }
    }
    synchronized (others) {
      others.add(scope);
      several = true;
    }
  }

  /** Lets go of what the calling thread may, and returns whether all of it was still there. */
  boolean release() {
    boolean there = true;
    if (Thread.currentThread().threadId() == owner) {
      there = first.isAlive();
      first = NONE;
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
