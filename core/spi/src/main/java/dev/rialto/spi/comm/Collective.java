package dev.rialto.spi.comm;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * A collective operation as a value: one rank's arguments of the method of {@link Collectives} that
 * has the same name, in the same order and with the same meaning.
 *
 * <p>{@link Collectives#run} does it, {@link Collectives#start} begins it, {@link
 * Collectives#prepare} makes a request of it that is begun many times. Arrays are copied when it is
 * made, so it never changes; those that it returns are its own and must not be written. Memory is
 * not copied.
 */
@SuppressWarnings("ArrayRecordComponent") // Read by backends, never compared.
public sealed interface Collective {
  /** Returns the memory of what is sent; that for what is received where they are the same. */
  MemorySegment send();

  /** Returns the memory for what is received. */
  MemorySegment receive();

  /**
   * Checks that nothing is both sent and received, whose other arguments were checked; a reduction
   * may do so at the very same places.
   *
   * @throws IllegalArgumentException if what is sent and what is received overlap
   */
  default void refuseOverlap(int rank, int ranks) {
    BufferOverlap.refuse(this, rank, ranks);
  }

  /** A collective that combines elements. */
  sealed interface Reduction extends Collective {}

  /**
   * A collective that can also go along the edges of a {@link Topology}: its blocks are then those
   * of the neighbours instead of all ranks.
   */
  sealed interface AlongEdges extends Collective {
    /** Returns the type of the elements. */
    DType type();

    /**
     * Checks as {@link #refuseOverlap} does, along the edges of a topology.
     *
     * @param sources from how many ranks blocks come
     * @param targets to how many they go
     * @throws IllegalArgumentException if what is sent and what is received overlap
     */
    default void refuseOverlapAlong(int sources, int targets) {
      BufferOverlap.refuse(this, sources, targets);
    }
  }

  /** See {@link Collectives#barrier}. */
  record Barrier() implements Collective {
    @Override
    public MemorySegment send() {
      return MemorySegment.NULL;
    }

    @Override
    public MemorySegment receive() {
      return MemorySegment.NULL;
    }
  }

  /** See {@link Collectives#broadcast}. */
  record Broadcast(MemorySegment buffer, DType type, long count, int root) implements Collective {
    @Override
    public MemorySegment send() {
      return buffer;
    }

    @Override
    public MemorySegment receive() {
      return buffer;
    }
  }

  /** See {@link Collectives#gather}. */
  record Gather(MemorySegment send, MemorySegment receive, DType type, long count, int root)
      implements Collective {}

  /** See {@link Collectives#gatherV}. */
  record GatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type,
      int root)
      implements Collective {
    /** Copies the arrays. */
    public GatherV {
      counts = counts.clone();
      displacements = displacements.clone();
    }
  }

  /** See {@link Collectives#scatter}. */
  record Scatter(MemorySegment send, MemorySegment receive, DType type, long count, int root)
      implements Collective {}

  /** See {@link Collectives#scatterV}. */
  record ScatterV(
      MemorySegment send,
      long[] counts,
      long[] displacements,
      MemorySegment receive,
      long receiveCount,
      DType type,
      int root)
      implements Collective {
    /** Copies the arrays. */
    public ScatterV {
      counts = counts.clone();
      displacements = displacements.clone();
    }
  }

  /** See {@link Collectives#allGather}. */
  record AllGather(MemorySegment send, MemorySegment receive, DType type, long count)
      implements AlongEdges {}

  /** See {@link Collectives#allGatherV}. */
  record AllGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type)
      implements AlongEdges {
    /** Copies the arrays. */
    public AllGatherV {
      counts = counts.clone();
      displacements = displacements.clone();
    }
  }

  /** See {@link Collectives#allToAll}. */
  record AllToAll(MemorySegment send, MemorySegment receive, DType type, long count)
      implements AlongEdges {}

  /** See {@link Collectives#allToAllV}. */
  record AllToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type)
      implements AlongEdges {
    /** Copies the arrays. */
    public AllToAllV {
      sendCounts = sendCounts.clone();
      sendDisplacements = sendDisplacements.clone();
      receiveCounts = receiveCounts.clone();
      receiveDisplacements = receiveDisplacements.clone();
    }
  }

  /** See {@link Collectives#reduce}. */
  record Reduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op, int root)
      implements Reduction {}

  /** See {@link Collectives#allReduce}. */
  record AllReduce(MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op)
      implements Reduction {}

  /** See {@link Collectives#scan}. */
  record Scan(MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op)
      implements Reduction {}

  /** See {@link Collectives#exscan}. */
  record Exscan(MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op)
      implements Reduction {}

  /** See {@link Collectives#reduceScatter}. */
  record ReduceScatter(
      MemorySegment send, MemorySegment receive, DType type, long[] counts, ReduceOp op)
      implements Reduction {
    /** Copies the array. */
    public ReduceScatter {
      counts = counts.clone();
    }
  }
}
