package dev.rialto.spi.comm;

import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

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
 * overlap. Count arrays are the caller's again when a call returns, also a non-blocking one.
 *
 * <p>Non-blocking forms need {@link Capability#NON_BLOCKING_COLLECTIVES}, persistent ones {@link
 * Capability#PERSISTENT_COLLECTIVES}; several may be under way on one communicator, begun in the
 * same order on all ranks and completed in any.
 */
public interface Collectives {
  /** Returns the name for messages. */
  String name();

  /** Returns when all ranks have called it. */
  default void barrier() {
    throw Capability.COLLECTIVES.unsupported(name());
  }

  /** Copies the root's elements to all ranks. */
  default void broadcast(MemorySegment buffer, DType type, long count, int root) {
    throw Capability.COLLECTIVES.unsupported(name());
  }

  /** Collects {@code count} elements of each rank in the root's {@code receive}, in rank order. */
  default void gather(MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    throw Capability.COLLECTIVES.unsupported(name());
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
    throw Capability.COLLECTIVES.unsupported(name());
  }

  /** Hands {@code count} elements of the root's {@code send} to each rank, in rank order. */
  default void scatter(
      MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    throw Capability.COLLECTIVES.unsupported(name());
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
    throw Capability.COLLECTIVES.unsupported(name());
  }

  /** Collects {@code count} elements of each rank on all ranks, in rank order. */
  default void allGather(MemorySegment send, MemorySegment receive, DType type, long count) {
    throw Capability.COLLECTIVES.unsupported(name());
  }

  /** Collects a different number of elements of each rank on all ranks. */
  default void allGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type) {
    throw Capability.COLLECTIVES.unsupported(name());
  }

  /** Sends block {@code i} of {@code send} to rank {@code i}, each of {@code count} elements. */
  default void allToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    throw Capability.COLLECTIVES.unsupported(name());
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
    throw Capability.COLLECTIVES.unsupported(name());
  }

  /** Begins a {@link #barrier}: complete when all ranks have begun it. */
  default Request ibarrier() {
    throw Capability.NON_BLOCKING_COLLECTIVES.unsupported(name());
  }

  /** Begins a {@link #broadcast}. */
  default Request ibroadcast(MemorySegment buffer, DType type, long count, int root) {
    throw Capability.NON_BLOCKING_COLLECTIVES.unsupported(name());
  }

  /** Begins a {@link #gather}. */
  default Request igather(
      MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    throw Capability.NON_BLOCKING_COLLECTIVES.unsupported(name());
  }

  /** Begins a {@link #gatherV}. */
  default Request igatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type,
      int root) {
    throw Capability.NON_BLOCKING_COLLECTIVES.unsupported(name());
  }

  /** Begins a {@link #scatter}. */
  default Request iscatter(
      MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    throw Capability.NON_BLOCKING_COLLECTIVES.unsupported(name());
  }

  /** Begins a {@link #scatterV}. */
  default Request iscatterV(
      MemorySegment send,
      long[] counts,
      long[] displacements,
      MemorySegment receive,
      long receiveCount,
      DType type,
      int root) {
    throw Capability.NON_BLOCKING_COLLECTIVES.unsupported(name());
  }

  /** Begins an {@link #allGather}. */
  default Request iallGather(MemorySegment send, MemorySegment receive, DType type, long count) {
    throw Capability.NON_BLOCKING_COLLECTIVES.unsupported(name());
  }

  /** Begins an {@link #allGatherV}. */
  default Request iallGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type) {
    throw Capability.NON_BLOCKING_COLLECTIVES.unsupported(name());
  }

  /** Begins an {@link #allToAll}. */
  default Request iallToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    throw Capability.NON_BLOCKING_COLLECTIVES.unsupported(name());
  }

  /** Begins an {@link #allToAllV}. */
  default Request iallToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    throw Capability.NON_BLOCKING_COLLECTIVES.unsupported(name());
  }

  /** Describes an {@link #allToAll} to be begun many times. Collective. */
  default PersistentRequest persistentAllToAll(
      MemorySegment send, MemorySegment receive, DType type, long count) {
    throw Capability.PERSISTENT_COLLECTIVES.unsupported(name());
  }

  /** Describes an {@link #allToAllV} to be begun many times. Collective. */
  default PersistentRequest persistentAllToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    throw Capability.PERSISTENT_COLLECTIVES.unsupported(name());
  }
}
