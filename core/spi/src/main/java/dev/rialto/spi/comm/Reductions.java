package dev.rialto.spi.comm;

import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * Collectives that combine the elements of all ranks, element by element.
 *
 * <p>The rules of {@link Collectives} hold, and those of {@link ReduceOp}: contributions are
 * combined in rank order and the same inputs give the same bits each time. {@code send} and {@code
 * receive} may be the very same memory (in place) wherever both have {@code count} elements;
 * otherwise they must not overlap. A user's operator needs {@link Capability#USER_OPERATORS};
 * non-blocking forms need {@link Capability#NON_BLOCKING_REDUCTIONS}.
 */
public interface Reductions {
  /** Returns the name for messages. */
  String name();

  /** Combines at the root; {@code receive} is used there only. */
  default void reduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op, int root) {
    throw Capability.REDUCTIONS.unsupported(name());
  }

  /** Combines on all ranks; all get the same bits. */
  default void allReduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    throw Capability.REDUCTIONS.unsupported(name());
  }

  /** Gives each rank the combination of the ranks up to and including itself. */
  default void scan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    throw Capability.REDUCTIONS.unsupported(name());
  }

  /** Gives each rank the combination of the ranks before it; rank 0's {@code receive} is left. */
  default void exscan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    throw Capability.REDUCTIONS.unsupported(name());
  }

  /**
   * Combines the sum of {@code counts} elements and gives rank {@code i} the {@code i}-th block of
   * {@code counts[i]}. Not in place.
   */
  default void reduceScatter(
      MemorySegment send, MemorySegment receive, DType type, long[] counts, ReduceOp op) {
    throw Capability.REDUCTIONS.unsupported(name());
  }

  /** Begins a {@link #reduce}. */
  default Request ireduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op, int root) {
    throw Capability.NON_BLOCKING_REDUCTIONS.unsupported(name());
  }

  /** Begins an {@link #allReduce}. */
  default Request iallReduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    throw Capability.NON_BLOCKING_REDUCTIONS.unsupported(name());
  }

  /** Begins a {@link #scan}. */
  default Request iscan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    throw Capability.NON_BLOCKING_REDUCTIONS.unsupported(name());
  }

  /** Begins an {@link #exscan}. */
  default Request iexscan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    throw Capability.NON_BLOCKING_REDUCTIONS.unsupported(name());
  }

  /** Begins a {@link #reduceScatter}. */
  default Request ireduceScatter(
      MemorySegment send, MemorySegment receive, DType type, long[] counts, ReduceOp op) {
    throw Capability.NON_BLOCKING_REDUCTIONS.unsupported(name());
  }
}
