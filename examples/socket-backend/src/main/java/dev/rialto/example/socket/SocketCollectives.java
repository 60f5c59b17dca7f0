package dev.rialto.example.socket;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Collectives, all of them the same {@link #exchange}: a block, or none, to each rank and from
 * each.
 *
 * <p>Nothing is forwarded, so the root of a broadcast sends n-1 messages one after another where a
 * tree would take log n steps. Each operation has a tag of its own: a rank that is one operation
 * ahead cannot be mistaken.
 */
abstract class SocketCollectives extends SocketMessages {
  private final AtomicInteger operations = new AtomicInteger();

  SocketCollectives(Switchboard board, Group group) {
    super(board, group);
  }

  /** Returns the tag of the next operation, the same on all ranks and none that a user can give. */
  final int nextTag() {
    return -2 - (operations.getAndIncrement() & 0x3fff_ffff);
  }

  /** Sends each rank the block that is for it; null for none. */
  final void sendBlocks(int tag, IntFunction<@Nullable MemorySegment> outgoing) {
    for (int target = 0; target < size(); target++) {
      MemorySegment block = outgoing.apply(target);
      if (block != null) {
        transmit(target, tag, block);
      }
    }
  }

  /** Waits for the block that another rank has sent. */
  final MemorySegment takeBlock(int tag, int source, long bytes) {
    Frame frame =
        mailbox.await(group, source, () -> mailbox.take(group, source, tag), Mailbox.FOREVER);
    MemorySegment block = Objects.requireNonNull(frame).payload();
    if (block.byteSize() != bytes) {
      throw new MismatchException(
          "rank " + source + " sent " + block.byteSize() + " bytes, not " + bytes,
          group.where(),
          "call the same collective with the same count on all ranks",
          null);
    }
    return block;
  }

  private void exchange(
      IntFunction<@Nullable MemorySegment> outgoing,
      IntFunction<@Nullable MemorySegment> incoming) {
    int tag = nextTag();
    sendBlocks(tag, outgoing);
    for (int source = 0; source < size(); source++) {
      MemorySegment block = incoming.apply(source);
      if (block != null) {
        block.copyFrom(takeBlock(tag, source, block.byteSize()));
      }
    }
  }

  @Override
  public void barrier() {
    exchange(_ -> MemorySegment.NULL, _ -> MemorySegment.NULL);
  }

  @Override
  public void broadcast(MemorySegment buffer, DType type, long count, int root) {
    Arguments.rank(root, size(), "root");
    boolean isRoot = rank() == root;
    MemorySegment block = isRoot ? toSend(buffer, type, count) : toReceive(buffer, type, count);
    exchange(
        to -> isRoot && to != root ? block : null, from -> !isRoot && from == root ? block : null);
  }

  @Override
  public void gather(MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    gatherV(send, count, receive, same(count), packed(count), type, root);
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
    Arguments.rank(root, size(), "root");
    boolean isRoot = rank() == root;
    MemorySegment mine = toSend(send, type, sendCount);
    if (isRoot) {
      checkReceived(receive, type, counts, displacements);
    }
    exchange(
        to -> to == root ? mine : null,
        from -> isRoot ? block(receive, type, counts, displacements, from) : null);
  }

  @Override
  public void scatter(MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    scatterV(send, same(count), packed(count), receive, count, type, root);
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
    Arguments.rank(root, size(), "root");
    boolean isRoot = rank() == root;
    MemorySegment mine = toReceive(receive, type, receiveCount);
    if (isRoot) {
      Arguments.blocks(send, type, counts, displacements, size(), "send buffer");
      HostMemory.requireReadable(send, 0, "send buffer");
    }
    exchange(
        to -> isRoot ? block(send, type, counts, displacements, to) : null,
        from -> from == root ? mine : null);
  }

  @Override
  public void allGather(MemorySegment send, MemorySegment receive, DType type, long count) {
    allGatherV(send, count, receive, same(count), packed(count), type);
  }

  @Override
  public void allGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type) {
    MemorySegment mine = toSend(send, type, sendCount);
    checkReceived(receive, type, counts, displacements);
    exchange(_ -> mine, from -> block(receive, type, counts, displacements, from));
  }

  @Override
  public void allToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    Arguments.buffer(send, type, count, "send buffer");
    allToAllV(send, same(count), packed(count), receive, same(count), packed(count), type);
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
    Arguments.blocks(send, type, sendCounts, sendDisplacements, size(), "send buffer");
    HostMemory.requireReadable(send, 0, "send buffer");
    checkReceived(receive, type, receiveCounts, receiveDisplacements);
    exchange(
        to -> block(send, type, sendCounts, sendDisplacements, to),
        from -> block(receive, type, receiveCounts, receiveDisplacements, from));
  }

  private void checkReceived(
      MemorySegment receive, DType type, long[] counts, long[] displacements) {
    Arguments.blocks(receive, type, counts, displacements, size(), "receive buffer");
    HostMemory.requireWritable(receive, receive.byteSize(), "receive buffer");
  }

  /** Returns block {@code i} of a buffer; an empty one may lie anywhere. */
  static MemorySegment block(
      MemorySegment buffer, DType type, long[] counts, long[] displacements, int i) {
    return counts[i] == 0
        ? MemorySegment.NULL
        : buffer.asSlice(type.bytes(displacements[i]), type.bytes(counts[i]));
  }

  private long[] same(long count) {
    long[] counts = new long[size()];
    Arrays.fill(counts, count);
    return counts;
  }

  private long[] packed(long count) {
    long[] displacements = new long[size()];
    Arrays.setAll(displacements, i -> i * count);
    return displacements;
  }
}
