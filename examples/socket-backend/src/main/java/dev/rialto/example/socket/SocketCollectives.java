package dev.rialto.example.socket;

import dev.rialto.example.socket.Exchange.Edge;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Collectives, all of them the same {@link #exchange}: a block, or none, to each rank and from
 * each. They are begun and awaited; a blocking call is both.
 *
 * <p>Nothing is forwarded, so the root of a broadcast sends n-1 messages one after another where a
 * tree would take log n steps. Each operation has a tag of its own: a rank that is one operation
 * ahead cannot be mistaken.
 */
abstract class SocketCollectives extends SocketMessages {
  private final AtomicInteger operations = new AtomicInteger();
  private final AtomicInteger pending = new AtomicInteger();

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

  /** Sends blocks at once; what is returned waits for the others' blocks. */
  final Request begin(List<Edge> outgoing, List<Edge> incoming) {
    int tag = nextTag();
    for (Edge edge : outgoing) {
      transmit(edge.rank(), tag, edge.block());
    }
    return new Exchange(mailbox, group, tag, incoming, pending);
  }

  /** Begins an exchange with all ranks: a block, or none, to each and from each. */
  private Request exchange(
      IntFunction<@Nullable MemorySegment> outgoing,
      IntFunction<@Nullable MemorySegment> incoming) {
    return begin(edges(outgoing), edges(incoming));
  }

  private List<Edge> edges(IntFunction<@Nullable MemorySegment> blocks) {
    List<Edge> edges = new ArrayList<>();
    for (int rank = 0; rank < size(); rank++) {
      MemorySegment block = blocks.apply(rank);
      if (block != null) {
        edges.add(new Edge(rank, block));
      }
    }
    return edges;
  }

  /** Notes that something was made from this communicator, which must be closed before it. */
  final void opened() {
    pending.incrementAndGet();
  }

  /** Notes that something made from this communicator was closed. */
  final void closed() {
    pending.decrementAndGet();
  }

  /** Returns how many exchanges and topologies are open. */
  final int pending() {
    return pending.get();
  }

  @Override
  public void barrier() {
    ibarrier().await();
  }

  @Override
  public Request ibarrier() {
    return exchange(_ -> MemorySegment.NULL, _ -> MemorySegment.NULL);
  }

  @Override
  public void broadcast(MemorySegment buffer, DType type, long count, int root) {
    ibroadcast(buffer, type, count, root).await();
  }

  @Override
  public Request ibroadcast(MemorySegment buffer, DType type, long count, int root) {
    Arguments.rank(root, size(), "root");
    boolean isRoot = rank() == root;
    MemorySegment block = isRoot ? toSend(buffer, type, count) : toReceive(buffer, type, count);
    return exchange(
        to -> isRoot && to != root ? block : null, from -> !isRoot && from == root ? block : null);
  }

  @Override
  public void gather(MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    igather(send, receive, type, count, root).await();
  }

  @Override
  public Request igather(
      MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    return igatherV(send, count, receive, same(count), packed(count), type, root);
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
    igatherV(send, sendCount, receive, counts, displacements, type, root).await();
  }

  @Override
  public Request igatherV(
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
    return exchange(
        to -> to == root ? mine : null,
        from -> isRoot ? block(receive, type, counts, displacements, from) : null);
  }

  @Override
  public void scatter(MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    iscatter(send, receive, type, count, root).await();
  }

  @Override
  public Request iscatter(
      MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    return iscatterV(send, same(count), packed(count), receive, count, type, root);
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
    iscatterV(send, counts, displacements, receive, receiveCount, type, root).await();
  }

  @Override
  public Request iscatterV(
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
    return exchange(
        to -> isRoot ? block(send, type, counts, displacements, to) : null,
        from -> from == root ? mine : null);
  }

  @Override
  public void allGather(MemorySegment send, MemorySegment receive, DType type, long count) {
    iallGather(send, receive, type, count).await();
  }

  @Override
  public Request iallGather(MemorySegment send, MemorySegment receive, DType type, long count) {
    return iallGatherV(send, count, receive, same(count), packed(count), type);
  }

  @Override
  public void allGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type) {
    iallGatherV(send, sendCount, receive, counts, displacements, type).await();
  }

  @Override
  public Request iallGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type) {
    MemorySegment mine = toSend(send, type, sendCount);
    checkReceived(receive, type, counts, displacements);
    return exchange(_ -> mine, from -> block(receive, type, counts, displacements, from));
  }

  @Override
  public void allToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    iallToAll(send, receive, type, count).await();
  }

  @Override
  public Request iallToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    Arguments.buffer(send, type, count, "send buffer");
    return iallToAllV(send, same(count), packed(count), receive, same(count), packed(count), type);
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
    iallToAllV(
            send, sendCounts, sendDisplacements, receive, receiveCounts, receiveDisplacements, type)
        .await();
  }

  @Override
  public Request iallToAllV(
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
    return exchange(
        to -> block(send, type, sendCounts, sendDisplacements, to),
        from -> block(receive, type, receiveCounts, receiveDisplacements, from));
  }

  @Override
  public Topology topology(int[] sources, int[] targets) {
    mailbox.check(group);
    return new SocketTopology(this, sources, targets);
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
