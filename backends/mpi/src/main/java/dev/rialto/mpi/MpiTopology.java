package dev.rialto.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A graph of neighbours as the library knows it, with a communicator of its own. */
final class MpiTopology implements Topology {
  private static final class Functions {
    static final MethodHandle CREATE = Mpi.function("MPI_Dist_graph_create_adjacent", "hippipphip");
    static final MethodHandle ALLGATHER = Mpi.collective("Neighbor_allgather", "pihpihh");
    static final MethodHandle ALLGATHERV = Mpi.collective("Neighbor_allgatherv", "pihppphh");
    static final MethodHandle ALLTOALL = Mpi.collective("Neighbor_alltoall", "pihpihh");
    static final MethodHandle ALLTOALLV = Mpi.collective("Neighbor_alltoallv", "ppphppphh");
    static final Optional<MethodHandle> ALLTOALLV_INIT =
        Mpi.optional("ppphppphhhp", "MPI_Neighbor_alltoallv_init", "MPIX_Neighbor_alltoallv_init");
  }

  private final MpiGroup group;
  private final long handle;
  private final int[] sources;
  private final int[] targets;

  private final @Nullable NeighborAgreement agreement;

  /** Whether the library must not be given blocks of equal length as such, on all ranks alike. */
  private final boolean swapping;

  private EqualBlocks last = new EqualBlocks(-1, 0, 0);
  private boolean closed;

  private MpiTopology(MpiGroup group, long handle, int[] sources, int[] targets, boolean swapping) {
    this.group = group;
    this.handle = handle;
    this.sources = sources.clone();
    this.targets = targets.clone();
    this.swapping = swapping;
    this.agreement =
        Job.CHECKED && group.size() > 1
            ? new NeighborAgreement(group, handle, this.sources, this.targets)
            : null;
    group.began();
  }

  static MpiTopology make(MpiGroup group, int[] sources, int[] targets) {
    long out = Scratch.get().out();
    try (Arena arena = Arena.ofConfined()) {
      int code =
          Native.call(
              Functions.CREATE,
              group.handle(),
              sources.length,
              arena.allocateFrom(JAVA_INT, sources).address(),
              Mpi.CONSTANTS.unweighted(),
              targets.length,
              arena.allocateFrom(JAVA_INT, targets).address(),
              Mpi.CONSTANTS.unweighted(),
              Mpi.INFO_NULL,
              0,
              out);
      group.check(code, new Operation("topology", 0));
    }
    long handle = Mpi.getHandle(out);
    Job.returnErrors(handle);
    boolean swapping = Mpi.LIBRARY.swapsRepeatedNeighbors() && anyRepeated(group, sources, targets);
    return new MpiTopology(group, handle, sources, targets, swapping);
  }

  /** Returns whether on any rank a neighbour is listed twice. */
  private static boolean anyRepeated(MpiGroup group, int[] sources, int[] targets) {
    boolean here = isRepeated(sources) || isRepeated(targets);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment any = arena.allocateFrom(JAVA_INT, here ? 1 : 0);
      group.allReduce(any, any, DType.I32, 1, ReduceOp.MAX);
      return any.get(JAVA_INT, 0) != 0;
    }
  }

  private static boolean isRepeated(int[] ranks) {
    return Arrays.stream(ranks).distinct().count() < ranks.length;
  }

  @Override
  public int[] sources() {
    return sources.clone();
  }

  @Override
  public int[] targets() {
    return targets.clone();
  }

  @Override
  public void neighborAllGather(MemorySegment send, MemorySegment receive, DType type, long count) {
    MpiGroup.holding(send, receive, () -> allGather(true, send, receive, type, count).await());
  }

  @Override
  public Request ineighborAllGather(
      MemorySegment send, MemorySegment receive, DType type, long count) {
    return allGather(false, send, receive, type, count);
  }

  private Request allGather(
      boolean wait, MemorySegment send, MemorySegment receive, DType type, long count) {
    long comm = handle();
    long bytes = Buffers.readable(send, type, count, "send");
    checkReceive(send, bytes, receive, type, count);
    var agreed =
        agree(wait, Signature.of(CollectiveKind.NEIGHBOR_ALL_GATHER, type, count), null, null);
    long request = request(wait);
    int code = BlockCalls.equal(Functions.ALLGATHER, send, receive, bytes, comm, request);
    return group.finish(agreed, code, request, "neighborAllGather", -1, bytes, send, receive, this);
  }

  @Override
  public void neighborAllGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    long comm = handle();
    long bytes = Buffers.readable(send, type, sendCount, "send");
    int parties = sources.length;
    BlockTable.writable(receive, type, receiveCounts, receiveDisplacements, parties, "receive");
    agree(
        true,
        Signature.of(CollectiveKind.NEIGHBOR_ALL_GATHER_V, type, sendCount),
        null,
        receiveCounts);
    long request = request(true);
    MemorySegment memory = BlockTable.memory(0, parties);
    BlockTable table = BlockTable.first(memory, type, receiveCounts, receiveDisplacements);
    int code =
        BlockCalls.gathered(Functions.ALLGATHERV, send, bytes, receive, table, comm, request);
    group
        .finish(null, code, request, "neighborAllGatherV", -1, bytes, send, receive, memory)
        .await();
  }

  @Override
  public void neighborAllToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    MpiGroup.holding(send, receive, () -> allToAll(true, send, receive, type, count).await());
  }

  @Override
  public Request ineighborAllToAll(
      MemorySegment send, MemorySegment receive, DType type, long count) {
    return allToAll(false, send, receive, type, count);
  }

  private Request allToAll(
      boolean wait, MemorySegment send, MemorySegment receive, DType type, long count) {
    long comm = handle();
    long bytes = type.bytes(count);
    long all = Buffers.readable(send, type, Buffers.blocks(count, targets.length), "send");
    checkReceive(send, all, receive, type, count);
    if (swapping) {
      EqualBlocks equal = equalBlocks(count);
      return allToAllV(
          CollectiveKind.NEIGHBOR_ALL_TO_ALL,
          wait,
          send,
          equal.sendCounts,
          equal.sendStarts,
          receive,
          equal.receiveCounts,
          equal.receiveStarts,
          type);
    }
    var agreed =
        agree(wait, Signature.of(CollectiveKind.NEIGHBOR_ALL_TO_ALL, type, count), null, null);
    long request = request(wait);
    int code = BlockCalls.equal(Functions.ALLTOALL, send, receive, bytes, comm, request);
    return group.finish(agreed, code, request, "neighborAllToAll", -1, bytes, send, receive, this);
  }

  @Override
  public void neighborAllToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    MpiGroup.holding(
        send,
        receive,
        () ->
            allToAllV(
                    CollectiveKind.NEIGHBOR_ALL_TO_ALL_V,
                    true,
                    send,
                    sendCounts,
                    sendDisplacements,
                    receive,
                    receiveCounts,
                    receiveDisplacements,
                    type)
                .await());
  }

  @Override
  public Request ineighborAllToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    return allToAllV(
        CollectiveKind.NEIGHBOR_ALL_TO_ALL_V,
        false,
        send,
        sendCounts,
        sendDisplacements,
        receive,
        receiveCounts,
        receiveDisplacements,
        type);
  }

  private Request allToAllV(
      CollectiveKind which,
      boolean wait,
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    long comm = handle();
    checkBlocks(
        send, sendCounts, sendDisplacements, receive, receiveCounts, receiveDisplacements, type);
    var agreed = agree(wait, Signature.of(which, type, 0), sendCounts, receiveCounts);
    long request = request(wait);
    MemorySegment memory = BlockTable.memory(wait ? 0 : request, parties());
    int code =
        BlockCalls.varied(
            Functions.ALLTOALLV,
            send,
            BlockTable.first(memory, type, sendCounts, sendDisplacements),
            receive,
            BlockTable.second(memory, parties(), type, receiveCounts, receiveDisplacements),
            comm,
            request);
    return group.finish(
        agreed, code, request, which.toString(), -1, send.byteSize(), send, receive, memory);
  }

  @Override
  public PersistentRequest persistentNeighborAllToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    long comm = handle();
    checkBlocks(
        send, sendCounts, sendDisplacements, receive, receiveCounts, receiveDisplacements, type);
    agree(
        true,
        Signature.of(CollectiveKind.PERSISTENT_NEIGHBOR_ALL_TO_ALL_V, type, 0),
        sendCounts,
        receiveCounts);
    long request = group.request(false);
    MemorySegment memory = BlockTable.memory(request, parties());
    BlockTable sent = BlockTable.first(memory, type, sendCounts, sendDisplacements);
    BlockTable received =
        BlockTable.second(memory, parties(), type, receiveCounts, receiveDisplacements);
    long[][] blocks = {
      sendCounts.clone(),
      sendDisplacements.clone(),
      receiveCounts.clone(),
      receiveDisplacements.clone()
    };
    return group.persistent(
        Functions.ALLTOALLV_INIT.map(
            init -> BlockCalls.variedInit(init, send, sent, receive, received, comm, request)),
        () -> ineighborAllToAllV(send, blocks[0], blocks[1], receive, blocks[2], blocks[3], type),
        new Operation("persistent neighborAllToAllV", send.byteSize()),
        send,
        receive,
        memory);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      group.ended();
      if (!group.job().watch().failed()) {
        Job.free(handle);
      }
    }
  }

  private long handle() {
    if (closed) {
      throw new IllegalStateException("the topology is closed");
    }
    return handle;
  }

  /** Begins to make sure that neighbours call the same; for a call that waits, does so. */
  private @Nullable SignatureExchange agree(
      boolean wait, Signature mine, long @Nullable [] sent, long @Nullable [] expected) {
    if (agreement == null) {
      return null;
    }
    SignatureExchange exchange = agreement.begin(mine, sent, expected);
    if (wait) {
      exchange.await();
      return null;
    }
    return exchange;
  }

  /**
   * Returns where the library is to leave a request, as {@link MpiGroup#request}. Neighbours may
   * have found that this rank disagrees with them, so it does not wait inside of the library.
   */
  private long request(boolean wait) {
    return agreement == null ? group.request(wait) : Scratch.get().request();
  }

  private EqualBlocks equalBlocks(long count) {
    EqualBlocks blocks = last;
    if (blocks.count != count) {
      blocks = new EqualBlocks(count, targets.length, sources.length);
      last = blocks;
    }
    return blocks;
  }

  private int parties() {
    return Math.max(sources.length, targets.length);
  }

  private void checkReceive(
      MemorySegment send, long bytes, MemorySegment receive, DType type, long count) {
    long blocks = Buffers.blocks(count, sources.length);
    Buffers.disjoint(send, bytes, receive, Buffers.writable(receive, type, blocks, "receive"));
  }

  private void checkBlocks(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    BlockTable.readable(send, type, sendCounts, sendDisplacements, targets.length, "send");
    BlockTable.writable(
        receive, type, receiveCounts, receiveDisplacements, sources.length, "receive");
  }
}
