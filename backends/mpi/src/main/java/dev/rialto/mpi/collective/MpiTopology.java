package dev.rialto.mpi.collective;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.message.BufferChecks;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.world.Job;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A graph of neighbours as the library knows it, with a communicator of its own. */
public final class MpiTopology implements Topology {
  private static final class Functions {
    static final MethodHandle CREATE = Mpi.function("MPI_Dist_graph_create_adjacent", "hippipphip");
    static final MethodHandle ALLGATHER = Mpi.collective("Neighbor_allgather", "pihpihh");
    static final MethodHandle ALLGATHERV = Mpi.collective("Neighbor_allgatherv", "pihppphh");
    static final MethodHandle ALLTOALL = Mpi.collective("Neighbor_alltoall", "pihpihh");
    static final MethodHandle ALLTOALLV = Mpi.collective("Neighbor_alltoallv", "ppphppphh");
    static final Optional<MethodHandle> ALLTOALLV_INIT =
        Mpi.optional("ppphppphhhp", "MPI_Neighbor_alltoallv_init", "MPIX_Neighbor_alltoallv_init");
  }

  /** An address for no elements: MPICH refuses none where blocks have some, if there are blocks. */
  private static final MemorySegment NOWHERE = Arena.global().allocate(8);

  private final MpiGroup group;
  private final long handle;
  private final int[] sources;
  private final int[] targets;

  private final @Nullable NeighborAgreement agreement;

  /** Whether the library must not be given blocks of equal length as such, on all ranks alike. */
  private final boolean swapping;

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

  /** Makes a topology whose edges all ranks agree on. Collective. */
  public static MpiTopology make(
      MpiGroup group, Collectives collectives, int[] sources, int[] targets) {
    var _ = group.handle();
    Arguments.edges(sources, targets, group.size());
    new EdgeAgreement(group, collectives)
        .begin(
            true,
            CollectiveKind.TOPOLOGY,
            null,
            timesEach(targets, group.size()),
            timesEach(sources, group.size()),
            0);
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
      group.check(code, new MpiCall("topology", 0));
    }
    long handle = Mpi.getHandle(out);
    Job.returnErrors(handle);
    boolean swapping =
        Mpi.LIBRARY.faults().swapsRepeatedNeighbors() && anyRepeated(collectives, sources, targets);
    return new MpiTopology(group, handle, sources, targets, swapping);
  }

  /** Returns whether on any rank a neighbour is listed twice. */
  private static boolean anyRepeated(Collectives collectives, int[] sources, int[] targets) {
    boolean here = isRepeated(sources) || isRepeated(targets);
    return collectives.max(here ? 1L : 0L) != 0;
  }

  /** Returns how often each rank is in a list. */
  private static long[] timesEach(int[] ranks, int size) {
    long[] times = new long[size];
    for (int rank : ranks) {
      times[rank]++;
    }
    return times;
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
  public void run(Collective.AlongEdges collective) {
    if (agreement == null) {
      MpiCollectives.finish(begin(true, collective));
    } else {
      MpiGroup.holding(
          collective.send(),
          collective.receive(),
          () -> MpiCollectives.finish(begin(true, collective)));
    }
  }

  @Override
  public Request start(Collective.AlongEdges collective) {
    return begin(false, collective);
  }

  private Request begin(boolean wait, Collective.AlongEdges collective) {
    return switch (collective) {
      case Collective.AllGather it -> allGather(wait, it);
      case Collective.AllGatherV it -> allGatherV(wait, it);
      case Collective.AllToAll it -> allToAll(wait, it);
      case Collective.AllToAllV it -> allToAllV(CollectiveKind.NEIGHBOR_ALL_TO_ALL_V, wait, it);
    };
  }

  private Request allGather(boolean wait, Collective.AllGather it) {
    long comm = handle();
    long bytes = BufferChecks.readable(it.send(), it.type(), it.count(), "send");
    BlockTable.receivable(it, bytes, it.count(), sources.length);
    Signature mine = Signature.of(CollectiveKind.NEIGHBOR_ALL_GATHER, it.type(), it.count());
    var agreed = agree(wait, mine, null, null);
    long request = request(wait);
    int code =
        BlockCalls.equal(
            Functions.ALLGATHER, given(it.send()), given(it.receive()), bytes, comm, request);
    return group.finish(
        agreed, code, request, "neighborAllGather", -1, bytes, it.send(), it.receive(), this);
  }

  private Request allGatherV(boolean wait, Collective.AllGatherV it) {
    long comm = handle();
    DType type = it.type();
    long bytes = BufferChecks.readable(it.send(), type, it.sendCount(), "send");
    BlockTable.writable(
        it.receive(), type, it.counts(), it.displacements(), sources.length, "receive");
    it.refuseOverlapAlong(sources.length, targets.length);
    Signature mine = Signature.of(CollectiveKind.NEIGHBOR_ALL_GATHER_V, type, it.sendCount());
    var agreed = agree(wait, mine, null, it.counts());
    long request = request(wait);
    MemorySegment memory = BlockTable.memory(wait ? 0 : request, parties());
    BlockTable table = BlockTable.first(memory, type, it.counts(), it.displacements());
    int code =
        BlockCalls.gathered(
            Functions.ALLGATHERV, it.send(), bytes, it.receive(), table, comm, request);
    return group.finish(
        agreed, code, request, "neighborAllGatherV", -1, bytes, it.send(), it.receive(), memory);
  }

  private static MemorySegment given(MemorySegment buffer) {
    return buffer.byteSize() == 0 ? NOWHERE : buffer;
  }

  private Request allToAll(boolean wait, Collective.AllToAll it) {
    long comm = handle();
    MemorySegment send = it.send();
    MemorySegment receive = it.receive();
    long count = it.count();
    long bytes = BlockTable.check(it, sources.length, targets.length);
    if (swapping) {
      return allToAllV(CollectiveKind.NEIGHBOR_ALL_TO_ALL, wait, varied(it));
    }
    Signature mine = Signature.of(CollectiveKind.NEIGHBOR_ALL_TO_ALL, it.type(), count);
    var agreed = agree(wait, mine, null, null);
    long request = request(wait);
    int code =
        BlockCalls.equal(Functions.ALLTOALL, given(send), given(receive), bytes, comm, request);
    return group.finish(agreed, code, request, "neighborAllToAll", -1, bytes, send, receive, this);
  }

  private Request allToAllV(CollectiveKind which, boolean wait, Collective.AllToAllV it) {
    long comm = handle();
    BlockTable.check(it, sources.length, targets.length);
    var agreed =
        agree(wait, Signature.of(which, it.type(), 0), it.sendCounts(), it.receiveCounts());
    long request = request(wait);
    MemorySegment memory = BlockTable.memory(wait ? 0 : request, parties());
    int code =
        BlockCalls.varied(
            Functions.ALLTOALLV,
            it.send(),
            BlockTable.sent(memory, it),
            it.receive(),
            BlockTable.received(memory, parties(), it),
            comm,
            request);
    long bytes = it.send().byteSize();
    return group.finish(
        agreed, code, request, which.toString(), -1, bytes, it.send(), it.receive(), memory);
  }

  @Override
  public PersistentRequest prepare(Collective.AlongEdges collective) {
    if (collective instanceof Collective.AllToAllV it) {
      return prepare(it);
    }
    var _ = handle();
    String name = "persistent neighbor" + collective.getClass().getSimpleName();
    return group.repeated(new MpiCall(name, 0), () -> start(collective));
  }

  private PersistentRequest prepare(Collective.AllToAllV it) {
    long comm = handle();
    BlockTable.check(it, sources.length, targets.length);
    agree(
        true,
        Signature.of(CollectiveKind.PERSISTENT_NEIGHBOR_ALL_TO_ALL_V, it.type(), 0),
        it.sendCounts(),
        it.receiveCounts());
    long request = group.request(false);
    MemorySegment memory = BlockTable.memory(request, parties());
    BlockTable sent = BlockTable.sent(memory, it);
    BlockTable received = BlockTable.received(memory, parties(), it);
    return group.persistent(
        Functions.ALLTOALLV_INIT.map(
            init ->
                BlockCalls.variedInit(
                    init, it.send(), sent, it.receive(), received, comm, request)),
        () -> start(it),
        new MpiCall("persistent neighborAllToAllV", it.send().byteSize()),
        it.send(),
        it.receive(),
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
    group.requireOpenWorld();
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

  /** Returns blocks of one length as blocks of any length. */
  private Collective.AllToAllV varied(Collective.AllToAll it) {
    return new Collective.AllToAllV(
        it.send(),
        equal(it.count(), targets.length),
        starts(it.count(), targets.length),
        it.receive(),
        equal(it.count(), sources.length),
        starts(it.count(), sources.length),
        it.type());
  }

  private static long[] equal(long count, int blocks) {
    return LongStream.generate(() -> count).limit(blocks).toArray();
  }

  private static long[] starts(long count, int blocks) {
    return LongStream.range(0, blocks).map(i -> i * count).toArray();
  }

  private int parties() {
    return Math.max(sources.length, targets.length);
  }
}
