package dev.rialto.local.memory;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A copy of memory of a confined arena, for peers to work on while an operation is under way. The
 * owner fills it when the operation begins and empties it when it has learned of the end: other
 * threads may not use its memory, and the copy lives as long as the operation.
 */
public final class ConfinedCopy {
  private final MemorySegment owners;
  private final @Nullable Runs layout;
  private final MemorySegment copy;

  /**
   * Makes a copy that holds nothing yet.
   *
   * @param bytes the bytes of the elements
   * @param layout how they lie in the owner's memory; null if there are no gaps
   */
  public ConfinedCopy(MemorySegment owners, long bytes, @Nullable Runs layout) {
    this.owners = owners;
    this.layout = layout;
    this.copy = Memory.allocate(bytes);
  }

  /** Returns the copy: the elements without gaps. */
  public MemorySegment copy() {
    return copy;
  }

  public void load() {
    if (layout == null) {
      MemorySegment.copy(owners, 0, copy, 0, copy.byteSize());
    } else {
      long bytes = copy.byteSize();
      Memory.copy(owners, 0, layout, copy, 0, Runs.line(bytes), bytes);
    }
  }

  /** Copies the first {@code bytes} back. */
  public void store(long bytes) {
    if (layout == null) {
      storeBlock(0, bytes);
    } else {
      Memory.copy(copy, 0, Runs.line(bytes), owners, 0, layout, bytes);
    }
  }

  public void storeBlock(long offset, long bytes) {
    if (bytes > 0) {
      MemorySegment.copy(copy, offset, owners, offset, bytes);
    }
  }
}
