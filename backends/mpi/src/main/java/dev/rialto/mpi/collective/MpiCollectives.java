package dev.rialto.mpi.collective;

import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.message.BufferChecks;
import dev.rialto.mpi.message.MpiRequest;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.parts.messages.CompletedRequest;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The collectives of a communicator: those without a root here, the others with those that combine
 * and those that have one. A persistent one begins anew each time where the library has none.
 */
public final class MpiCollectives implements Collectives {
  private static final class Functions {
    static final MethodHandle BARRIER = Mpi.collective("Barrier", "h");
    static final MethodHandle ALLGATHER = Mpi.collective("Allgather", "pihpihh");
    static final MethodHandle ALLGATHERV = Mpi.collective("Allgatherv", "pihppphh");
    static final MethodHandle ALLTOALL = Mpi.collective("Alltoall", "pihpihh");
    static final MethodHandle ALLTOALLV = Mpi.collective("Alltoallv", "ppphppphh");
  }

  private static final class Persistent {
    static final Optional<MethodHandle> ALLTOALL =
        Mpi.optional("pihpihhhp", "MPI_Alltoall_init", "MPIX_Alltoall_init");
    static final Optional<MethodHandle> ALLTOALLV =
        Mpi.optional("ppphppphhhp", "MPI_Alltoallv_init", "MPIX_Alltoallv_init");
  }

  private final MpiGroup group;
  private final int size;
  private final EdgeAgreement edges;
  private final MpiRootedCollectives rooted;
  private final MpiReductions reductions;

  @SuppressWarnings("this-escape") // What is made here only keeps it.
  public MpiCollectives(MpiGroup group) {
    this.group = group;
    this.size = group.size();
    this.edges = new EdgeAgreement(group, this);
    this.rooted = new MpiRootedCollectives(group, edges);
    this.reductions = new MpiReductions(group, this);
  }

  @Override
  public String name() {
    return group.name();
  }

  @Override
  public void run(Collective collective) {
    if (collective instanceof Collective.Barrier) {
      barrier(true, CollectiveKind.BARRIER).await(); // There is no memory to hold.
    } else if (!group.agrees()) {
      finish(begin(true, collective));
    } else {
      MpiGroup.holding(
          collective.send(), collective.receive(), () -> finish(begin(true, collective)));
    }
  }

  /** Waits for a collective that all ranks have come to, and which uses its callers' memory. */
  static void finish(Request call) {
    var _ = call instanceof MpiRequest request ? request.await(false, false) : call.await();
  }

  /** Without a value, which the JVM would allocate; solvers wait for short sums most. */
  @Override
  public void allReduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    if (group.agrees()) {
      Collectives.super.allReduce(send, receive, type, count, op);
    } else {
      var _ = reductions.allReduce(true, send, receive, type, count, op).await();
    }
  }

  @Override
  public Request start(Collective collective) {
    return begin(false, collective);
  }

  /** Begins a collective; one that waits is over when the library has waited. */
  private Request begin(boolean wait, Collective collective) {
    var _ = group.handle();
    return switch (collective) {
      case Collective.AllReduce it ->
          reductions.allReduce(wait, it.send(), it.receive(), it.type(), it.count(), it.op());
      case Collective.Barrier() -> barrier(wait, CollectiveKind.BARRIER);
      case Collective.Broadcast it -> rooted.broadcast(wait, it);
      case Collective.AllGather it -> allGather(wait, it);
      case Collective.AllToAll it -> allToAll(wait, it);
      case Collective.Reduce it -> reductions.reduce(wait, it);
      case Collective.Gather it -> rooted.gather(wait, it);
      case Collective.Scatter it -> rooted.scatter(wait, it);
      case Collective.AllToAllV it -> allToAllV(wait, it);
      case Collective.AllGatherV it -> allGatherV(wait, it);
      case Collective.GatherV it -> rooted.gatherV(wait, it);
      case Collective.ScatterV it -> rooted.scatterV(wait, it);
      case Collective.Scan it -> reductions.scan(wait, it);
      case Collective.Exscan it -> reductions.exscan(wait, it);
      case Collective.ReduceScatter it -> reductions.reduceScatter(wait, it);
    };
  }

  /** Waits for all ranks to close their world. */
  public void barrierAtClose() {
    barrier(true, CollectiveKind.CLOSE_WORLD).await();
  }

  private Request barrier(boolean wait, CollectiveKind which) {
    var agreement = group.agree(wait, Signature.of(which, 0), 0);
    long request = group.request(wait);
    int code = Native.call(Functions.BARRIER, group.handle(), request);
    return group.finish(agreement, code, request, "barrier", -1, 0, this, this, this);
  }

  private Request allGather(boolean wait, Collective.AllGather it) {
    long bytes = BufferChecks.readable(it.send(), it.type(), it.count(), "send");
    BlockTable.receivable(it, bytes, it.count(), size);
    var agreement =
        group.agree(wait, Signature.of(CollectiveKind.ALL_GATHER, it.type(), it.count()), bytes);
    long request = group.request(wait);
    int code =
        BlockCalls.equal(
            Functions.ALLGATHER, it.send(), it.receive(), bytes, group.handle(), request);
    return group.finish(
        agreement, code, request, "allGather", -1, bytes, it.send(), it.receive(), this);
  }

  private Request allGatherV(boolean wait, Collective.AllGatherV it) {
    DType type = it.type();
    long[] counts = it.counts();
    long bytes = BufferChecks.readable(it.send(), type, it.sendCount(), "send");
    BlockTable.writable(it.receive(), type, counts, it.displacements(), size, "receive");
    it.refuseOverlapAlong(size, size);
    if (size == 1 && it.sendCount() == counts[0]) {
      return copy(it, 0, it.displacements()[0], it.sendCount());
    }
    Signature signature =
        it.sendCount() == counts[group.rank()]
            ? Signature.ofCounts(CollectiveKind.ALL_GATHER_V, type, counts, null)
            : Signature.of(CollectiveKind.ALL_GATHER_V, type, it.sendCount());
    var agreement = group.agree(wait, signature, bytes);
    long request = group.request(wait);
    MemorySegment memory = BlockTable.memory(request, size);
    BlockTable table = BlockTable.first(memory, type, counts, it.displacements());
    int code =
        BlockCalls.gathered(
            Functions.ALLGATHERV, it.send(), bytes, it.receive(), table, group.handle(), request);
    return group.finish(
        agreement, code, request, "allGatherV", -1, bytes, it.send(), it.receive(), memory);
  }

  /**
   * Does what a rank that is alone has to do. MPICH 4.0 does not: its blocks of any length go to
   * the start of the buffer, and an all-to-all waits for ever while a receive from any source is
   * open.
   */
  private static Request copy(Collective.AlongEdges it, long from, long to, long count) {
    DType type = it.type();
    if (count > 0) {
      MemorySegment.copy(
          it.send(), type.bytes(from), it.receive(), type.bytes(to), type.bytes(count));
    }
    return CompletedRequest.REQUEST;
  }

  private Request allToAll(boolean wait, Collective.AllToAll it) {
    long bytes = BlockTable.check(it, size, size);
    if (size == 1) {
      return copy(it, 0, 0, it.count());
    }
    var agreement =
        group.agree(wait, Signature.of(CollectiveKind.ALL_TO_ALL, it.type(), it.count()), bytes);
    long request = group.request(wait);
    int code =
        BlockCalls.equal(
            Functions.ALLTOALL, it.send(), it.receive(), bytes, group.handle(), request);
    return group.finish(
        agreement, code, request, "allToAll", -1, bytes, it.send(), it.receive(), this);
  }

  private Request allToAllV(boolean wait, Collective.AllToAllV it) {
    BlockTable.check(it, size, size);
    long[] sends = it.sendCounts();
    long[] receives = it.receiveCounts();
    if (size == 1 && sends[0] == receives[0]) {
      return copy(it, it.sendDisplacements()[0], it.receiveDisplacements()[0], sends[0]);
    }
    long bytes = it.send().byteSize();
    var agreement =
        edges.begin(wait, CollectiveKind.ALL_TO_ALL_V, it.type(), sends, receives, bytes);
    long request = group.request(wait);
    MemorySegment memory = BlockTable.memory(request, size);
    int code =
        BlockCalls.varied(
            Functions.ALLTOALLV,
            it.send(),
            BlockTable.sent(memory, it),
            it.receive(),
            BlockTable.received(memory, size, it),
            group.handle(),
            request);
    return group.finish(
        agreement, code, request, "allToAllV", -1, bytes, it.send(), it.receive(), memory);
  }

  @Override
  public PersistentRequest prepare(Collective collective) {
    var _ = group.handle();
    return switch (collective) {
      case Collective.AllToAll it -> prepare(it);
      case Collective.AllToAllV it -> prepare(it);
      default -> {
        String name = collective.getClass().getSimpleName();
        yield group.repeated(new MpiCall("persistent " + name, 0), () -> start(collective));
      }
    };
  }

  private PersistentRequest prepare(Collective.AllToAll it) {
    long bytes = BlockTable.check(it, size, size);
    group.agree(
        true, Signature.of(CollectiveKind.PERSISTENT_ALL_TO_ALL, it.type(), it.count()), bytes);
    return group.persistent(
        unlessAlone(Persistent.ALLTOALL)
            .map(
                init ->
                    BlockCalls.equalInit(
                        init,
                        it.send(),
                        it.receive(),
                        bytes,
                        group.handle(),
                        group.request(false))),
        () -> start(it),
        new MpiCall("persistent allToAll", bytes),
        it.send(),
        it.receive());
  }

  private PersistentRequest prepare(Collective.AllToAllV it) {
    BlockTable.check(it, size, size);
    long bytes = it.send().byteSize();
    edges.begin(
        true,
        CollectiveKind.PERSISTENT_ALL_TO_ALL_V,
        it.type(),
        it.sendCounts(),
        it.receiveCounts(),
        bytes);
    long request = group.request(false);
    MemorySegment memory = BlockTable.memory(request, size);
    BlockTable sent = BlockTable.sent(memory, it);
    BlockTable received = BlockTable.received(memory, size, it);
    return group.persistent(
        unlessAlone(Persistent.ALLTOALLV)
            .map(
                init ->
                    BlockCalls.variedInit(
                        init, it.send(), sent, it.receive(), received, group.handle(), request)),
        () -> start(it),
        new MpiCall("persistent allToAllV", bytes),
        it.send(),
        it.receive(),
        memory);
  }

  /** Leaves a rank that is alone to {@link #copy}. */
  private Optional<MethodHandle> unlessAlone(Optional<MethodHandle> function) {
    return size == 1 ? Optional.empty() : function;
  }
}
