package dev.rialto.mpi.collective;

import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.message.BufferChecks;
import dev.rialto.mpi.message.CompletedRequest;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.world.Job;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * Operations in which each rank gives to all and gets from all; a persistent one begins anew each
 * time where the library has none.
 */
abstract class MpiCollectives extends MpiRootedCollectives {
  private static final class Functions {
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

  MpiCollectives(Job job, String name, long handle) {
    super(job, name, handle);
  }

  @Override
  public final void allGather(MemorySegment send, MemorySegment receive, DType type, long count) {
    holding(send, receive, () -> allGather(true, send, receive, type, count).await());
  }

  public final Request allGather(
      boolean wait, MemorySegment send, MemorySegment receive, DType type, long count) {
    handle();
    long bytes = BufferChecks.readable(send, type, count, "send");
    checkReceiveAll(send, bytes, receive, type, count);
    var agreement = agree(wait, Signature.of(CollectiveKind.ALL_GATHER, type, count), bytes);
    long request = request(wait);
    int code = BlockCalls.equal(Functions.ALLGATHER, send, receive, bytes, handle(), request);
    return finish(agreement, code, request, "allGather", -1, bytes, send, receive, this);
  }

  @Override
  public final void allGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type) {
    holding(
        send,
        receive,
        () -> allGatherV(true, send, sendCount, receive, counts, displacements, type).await());
  }

  public final Request allGatherV(
      boolean wait,
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type) {
    handle();
    long bytes = BufferChecks.readable(send, type, sendCount, "send");
    BlockTable.writable(receive, type, counts, displacements, size(), "receive");
    if (size() == 1 && sendCount == counts[0]) {
      return copy(send, 0, receive, displacements[0], type, sendCount);
    }
    Signature signature =
        sendCount == counts[rank()]
            ? Signature.ofCounts(CollectiveKind.ALL_GATHER_V, type, counts, null)
            : Signature.of(CollectiveKind.ALL_GATHER_V, type, sendCount);
    var agreement = agree(wait, signature, bytes);
    long request = request(wait);
    MemorySegment memory = BlockTable.memory(request, size());
    BlockTable table = BlockTable.first(memory, type, counts, displacements);
    int code =
        BlockCalls.gathered(Functions.ALLGATHERV, send, bytes, receive, table, handle(), request);
    return finish(agreement, code, request, "allGatherV", -1, bytes, send, receive, memory);
  }

  /**
   * Does what a rank that is alone has to do. MPICH 4.0 does not: its blocks of any length go to
   * the start of the buffer, and an all-to-all waits for ever while a receive from any source is
   * open.
   */
  private static Request copy(
      MemorySegment send, long from, MemorySegment receive, long to, DType type, long count) {
    if (count > 0) {
      MemorySegment.copy(send, type.bytes(from), receive, type.bytes(to), type.bytes(count));
    }
    return CompletedRequest.REQUEST;
  }

  @Override
  public final void allToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    holding(send, receive, () -> allToAll(true, send, receive, type, count).await());
  }

  public final Request allToAll(
      boolean wait, MemorySegment send, MemorySegment receive, DType type, long count) {
    long bytes = checkAllToAll(send, receive, type, count);
    if (size() == 1) {
      return copy(send, 0, receive, 0, type, count);
    }
    var agreement = agree(wait, Signature.of(CollectiveKind.ALL_TO_ALL, type, count), bytes);
    long request = request(wait);
    int code = BlockCalls.equal(Functions.ALLTOALL, send, receive, bytes, handle(), request);
    return finish(agreement, code, request, "allToAll", -1, bytes, send, receive, this);
  }

  @Override
  public final void allToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    holding(
        send,
        receive,
        () ->
            allToAllV(
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

  public final Request allToAllV(
      boolean wait,
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    checkAllToAllV(
        send, sendCounts, sendDisplacements, receive, receiveCounts, receiveDisplacements, type);
    if (size() == 1 && sendCounts[0] == receiveCounts[0]) {
      long from = sendDisplacements[0];
      return copy(send, from, receive, receiveDisplacements[0], type, sendCounts[0]);
    }
    var agreement =
        agreeOnEdges(
            wait, CollectiveKind.ALL_TO_ALL_V, type, sendCounts, receiveCounts, send.byteSize());
    long request = request(wait);
    MemorySegment memory = BlockTable.memory(request, size());
    int code =
        BlockCalls.varied(
            Functions.ALLTOALLV,
            send,
            BlockTable.first(memory, type, sendCounts, sendDisplacements),
            receive,
            BlockTable.second(memory, size(), type, receiveCounts, receiveDisplacements),
            handle(),
            request);
    return finish(
        agreement, code, request, "allToAllV", -1, send.byteSize(), send, receive, memory);
  }

  @Override
  public final PersistentRequest prepare(Collective collective) {
    return switch (collective) {
      case Collective.AllToAll it -> prepare(it);
      case Collective.AllToAllV it -> prepare(it);
      default -> {
        var _ = handle();
        String name = collective.getClass().getSimpleName();
        yield repeated(new MpiCall("persistent " + name, 0), () -> start(collective));
      }
    };
  }

  private PersistentRequest prepare(Collective.AllToAll it) {
    MemorySegment send = it.send();
    MemorySegment receive = it.receive();
    long bytes = checkAllToAll(send, receive, it.type(), it.count());
    agree(true, Signature.of(CollectiveKind.PERSISTENT_ALL_TO_ALL, it.type(), it.count()), bytes);
    return persistent(
        unlessAlone(Persistent.ALLTOALL)
            .map(
                init -> BlockCalls.equalInit(init, send, receive, bytes, handle(), request(false))),
        () -> start(it),
        new MpiCall("persistent allToAll", bytes),
        send,
        receive);
  }

  private PersistentRequest prepare(Collective.AllToAllV it) {
    MemorySegment send = it.send();
    MemorySegment receive = it.receive();
    DType type = it.type();
    long[] sends = it.sendCounts();
    long[] receives = it.receiveCounts();
    checkAllToAllV(
        send, sends, it.sendDisplacements(), receive, receives, it.receiveDisplacements(), type);
    agreeOnEdges(
        true, CollectiveKind.PERSISTENT_ALL_TO_ALL_V, type, sends, receives, send.byteSize());
    long request = request(false);
    MemorySegment memory = BlockTable.memory(request, size());
    BlockTable sent = BlockTable.first(memory, type, sends, it.sendDisplacements());
    BlockTable received =
        BlockTable.second(memory, size(), type, receives, it.receiveDisplacements());
    return persistent(
        unlessAlone(Persistent.ALLTOALLV)
            .map(
                init ->
                    BlockCalls.variedInit(init, send, sent, receive, received, handle(), request)),
        () -> start(it),
        new MpiCall("persistent allToAllV", send.byteSize()),
        send,
        receive,
        memory);
  }

  /** Leaves a rank that is alone to {@link #copy}. */
  private Optional<MethodHandle> unlessAlone(Optional<MethodHandle> function) {
    return size() == 1 ? Optional.empty() : function;
  }

  private long checkAllToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    handle();
    long bytes = type.bytes(count);
    long all = BufferChecks.readable(send, type, BufferChecks.blocks(count, size()), "send");
    checkReceiveAll(send, all, receive, type, count);
    return bytes;
  }

  private void checkAllToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    handle();
    BlockTable.readable(send, type, sendCounts, sendDisplacements, size(), "send");
    BlockTable.writable(receive, type, receiveCounts, receiveDisplacements, size(), "receive");
  }
}
