package dev.rialto.mpi;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The memory that the library reads or writes on this rank for one target of a window, kept until
 * the target's operations are complete.
 *
 * <p>Segments of one allocation share a scope, so an epoch of any length keeps few. A loop over
 * segments of one scope takes no lock and allocates nothing.
 */
final class OriginMemory {
  private static final MemorySegment.Scope NONE = MemorySegment.NULL.scope();

  private final AtomicReference<MemorySegment.Scope> first = new AtomicReference<>(NONE);
  private final Set<MemorySegment.Scope> others =
      Collections.newSetFromMap(new IdentityHashMap<>());

  /** Whether there are others. */
  private volatile boolean several;

  /** Keeps a segment's memory until {@link #release}. */
  void keep(MemorySegment origin) {
    MemorySegment.Scope scope = origin.scope();
    if (!scope.equals(first.get()) && !first.compareAndSet(NONE, scope)) {
      synchronized (others) {
        others.add(scope);
        several = true;
      }
    }
  }

  /** Lets go of everything, and returns whether all of it was still there. */
  boolean release() {
    boolean there = first.getAndSet(NONE).isAlive();
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
