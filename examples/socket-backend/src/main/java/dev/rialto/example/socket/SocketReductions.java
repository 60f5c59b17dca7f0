package dev.rialto.example.socket;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reductions, all of them the same {@link #fold}: whoever needs a result gets the contributions and
 * combines them itself, in rank order.
 *
 * <p>That is n messages to each rank where a tree needs log n, but every rank computes the same
 * bits from the same values, and an operator that throws does so on all ranks that use it, which
 * leaves none waiting.
 */
abstract class SocketReductions extends SocketCollectives {
  SocketReductions(Switchboard board, Group group) {
    super(board, group);
  }

  @Override
  public void reduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op, int root) {
    Arguments.rank(root, size(), "root");
    MemorySegment mine = toSend(send, type, count);
    fold(to -> to == root ? mine : null, rank() == root ? size() : 0, receive, type, count, op);
  }

  @Override
  public void allReduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    MemorySegment mine = toSend(send, type, count);
    fold(_ -> mine, size(), receive, type, count, op);
  }

  @Override
  public void scan(MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    MemorySegment mine = toSend(send, type, count);
    fold(to -> to >= rank() ? mine : null, rank() + 1, receive, type, count, op);
  }

  @Override
  public void exscan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    MemorySegment mine = toSend(send, type, count);
    toReceive(receive, type, count);
    fold(to -> to > rank() ? mine : null, rank(), receive, type, count, op);
  }

  @Override
  public void reduceScatter(
      MemorySegment send, MemorySegment receive, DType type, long[] counts, ReduceOp op) {
    Arguments.perRank(counts.length, size(), "counts");
    long[] displacements = new long[size()];
    for (int i = 1; i < size(); i++) {
      displacements[i] = displacements[i - 1] + counts[i - 1];
    }
    Arguments.blocks(send, type, counts, displacements, size(), "send buffer");
    HostMemory.requireReadable(send, 0, "send buffer");
    fold(
        to -> block(send, type, counts, displacements, to),
        size(),
        receive,
        type,
        counts[rank()],
        op);
  }

  /**
   * Sends this rank's contributions and combines those of the first {@code contributors} ranks.
   *
   * @param outgoing what each rank gets of this one's elements; null for nothing
   * @param receive where the result goes, if there are contributors
   */
  private void fold(
      IntFunction<@Nullable MemorySegment> outgoing,
      int contributors,
      MemorySegment receive,
      DType type,
      long count,
      ReduceOp op) {
    Arguments.reduction(op, type);
    if (op instanceof ReduceOp.Builtin && (type == DType.F16 || type == DType.BF16)) {
      throw Capability.HALF_REDUCTIONS.unsupported(name());
    }
    MemorySegment result = contributors == 0 ? MemorySegment.NULL : toReceive(receive, type, count);
    int tag = nextTag();
    sendBlocks(tag, outgoing);
    MemorySegment left = null;
    for (int source = 0; source < contributors; source++) {
      MemorySegment right = takeBlock(tag, source, type.bytes(count));
      if (left != null && count > 0) {
        combine(op, left, right, type, count);
      }
      left = right;
    }
    if (left != null) {
      result.copyFrom(left);
    }
  }

  private static void combine(
      ReduceOp op, MemorySegment left, MemorySegment right, DType type, long count) {
    switch (op) {
      case ReduceOp.Builtin builtin -> Elements.combine(builtin, left, right, type, count);
      case ReduceOp.User user -> user.function().combine(left, right, type, count);
    }
  }
}
