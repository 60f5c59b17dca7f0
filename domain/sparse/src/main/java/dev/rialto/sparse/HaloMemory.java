package dev.rialto.sparse;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * Memory for the halos of vectors that are arrays, which have no room for them. A vector takes a
 * piece when it needs one and gives it back when it is closed; pieces are kept for the next.
 */
final class HaloMemory {
  /** What vectors have in common whose halos fit one piece. */
  record Kind(IndexMap map, DType type, int width) {}

  private final LongFunction<MemorySegment> allocator;
  private final Map<Kind, Deque<MemorySegment>> idle = new HashMap<>();

  /** Takes memory by its bytes from an allocator, which frees it in the end. */
  HaloMemory(LongFunction<MemorySegment> allocator) {
    this.allocator = allocator;
  }

  /** Returns memory in which a halo lies where it would lie behind what is owned. */
  MemorySegment take(Kind kind) {
    MemorySegment kept = idle.computeIfAbsent(kind, _ -> new ArrayDeque<>()).poll();
    long elements = (long) kind.map().locals() * kind.width();
    return kept == null ? allocator.apply(Math.max(64, kind.type().bytes(elements))) : kept;
  }

  void giveBack(Kind kind, MemorySegment memory) {
    idle.computeIfAbsent(kind, _ -> new ArrayDeque<>()).push(memory);
  }
}
