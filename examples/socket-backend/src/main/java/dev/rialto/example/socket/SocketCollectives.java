package dev.rialto.example.socket;

import dev.rialto.example.socket.Exchange.Edge;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.memory.HostMemory;
import dev.rialto.spi.parts.RepeatedRequest;
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
 * each. They are begun; the blocking forms are the SPI's, which begin and await.
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
  public Request start(Collective collective) {
    return switch (collective) {
      case Collective.Barrier() -> exchange(_ -> MemorySegment.NULL, _ -> MemorySegment.NULL);
      case Collective.Broadcast it -> broadcast(it);
      case Collective.Gather it -> gather(it);
      case Collective.GatherV it -> gather(it);
      case Collective.Scatter it -> scatter(it);
      case Collective.ScatterV it -> scatter(it);
      case Collective.AllGather it -> allGather(it);
      case Collective.AllGatherV it -> allGather(it);
      case Collective.AllToAll it -> allToAll(it);
      case Collective.AllToAllV it -> allToAll(it);
      case Collective.Reduction _ -> throw Capability.NON_BLOCKING_REDUCTIONS.unsupported(name());
    };
  }

  @Override
  public PersistentRequest prepare(Collective collective) {
    mailbox.check(group);
    return new RepeatedRequest("a collective", () -> start(collective));
  }

  private Request broadcast(Collective.Broadcast it) {
    int root = it.root();
    Arguments.rank(root, size(), "root");
    boolean isRoot = rank() == root;
    MemorySegment block =
        isRoot
            ? toSend(it.buffer(), it.type(), it.count())
            : toReceive(it.buffer(), it.type(), it.count());
    return exchange(
        to -> isRoot && to != root ? block : null, from -> !isRoot && from == root ? block : null);
  }

  private Request gather(Collective.Gather it) {
    long[] counts = same(it.count());
    long[] starts = packed(it.count());
    return gather(
        new Collective.GatherV(
            it.send(), it.count(), it.receive(), counts, starts, it.type(), it.root()));
  }

  private Request gather(Collective.GatherV it) {
    int root = it.root();
    Arguments.rank(root, size(), "root");
    boolean isRoot = rank() == root;
    MemorySegment mine = toSend(it.send(), it.type(), it.sendCount());
    if (isRoot) {
      checkReceived(it.receive(), it.type(), it.counts(), it.displacements());
    }
    return exchange(
        to -> to == root ? mine : null,
        from ->
            isRoot ? block(it.receive(), it.type(), it.counts(), it.displacements(), from) : null);
  }

  private Request scatter(Collective.Scatter it) {
    long[] counts = same(it.count());
    long[] starts = packed(it.count());
    return scatter(
        new Collective.ScatterV(
            it.send(), counts, starts, it.receive(), it.count(), it.type(), it.root()));
  }

  private Request scatter(Collective.ScatterV it) {
    int root = it.root();
    Arguments.rank(root, size(), "root");
    boolean isRoot = rank() == root;
    MemorySegment mine = toReceive(it.receive(), it.type(), it.receiveCount());
    if (isRoot) {
      checkSent(it.send(), it.type(), it.counts(), it.displacements());
    }
    return exchange(
        to -> isRoot ? block(it.send(), it.type(), it.counts(), it.displacements(), to) : null,
        from -> from == root ? mine : null);
  }

  private Request allGather(Collective.AllGather it) {
    long[] counts = same(it.count());
    long[] starts = packed(it.count());
    return allGather(
        new Collective.AllGatherV(it.send(), it.count(), it.receive(), counts, starts, it.type()));
  }

  private Request allGather(Collective.AllGatherV it) {
    MemorySegment mine = toSend(it.send(), it.type(), it.sendCount());
    checkReceived(it.receive(), it.type(), it.counts(), it.displacements());
    return exchange(
        _ -> mine, from -> block(it.receive(), it.type(), it.counts(), it.displacements(), from));
  }

  private Request allToAll(Collective.AllToAll it) {
    Arguments.buffer(it.send(), it.type(), it.count(), "send buffer");
    long[] counts = same(it.count());
    long[] starts = packed(it.count());
    return allToAll(
        new Collective.AllToAllV(
            it.send(), counts, starts, it.receive(), counts, starts, it.type()));
  }

  private Request allToAll(Collective.AllToAllV it) {
    checkSent(it.send(), it.type(), it.sendCounts(), it.sendDisplacements());
    checkReceived(it.receive(), it.type(), it.receiveCounts(), it.receiveDisplacements());
    return exchange(
        to -> block(it.send(), it.type(), it.sendCounts(), it.sendDisplacements(), to),
        from ->
            block(it.receive(), it.type(), it.receiveCounts(), it.receiveDisplacements(), from));
  }

  @Override
  public Topology topology(int[] sources, int[] targets) {
    mailbox.check(group);
    return new SocketTopology(this, sources, targets);
  }

  private void checkSent(MemorySegment send, DType type, long[] counts, long[] displacements) {
    Arguments.blocks(send, type, counts, displacements, size(), "send buffer");
    HostMemory.requireReadable(send, 0, "send buffer");
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
