package dev.rialto.spi.comm;

import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Collectives that combine the elements of all ranks, element by element.
 *
 * <p>The rules of {@link Collectives} hold, and those of {@link ReduceOp}: contributions are
 * combined in rank order and the same inputs give the same bits each time. {@code send} and {@code
 * receive} may be the very same memory (in place) wherever both have {@code count} elements;
 * otherwise they must not overlap. A user's operator needs {@link Capability#USER_OPERATORS}.
 */
public interface Reductions extends Collectives {
  /** Combines at the root; {@code receive} is used there only. */
  default void reduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op, int root) {
    complete(new Collective.Reduce(send, receive, type, count, op, root));
  }

  /** Combines on all ranks; all get the same bits. */
  default void allReduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    complete(new Collective.AllReduce(send, receive, type, count, op));
  }

  /** Returns the sum of one number of each rank, the same bits on all of them. */
  default double sum(double mine) {
    return combined(mine, ReduceOp.SUM);
  }

  /** Returns the sum of one number of each rank. */
  default long sum(long mine) {
    return combined(mine, ReduceOp.SUM);
  }

  /** Returns the sums of as many numbers of each rank, one by one. */
  default double[] sum(double[] mine) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment numbers = arena.allocateFrom(ValueLayout.JAVA_DOUBLE, mine);
      allReduce(numbers, numbers, DType.F64, mine.length, ReduceOp.SUM);
      return numbers.toArray(ValueLayout.JAVA_DOUBLE);
    }
  }

  /** Returns the largest of one number of each rank. */
  default double max(double mine) {
    return combined(mine, ReduceOp.MAX);
  }

  /** Returns the largest of one number of each rank. */
  default long max(long mine) {
    return combined(mine, ReduceOp.MAX);
  }

  /** Returns the smallest of one number of each rank. */
  default double min(double mine) {
    return combined(mine, ReduceOp.MIN);
  }

  /** Returns the smallest of one number of each rank. */
  default long min(long mine) {
    return combined(mine, ReduceOp.MIN);
  }

  private double combined(double mine, ReduceOp op) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocateFrom(ValueLayout.JAVA_DOUBLE, mine);
      allReduce(number, number, DType.F64, 1, op);
      return number.get(ValueLayout.JAVA_DOUBLE, 0);
    }
  }

  private long combined(long mine, ReduceOp op) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocateFrom(ValueLayout.JAVA_LONG, mine);
      allReduce(number, number, DType.I64, 1, op);
      return number.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  /** Gives each rank the combination of the ranks up to and including itself. */
  default void scan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    complete(new Collective.Scan(send, receive, type, count, op));
  }

  /** Gives each rank the combination of the ranks before it; rank 0's {@code receive} is left. */
  default void exscan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    complete(new Collective.Exscan(send, receive, type, count, op));
  }

  /**
   * Combines the sum of {@code counts} elements and gives rank {@code i} the {@code i}-th block of
   * {@code counts[i]}. Not in place.
   */
  default void reduceScatter(
      MemorySegment send, MemorySegment receive, DType type, long[] counts, ReduceOp op) {
    complete(new Collective.ReduceScatter(send, receive, type, counts, op));
  }

  private void complete(Collective collective) {
    try (Request request = start(collective)) {
      var _ = request.await();
    }
  }
}
