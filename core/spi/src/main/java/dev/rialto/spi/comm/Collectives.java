package dev.rialto.spi.comm;

import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Operations that all ranks of a communicator take part in.
 *
 * <p>Every rank calls the same operation in the same order, with the same root, type and, in the
 * forms without {@code V}, count. Ranks that disagree get {@link
 * dev.rialto.spi.error.MismatchException} where the backend {@linkplain
 * Capability#MISMATCH_DETECTION can tell}. A collective may, but need not, wait for all ranks; only
 * {@link #barrier} surely does. Send and receive buffers must not overlap. Buffers that only the
 * root uses may be {@link MemorySegment#NULL} elsewhere.
 *
 * <p>Block {@code i} of a buffer belongs to rank {@code i}. In {@code V} forms it has {@code
 * counts[i]} elements from element {@code displacements[i]}; blocks that are written must not
 * overlap.
 *
 * <p><b>Reductions</b> combine the elements of all ranks, element by element, in rank order; the
 * same inputs give the same bits each time, as {@link ReduceOp} has it. In those {@code send} and
 * {@code receive} may be the very same memory (in place) wherever both have {@code count} elements.
 * They need {@link Capability#REDUCTIONS}, and a user's operator {@link Capability#USER_OPERATORS}.
 *
 * <p>An operation is a value, a {@link Collective}. {@link #run} does it, {@link #start} begins it
 * and {@link #prepare} makes a request of it that is begun many times; several may be under way on
 * one communicator, begun in the same order on all ranks and completed in any. A backend implements
 * these three, or {@code start} alone. The methods named after operations are for callers: they
 * make the value and run it.
 */
public interface Collectives {
  /** Returns the name for messages. */
  String name();

  /**
   * Begins a collective. Needs {@link Capability#NON_BLOCKING_COLLECTIVES}, and for one that
   * combines {@link Capability#REDUCTIONS}. What is wrong with its arguments is said here.
   */
  Request start(Collective collective);

  /** Does a collective and waits for its result. */
  default void run(Collective collective) {
    try (Request request = start(collective)) {
      var _ = request.await();
    }
  }

  /**
   * Makes a request of a collective that is to be begun many times with the same buffers.
   * Collective; started in the same order on all ranks as other collectives are. What is wrong with
   * the arguments is said here or at the first start. Needs {@link
   * Capability#PERSISTENT_COLLECTIVES}, and for one that combines {@link Capability#REDUCTIONS}.
   */
  default PersistentRequest prepare(Collective collective) {
    throw Capability.PERSISTENT_COLLECTIVES.unsupported(name());
  }

  /** Returns when all ranks have called it. */
  default void barrier() {
    run(new Collective.Barrier());
  }

  /** Copies the root's elements to all ranks. */
  default void broadcast(MemorySegment buffer, DType type, long count, int root) {
    run(new Collective.Broadcast(buffer, type, count, root));
  }

  /** Collects {@code count} elements of each rank in the root's {@code receive}, in rank order. */
  default void gather(MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    run(new Collective.Gather(send, receive, type, count, root));
  }

  /**
   * Collects a different number of elements of each rank at the root.
   *
   * @param counts used at the root only, as are {@code displacements}: may be empty elsewhere
   */
  default void gatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type,
      int root) {
    run(new Collective.GatherV(send, sendCount, receive, counts, displacements, type, root));
  }

  /** Hands {@code count} elements of the root's {@code send} to each rank, in rank order. */
  default void scatter(
      MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    run(new Collective.Scatter(send, receive, type, count, root));
  }

  /**
   * Hands a different number of the root's elements to each rank.
   *
   * @param counts used at the root only, as are {@code displacements}: may be empty elsewhere
   */
  default void scatterV(
      MemorySegment send,
      long[] counts,
      long[] displacements,
      MemorySegment receive,
      long receiveCount,
      DType type,
      int root) {
    run(new Collective.ScatterV(send, counts, displacements, receive, receiveCount, type, root));
  }

  /** Collects {@code count} elements of each rank on all ranks, in rank order. */
  default void allGather(MemorySegment send, MemorySegment receive, DType type, long count) {
    run(new Collective.AllGather(send, receive, type, count));
  }

  /** Collects a different number of elements of each rank on all ranks. */
  default void allGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type) {
    run(new Collective.AllGatherV(send, sendCount, receive, counts, displacements, type));
  }

  /** Sends block {@code i} of {@code send} to rank {@code i}, each of {@code count} elements. */
  default void allToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    run(new Collective.AllToAll(send, receive, type, count));
  }

  /** Sends a block of its own length to each rank. */
  default void allToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    run(
        new Collective.AllToAllV(
            send,
            sendCounts,
            sendDisplacements,
            receive,
            receiveCounts,
            receiveDisplacements,
            type));
  }

  /** Combines at the root; {@code receive} is used there only. */
  default void reduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op, int root) {
    run(new Collective.Reduce(send, receive, type, count, op, root));
  }

  /** Combines on all ranks; all get the same bits. */
  default void allReduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    run(new Collective.AllReduce(send, receive, type, count, op));
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
    run(new Collective.Scan(send, receive, type, count, op));
  }

  /** Gives each rank the combination of the ranks before it; rank 0's {@code receive} is left. */
  default void exscan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    run(new Collective.Exscan(send, receive, type, count, op));
  }

  /**
   * Combines the sum of {@code counts} elements and gives rank {@code i} the {@code i}-th block of
   * {@code counts[i]}. Not in place.
   */
  default void reduceScatter(
      MemorySegment send, MemorySegment receive, DType type, long[] counts, ReduceOp op) {
    run(new Collective.ReduceScatter(send, receive, type, counts, op));
  }
}
