package dev.rialto.spi.comm;

import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/**
 * A pattern of neighbours, and exchanges along it.
 *
 * <p>Collective over the whole communicator: every rank calls each operation in the same order,
 * also ranks without neighbours. Block {@code i} of a send buffer goes to {@code targets()[i]},
 * block {@code i} of a receive buffer comes from {@code sources()[i]}. Of several edges between the
 * same two ranks, the {@code k}-th at the sender is the {@code k}-th at the receiver. The rules of
 * {@link Collectives} hold for buffers, counts and order.
 */
public interface Topology extends AutoCloseable {
  /** Returns a fresh array of the ranks this one receives from. */
  int[] sources();

  /** Returns a fresh array of the ranks this one sends to. */
  int[] targets();

  /** Sends the same {@code count} elements to every target. */
  void neighborAllGather(MemorySegment send, MemorySegment receive, DType type, long count);

  /** Sends {@code sendCount} elements to every target and receives blocks of their own length. */
  void neighborAllGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type);

  /** Sends a block of {@code count} elements to each target. */
  void neighborAllToAll(MemorySegment send, MemorySegment receive, DType type, long count);

  /** Sends a block of its own length to each target. */
  void neighborAllToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type);

  /** Begins a {@link #neighborAllGather}; needs {@link Capability#NON_BLOCKING_NEIGHBORHOODS}. */
  Request ineighborAllGather(MemorySegment send, MemorySegment receive, DType type, long count);

  /** Begins a {@link #neighborAllToAll}; needs {@link Capability#NON_BLOCKING_NEIGHBORHOODS}. */
  Request ineighborAllToAll(MemorySegment send, MemorySegment receive, DType type, long count);

  /** Begins a {@link #neighborAllToAllV}; needs {@link Capability#NON_BLOCKING_NEIGHBORHOODS}. */
  Request ineighborAllToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type);

  /**
   * Describes a {@link #neighborAllToAllV} to be begun many times; needs {@link
   * Capability#PERSISTENT_NEIGHBORHOODS}. Collective.
   */
  PersistentRequest persistentNeighborAllToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type);

  /** Gives the topology back. Collective. Closing again does nothing. */
  @Override
  void close();
}
