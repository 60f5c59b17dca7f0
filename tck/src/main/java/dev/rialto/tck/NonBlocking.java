package dev.rialto.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Reductions;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The blocking operations made of the non-blocking ones, so that both pass the same cases.
 *
 * <p>The count arrays are lent and spoiled as soon as a call has returned: they are the caller's
 * again then.
 *
 * @param comm the communicator whose non-blocking operations are used
 */
record NonBlocking(Communicator comm) implements Collectives, Reductions {
  @Override
  public String name() {
    return comm.name();
  }

  static void complete(Request request, long[]... lent) {
    for (long[] counts : lent) {
      Arrays.fill(counts, Long.MIN_VALUE);
    }
    try (request) {
      assertEquals(Status.EMPTY, request.await());
    }
  }

  @Override
  public void barrier() {
    complete(comm.ibarrier());
  }

  @Override
  public void broadcast(MemorySegment buffer, DType type, long count, int root) {
    complete(comm.ibroadcast(buffer, type, count, root));
  }

  @Override
  public void gather(MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    complete(comm.igather(send, receive, type, count, root));
  }

  @Override
  public void gatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type,
      int root) {
    long[] lent = counts.clone();
    long[] places = displacements.clone();
    complete(comm.igatherV(send, sendCount, receive, lent, places, type, root), lent, places);
  }

  @Override
  public void scatter(MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    complete(comm.iscatter(send, receive, type, count, root));
  }

  @Override
  public void scatterV(
      MemorySegment send,
      long[] counts,
      long[] displacements,
      MemorySegment receive,
      long receiveCount,
      DType type,
      int root) {
    long[] lent = counts.clone();
    long[] places = displacements.clone();
    complete(comm.iscatterV(send, lent, places, receive, receiveCount, type, root), lent, places);
  }

  @Override
  public void allGather(MemorySegment send, MemorySegment receive, DType type, long count) {
    complete(comm.iallGather(send, receive, type, count));
  }

  @Override
  public void allGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type) {
    long[] lent = counts.clone();
    long[] places = displacements.clone();
    complete(comm.iallGatherV(send, sendCount, receive, lent, places, type), lent, places);
  }

  @Override
  public void allToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    complete(comm.iallToAll(send, receive, type, count));
  }

  @Override
  public void allToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    long[][] lent = {
      sendCounts.clone(),
      sendDisplacements.clone(),
      receiveCounts.clone(),
      receiveDisplacements.clone()
    };
    complete(comm.iallToAllV(send, lent[0], lent[1], receive, lent[2], lent[3], type), lent);
  }

  @Override
  public void reduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op, int root) {
    complete(comm.ireduce(send, receive, type, count, op, root));
  }

  @Override
  public void allReduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    complete(comm.iallReduce(send, receive, type, count, op));
  }

  @Override
  public void scan(MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    complete(comm.iscan(send, receive, type, count, op));
  }

  @Override
  public void exscan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    complete(comm.iexscan(send, receive, type, count, op));
  }

  @Override
  public void reduceScatter(
      MemorySegment send, MemorySegment receive, DType type, long[] counts, ReduceOp op) {
    long[] lent = counts.clone();
    complete(comm.ireduceScatter(send, receive, type, lent, op), lent);
  }
}
