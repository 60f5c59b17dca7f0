package dev.rialto.cpu.code;

import java.lang.foreign.MemorySegment;

/** What generated classes reach memory through. */
final class AllMemory {
  /** Everything, by address; being constant and unbounded, its checks vanish. */
  @SuppressWarnings("restricted")
  static final MemorySegment SEGMENT = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private AllMemory() {}
}
