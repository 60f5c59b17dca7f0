package dev.rialto.spi.comm;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/**
 * A message that a matched probe took out of the queue: no other receive can get it, and it must be
 * received exactly once.
 */
public interface Message {
  /** Returns who sent it, its tag and its length. */
  Status status();

  /**
   * Receives it.
   *
   * @throws dev.rialto.spi.error.TruncationException if it is longer than {@code count} elements
   * @throws IllegalStateException if it was received before
   */
  Status receive(MemorySegment buffer, DType type, long count);
}
