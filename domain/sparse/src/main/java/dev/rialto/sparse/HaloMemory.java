package dev.rialto.sparse;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * Memory for elements of other ranks, for which arrays have no room. A product takes a piece and
 * gives it back; pieces are kept for the next.
 */
final class HaloMemory {
  /** The properties that arrays share whose halos fit one piece. */
  record Kind(IndexMap map, DType type, int width) {}

  private final LongFunction<MemorySegment> allocator;
  private final Map<Kind, Deque<MemorySegment>> idle = new HashMap<>();

  /** Takes memory by its bytes from an allocator, which frees it in the end. */
  HaloMemory(LongFunction<MemorySegment> allocator) {
    this.allocator = allocator;
  }

  /** Returns memory with room for all local indices. */
  MemorySegment take(Kind kind) {
    MemorySegment kept = idle.computeIfAbsent(kind, _ -> new ArrayDeque<>()).poll();
    long elements = (long) kind.map().locals() * kind.width();
    return kept == null ? allocator.apply(Math.max(64, kind.type().bytes(elements))) : kept;
  }

  void giveBack(Kind kind, MemorySegment memory) {
    idle.computeIfAbsent(kind, _ -> new ArrayDeque<>()).push(memory);
  }
}
