package dev.rialto.runtime.memory;

import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace;
import java.lang.foreign.MemorySegment;

/** One allocation of a memory space, cut into blocks of equal size. */
final class Page {
  private final Allocation allocation;
  private final Block[] blocks;

  /**
   * Cuts an allocation.
   *
   * @param each the bytes of a block
   */
  Page(Allocation allocation, int count, long each, BlockSource source) {
    this.allocation = allocation;
    this.blocks = new Block[count];
    for (int i = 0; i < count; i++) {
      MemorySegment part = slice(allocation.space(), allocation.segment(), i * each, each);
      blocks[i] = new Block(part, each, source, this);
    }
  }

  /** Cuts out a part; memory that the host cannot access has only an address. */
  static MemorySegment slice(MemorySpace space, MemorySegment segment, long offset, long bytes) {
    return space.properties().hostAccessible()
        ? segment.asSlice(offset, bytes)
        : MemorySegment.ofAddress(segment.address() + offset);
  }

  Block[] blocks() {
    return blocks;
  }

  long bytes() {
    return allocation.bytes();
  }

  /** Gives the memory back; no stream uses it any longer. */
  void free() {
    allocation.close();
  }
}
