package dev.rialto.mpi.message;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory of Rialto's own that a message goes through, with {@code -Drialto.checks=true}.
 *
 * <p>The library never learns the address of the caller's buffer, so closing that one's arena too
 * early is an exception and nothing worse. It costs a copy at each end.
 */
final class StagedMessage {
  static final boolean ON = Boolean.getBoolean("rialto.checks");

  /** The parts of a buffer that a message reads or writes. */
  interface Parts {
    void forEach(Part action);

    /** Takes a part. */
    interface Part {
      void take(long offset, long bytes);
    }
  }

  private final MemorySegment buffer;
  private final MemorySegment own;
  private final Parts parts;

  /** Prepares a copy of the first bytes of a buffer. */
  StagedMessage(MemorySegment buffer, long bytes, Parts parts) {
    this.buffer = buffer;
    this.own = Arena.ofAuto().allocate(Math.max(1, bytes), 64);
    this.parts = parts;
  }

  MemorySegment memory() {
    return own;
  }

  /** Returns whether the caller's memory is still there. */
  boolean lives() {
    return buffer.scope().isAlive();
  }

  /** Copies the caller's memory; before a receive too, as a message may be shorter than that. */
  void load() {
    parts.forEach((offset, bytes) -> MemorySegment.copy(buffer, offset, own, offset, bytes));
  }

  /** Copies what was received to the caller's memory. */
  void deliver() {
    parts.forEach((offset, bytes) -> MemorySegment.copy(own, offset, buffer, offset, bytes));
  }
}
