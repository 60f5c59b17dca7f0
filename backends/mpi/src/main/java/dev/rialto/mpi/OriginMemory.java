package dev.rialto.mpi;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The memory that the library reads or writes on this rank for one target of a window, kept until
 * the target's operations are complete.
 *
 * <p>Segments of one allocation share a scope, so an epoch of any length keeps few. A loop over
 * segments of one scope allocates nothing.
 */
final class OriginMemory {
  private static final MemorySegment.Scope NONE = MemorySegment.NULL.scope();

  private final Set<MemorySegment.Scope> others =
      Collections.newSetFromMap(new IdentityHashMap<>());

  private volatile MemorySegment.Scope last = NONE;

  /** Keeps a segment's memory until {@link #release}. */
  void keep(MemorySegment origin) {
    MemorySegment.Scope scope = origin.scope();
    if (!scope.equals(last)) {
      synchronized (others) {
        if (!last.equals(NONE)) {
          others.add(last);
        }
        last = scope;
      }
    }
  }

  /** Lets go of everything, and returns whether all of it was still there. */
  boolean release() {
    if (last.equals(NONE)) {
      return true;
    }
    synchronized (others) {
      boolean there = last.isAlive();
      for (MemorySegment.Scope scope : others) {
        there &= scope.isAlive();
      }
      last = NONE;
      others.clear();
      return there;
    }
  }
}
