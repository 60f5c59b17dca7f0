package dev.rialto.mpi;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * Operations of all ranks.
 *
 * <p>Each is written once, for both of its forms: the blocking one is begun, with the library told
 * to wait where that is right, and awaited.
 */
abstract class MpiCollectives extends MpiMessages {
  private static final class Functions {
    static final MethodHandle BARRIER = Mpi.collective("Barrier", "h");
    static final MethodHandle BCAST = Mpi.collective("Bcast", "pihih");
    static final MethodHandle GATHER = Mpi.collective("Gather", "pihpihih");
    static final MethodHandle GATHERV = Mpi.collective("Gatherv", "pihppphih");
    static final MethodHandle SCATTER = Mpi.collective("Scatter", "pihpihih");
    static final MethodHandle SCATTERV = Mpi.collective("Scatterv", "ppphpihih");
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
  public final void barrier() {
    barrier(true).await();
  }

  @Override
  public final Request ibarrier() {
    return barrier(false);
  }

  private Request barrier(boolean wait) {
    long request = request(wait);
    int code = Native.call(Functions.BARRIER, handle(), request);
    return finish(code, request, "barrier", -1, 0, this, this, this);
  }

  @Override
  public final void broadcast(MemorySegment buffer, DType type, long count, int root) {
    broadcast(true, buffer, type, count, root).await();
  }

  @Override
  public final Request ibroadcast(MemorySegment buffer, DType type, long count, int root) {
    return broadcast(false, buffer, type, count, root);
  }

  private Request broadcast(boolean wait, MemorySegment buffer, DType type, long count, int root) {
    checkRoot(root);
    long bytes =
        rank() == root
            ? Buffers.readable(buffer, type, count, "buffer")
            : Buffers.writable(buffer, type, count, "buffer");
    long datatype = Datatypes.ofBytes(bytes);
    long request = request(wait);
    int code =
        Native.call(
            Functions.BCAST,
            buffer.address(),
            Datatypes.count(bytes),
            datatype,
            root,
            handle(),
            request);
    return finish(code, request, "broadcast", root, bytes, buffer, this, this);
  }

  @Override
  public final void gather(
      MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    gather(true, send, receive, type, count, root).await();
  }

  @Override
  public final Request igather(
      MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    return gather(false, send, receive, type, count, root);
  }

  private Request gather(
      boolean wait, MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    checkRoot(root);
    long bytes = Buffers.readable(send, type, count, "send");
    if (rank() == root) {
      checkReceiveAll(send, bytes, receive, type, count);
    }
    long datatype = Datatypes.ofBytes(bytes);
    int n = Datatypes.count(bytes);
    long request = request(wait);
    int code =
        Native.call(
            Functions.GATHER,
            send.address(),
            n,
            datatype,
            receive.address(),
            n,
            datatype,
            root,
            handle(),
            request);
    return finish(code, request, "gather", root, bytes, send, receive, this);
  }

  @Override
  public final void gatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type,
      int root) {
    gatherV(true, send, sendCount, receive, counts, displacements, type, root).await();
  }

  @Override
  public final Request igatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type,
      int root) {
    return gatherV(false, send, sendCount, receive, counts, displacements, type, root);
  }

  private Request gatherV(
      boolean wait,
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type,
      int root) {
    checkRoot(root);
    long bytes = Buffers.readable(send, type, sendCount, "send");
    long request = request(wait);
    MemorySegment memory = BlockTable.memory(request, size());
    BlockTable table = BlockTable.NONE;
    if (rank() == root) {
      BlockTable.writable(receive, type, counts, displacements, size(), "receive");
      table = BlockTable.first(memory, type, counts, displacements);
    }
    long datatype = Datatypes.ofBytes(bytes);
    int code =
        Native.call(
            Functions.GATHERV,
            send.address(),
            Datatypes.count(bytes),
            datatype,
            receive.address(),
            table.counts(),
            table.starts(),
            table.unit(),
            root,
            handle(),
            request);
    return finish(code, request, "gatherV", root, bytes, send, receive, memory);
  }

  @Override
  public final void scatter(
      MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    scatter(true, send, receive, type, count, root).await();
  }

  @Override
  public final Request iscatter(
      MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    return scatter(false, send, receive, type, count, root);
  }

  private Request scatter(
      boolean wait, MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    checkRoot(root);
    long bytes = Buffers.writable(receive, type, count, "receive");
    if (rank() == root) {
      long all = Buffers.readable(send, type, Buffers.blocks(count, size()), "send");
      Buffers.disjoint(send, all, receive, bytes);
    }
    long datatype = Datatypes.ofBytes(bytes);
    int n = Datatypes.count(bytes);
    long request = request(wait);
    int code =
        Native.call(
            Functions.SCATTER,
            send.address(),
            n,
            datatype,
            receive.address(),
            n,
            datatype,
            root,
            handle(),
            request);
    return finish(code, request, "scatter", root, bytes, send, receive, this);
  }

  @Override
  public final void scatterV(
      MemorySegment send,
      long[] counts,
      long[] displacements,
      MemorySegment receive,
      long receiveCount,
      DType type,
      int root) {
    scatterV(true, send, counts, displacements, receive, receiveCount, type, root).await();
  }

  @Override
  public final Request iscatterV(
      MemorySegment send,
      long[] counts,
      long[] displacements,
      MemorySegment receive,
      long receiveCount,
      DType type,
      int root) {
    return scatterV(false, send, counts, displacements, receive, receiveCount, type, root);
  }

  private Request scatterV(
      boolean wait,
      MemorySegment send,
      long[] counts,
      long[] displacements,
      MemorySegment receive,
      long receiveCount,
      DType type,
      int root) {
    checkRoot(root);
    long bytes = Buffers.writable(receive, type, receiveCount, "receive");
    long request = request(wait);
    MemorySegment memory = BlockTable.memory(request, size());
    BlockTable table = BlockTable.NONE;
    if (rank() == root) {
      BlockTable.readable(send, type, counts, displacements, size(), "send");
      table = BlockTable.first(memory, type, counts, displacements);
    }
    long datatype = Datatypes.ofBytes(bytes);
    int code =
        Native.call(
            Functions.SCATTERV,
            send.address(),
            table.counts(),
            table.starts(),
            table.unit(),
            receive.address(),
            Datatypes.count(bytes),
            datatype,
            root,
            handle(),
            request);
    return finish(code, request, "scatterV", root, bytes, send, receive, memory);
  }

  @Override
  public final void allGather(MemorySegment send, MemorySegment receive, DType type, long count) {
    allGather(true, send, receive, type, count).await();
  }

  @Override
  public final Request iallGather(
      MemorySegment send, MemorySegment receive, DType type, long count) {
    return allGather(false, send, receive, type, count);
  }

  private Request allGather(
      boolean wait, MemorySegment send, MemorySegment receive, DType type, long count) {
    handle();
    long bytes = Buffers.readable(send, type, count, "send");
    checkReceiveAll(send, bytes, receive, type, count);
    long request = request(wait);
    int code = BlockCalls.equal(Functions.ALLGATHER, send, receive, bytes, handle(), request);
    return finish(code, request, "allGather", -1, bytes, send, receive, this);
  }

  @Override
  public final void allGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type) {
    allGatherV(true, send, sendCount, receive, counts, displacements, type).await();
  }

  @Override
  public final Request iallGatherV(
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type) {
    return allGatherV(false, send, sendCount, receive, counts, displacements, type);
  }

  private Request allGatherV(
      boolean wait,
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type) {
    handle();
    long bytes = Buffers.readable(send, type, sendCount, "send");
    BlockTable.writable(receive, type, counts, displacements, size(), "receive");
    if (size() == 1 && sendCount == counts[0]) {
      return copy(send, 0, receive, displacements[0], type, sendCount);
    }
    long request = request(wait);
    MemorySegment memory = BlockTable.memory(request, size());
    BlockTable table = BlockTable.first(memory, type, counts, displacements);
    int code =
        BlockCalls.gathered(Functions.ALLGATHERV, send, bytes, receive, table, handle(), request);
    return finish(code, request, "allGatherV", -1, bytes, send, receive, memory);
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
    return Done.REQUEST;
  }

  @Override
  public final void allToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    allToAll(true, send, receive, type, count).await();
  }

  @Override
  public final Request iallToAll(
      MemorySegment send, MemorySegment receive, DType type, long count) {
    return allToAll(false, send, receive, type, count);
  }

  private Request allToAll(
      boolean wait, MemorySegment send, MemorySegment receive, DType type, long count) {
    long bytes = checkAllToAll(send, receive, type, count);
    if (size() == 1) {
      return copy(send, 0, receive, 0, type, count);
    }
    long request = request(wait);
    int code = BlockCalls.equal(Functions.ALLTOALL, send, receive, bytes, handle(), request);
    return finish(code, request, "allToAll", -1, bytes, send, receive, this);
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
    allToAllV(
            true,
            send,
            sendCounts,
            sendDisplacements,
            receive,
            receiveCounts,
            receiveDisplacements,
            type)
        .await();
  }

  @Override
  public final Request iallToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    return allToAllV(
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
    return finish(code, request, "allToAllV", -1, send.byteSize(), send, receive, memory);
  }

  @Override
  public final PersistentRequest persistentAllToAll(
      MemorySegment send, MemorySegment receive, DType type, long count) {
    long bytes = checkAllToAll(send, receive, type, count);
    return persistent(
        Persistent.ALLTOALL.map(
            function ->
                BlockCalls.equalInit(function, send, receive, bytes, handle(), request(false))),
        () -> iallToAll(send, receive, type, count),
        new Operation("persistent allToAll", bytes),
        send,
        receive);
  }

  @Override
  public final PersistentRequest persistentAllToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    checkAllToAllV(
        send, sendCounts, sendDisplacements, receive, receiveCounts, receiveDisplacements, type);
    long request = request(false);
    MemorySegment memory = BlockTable.memory(request, size());
    BlockTable sent = BlockTable.first(memory, type, sendCounts, sendDisplacements);
    BlockTable received =
        BlockTable.second(memory, size(), type, receiveCounts, receiveDisplacements);
    return persistent(
        Persistent.ALLTOALLV.map(
            function ->
                BlockCalls.variedInit(function, send, sent, receive, received, handle(), request)),
        () ->
            finish(
                BlockCalls.varied(
                    Functions.ALLTOALLV, send, sent, receive, received, handle(), request(false)),
                request,
                "allToAllV",
                -1,
                send.byteSize(),
                send,
                receive,
                memory),
        new Operation("persistent allToAllV", send.byteSize()),
        send,
        receive,
        memory);
  }

  private void checkRoot(int root) {
    handle();
    Arguments.rank(root, size(), "root");
  }

  private void checkReceiveAll(
      MemorySegment send, long bytes, MemorySegment receive, DType type, long count) {
    long all = Buffers.writable(receive, type, Buffers.blocks(count, size()), "receive");
    Buffers.disjoint(send, bytes, receive, all);
  }

  private long checkAllToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    handle();
    long bytes = type.bytes(count);
    long all = Buffers.readable(send, type, Buffers.blocks(count, size()), "send");
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
