package dev.rialto.spi.parts.messages;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import dev.rialto.system.HostMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Collectives, reductions and topologies of a communicator that has messages only.
 *
 * <p>Each is an exchange: a block, or none, to each rank and from each. Nothing is forwarded, so
 * the root of a broadcast sends n-1 messages where a tree would take log n steps; a backend that
 * has something faster handles that case of {@link #run} or {@link #start} itself. Each operation
 * has a tag of its own: a rank that is one operation ahead cannot be mistaken.
 */
public final class MessageCollectives implements Collectives {
  /**
   * A block, and the rank that it goes to or comes from.
   *
   * @param rank the other end
   * @param block the bytes
   */
  record Edge(int rank, MemorySegment block) {}

  private final PointToPoint messages;
  private final MessageReductions reductions;
  private final AtomicInteger operations = new AtomicInteger();
  private final AtomicInteger open = new AtomicInteger();

  /**
   * Makes the collectives of a communicator.
   *
   * @param messages non-blocking messages between its ranks that nothing else uses and that do not
   *     mix with the communicator's own
   */
  public MessageCollectives(PointToPoint messages) {
    this.messages = messages;
    this.reductions = new MessageReductions(this, messages);
  }

  /** Returns how many collectives and topologies are not complete or not closed. */
  public int open() {
    return open.get();
  }

  void opened() {
    open.incrementAndGet();
  }

  void closed() {
    open.decrementAndGet();
  }

  String where() {
    return "rank " + messages.rank() + " of " + messages.size() + " of " + messages.name();
  }

  int size() {
    return messages.size();
  }

  @Override
  public String name() {
    return messages.name();
  }

  @Override
  public Request start(Collective collective) {
    return switch (collective) {
      case Collective.Barrier() ->
          exchange(DType.I8, _ -> MemorySegment.NULL, _ -> MemorySegment.NULL);
      case Collective.Broadcast it -> broadcast(it);
      case Collective.Gather it -> gather(it);
      case Collective.GatherV it -> gather(it);
      case Collective.Scatter it -> scatter(it);
      case Collective.ScatterV it -> scatter(it);
      case Collective.AllGather it -> allGather(it);
      case Collective.AllGatherV it -> allGather(it);
      case Collective.AllToAll it -> allToAll(it);
      case Collective.AllToAllV it -> allToAll(it);
      case Collective.Reduction it -> reductions.start(it);
    };
  }

  @Override
  public PersistentRequest prepare(Collective collective) {
    String name = collective.getClass().getSimpleName();
    return new RepeatedRequest("a persistent " + name, () -> start(collective));
  }

  /** Makes a topology; see {@link dev.rialto.spi.comm.Communicator#topology}. */
  public Topology topology(int[] sources, int[] targets) {
    Topology topology = new MessageTopology(this, sources, targets);
    var _ = start(new Collective.Barrier()).await();
    return topology;
  }

  /** Begins an exchange with all ranks: a block, or none, to each and from each. */
  private Request exchange(
      DType type,
      IntFunction<@Nullable MemorySegment> outgoing,
      IntFunction<@Nullable MemorySegment> incoming) {
    return begin(type, edges(outgoing), edges(incoming));
  }

  List<Edge> edges(IntFunction<@Nullable MemorySegment> blocks) {
    List<Edge> edges = new ArrayList<>();
    for (int rank = 0; rank < messages.size(); rank++) {
      MemorySegment block = blocks.apply(rank);
      if (block != null) {
        edges.add(new Edge(rank, block));
      }
    }
    return edges;
  }

  /** Begins to send and to receive blocks. */
  Request begin(DType type, List<Edge> outgoing, List<Edge> incoming) {
    int tag = nextTag();
    MessageExchange exchange = new MessageExchange(this);
    try {
      for (Edge edge : incoming) {
        MemorySegment block = edge.block();
        exchange.receive(receive(block, type, edge.rank(), tag), edge.rank(), block.byteSize());
      }
      send(exchange, outgoing, type, tag);
      return exchange;
    } catch (RuntimeException e) {
      throw exchange.broken(e);
    }
  }

  /** Returns the tag of the next operation, the same on all ranks. */
  int nextTag() {
    return operations.getAndIncrement() & 0x7fff;
  }

  Request receive(MemorySegment block, DType type, int source, int tag) {
    return messages.ireceive(block, type, block.byteSize() / type.size(), source, tag);
  }

  void send(MessageExchange exchange, List<Edge> outgoing, DType type, int tag) {
    for (Edge edge : outgoing) {
      long count = edge.block().byteSize() / type.size();
      exchange.send(messages.isend(edge.block(), type, count, edge.rank(), tag));
    }
  }

  private Request broadcast(Collective.Broadcast it) {
    int root = it.root();
    Arguments.rank(root, messages.size(), "root");
    boolean isRoot = messages.rank() == root;
    MemorySegment block =
        isRoot
            ? toSend(it.buffer(), it.type(), it.count())
            : toReceive(it.buffer(), it.type(), it.count());
    return exchange(
        it.type(),
        to -> isRoot && to != root ? block : null,
        from -> !isRoot && from == root ? block : null);
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
    Arguments.rank(root, messages.size(), "root");
    boolean isRoot = messages.rank() == root;
    MemorySegment mine = toSend(it.send(), it.type(), it.sendCount());
    if (isRoot) {
      checkReceived(it.receive(), it.type(), it.counts(), it.displacements());
    }
    it.refuseOverlap(messages.rank(), messages.size());
    return exchange(
        it.type(),
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
    Arguments.rank(root, messages.size(), "root");
    boolean isRoot = messages.rank() == root;
    MemorySegment mine = toReceive(it.receive(), it.type(), it.receiveCount());
    if (isRoot) {
      checkSent(it.send(), it.type(), it.counts(), it.displacements());
    }
    it.refuseOverlap(messages.rank(), messages.size());
    return exchange(
        it.type(),
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
    it.refuseOverlapAlong(messages.size(), messages.size());
    return exchange(
        it.type(),
        _ -> mine,
        from -> block(it.receive(), it.type(), it.counts(), it.displacements(), from));
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
    it.refuseOverlapAlong(messages.size(), messages.size());
    return exchange(
        it.type(),
        to -> block(it.send(), it.type(), it.sendCounts(), it.sendDisplacements(), to),
        from ->
            block(it.receive(), it.type(), it.receiveCounts(), it.receiveDisplacements(), from));
  }

  /** Checks a buffer to be read and returns what of it will be. */
  static MemorySegment toSend(MemorySegment buffer, DType type, long count) {
    long bytes = Arguments.buffer(buffer, type, count, "send buffer");
    HostMemory.requireReadable(buffer, bytes, "send buffer");
    return buffer.asSlice(0, bytes);
  }

  /** Checks a buffer to be written and returns what of it can be. */
  static MemorySegment toReceive(MemorySegment buffer, DType type, long count) {
    long bytes = Arguments.buffer(buffer, type, count, "receive buffer");
    HostMemory.requireWritable(buffer, bytes, "receive buffer");
    return buffer.asSlice(0, bytes);
  }

  void checkSent(MemorySegment send, DType type, long[] counts, long[] displacements) {
    Arguments.blocks(send, type, counts, displacements, messages.size(), "send buffer");
    HostMemory.requireReadable(send, 0, "send buffer");
  }

  private void checkReceived(
      MemorySegment receive, DType type, long[] counts, long[] displacements) {
    Arguments.writtenBlocks(
        receive, type, counts, displacements, messages.size(), "receive buffer");
    HostMemory.requireWritable(receive, receive.byteSize(), "receive buffer");
  }

  /** Returns block {@code i} of a buffer; an empty one may lie anywhere. */
  static MemorySegment block(
      MemorySegment buffer, DType type, long[] counts, long[] displacements, int i) {
    return counts[i] == 0
        ? MemorySegment.NULL
        : buffer.asSlice(type.bytes(displacements[i]), type.bytes(counts[i]));
  }

  /** Allocates memory for a message, on the heap where messages may lie there. */
  static MemorySegment room(PointToPoint messages, long bytes) {
    if (!messages.capabilities().contains(Capability.HEAP_BUFFERS)) {
      return Arena.ofAuto().allocate(Math.max(bytes, 1), 64).asSlice(0, bytes);
    }
    return MemorySegment.ofArray(new long[Math.toIntExact((bytes + 7) / 8)]).asSlice(0, bytes);
  }

  private long[] same(long count) {
    return same(messages.size(), count);
  }

  private long[] packed(long count) {
    return packed(messages.size(), count);
  }

  /** Returns the counts of blocks of equal length. */
  static long[] same(int blocks, long count) {
    long[] counts = new long[blocks];
    Arrays.fill(counts, count);
    return counts;
  }

  /** Returns where blocks of equal length begin that lie one after another. */
  static long[] packed(int blocks, long count) {
    long[] starts = new long[blocks];
    Arrays.setAll(starts, i -> i * count);
    return starts;
  }
}
