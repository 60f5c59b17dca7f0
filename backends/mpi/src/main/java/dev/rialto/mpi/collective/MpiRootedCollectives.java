package dev.rialto.mpi.collective;

import dev.rialto.mpi.library.Datatypes;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.message.BufferChecks;
import dev.rialto.mpi.message.MpiMessages;
import dev.rialto.mpi.world.Job;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Operations of all ranks in which one rank gives or gets everything, and the barrier.
 *
 * <p>Each is written once, for both of its forms: the blocking one is begun, with the library told
 * to wait where that is right, and awaited.
 */
abstract class MpiRootedCollectives extends MpiMessages {
  private static final class Functions {
    static final MethodHandle BARRIER = Mpi.collective("Barrier", "h");
    static final MethodHandle BCAST = Mpi.collective("Bcast", "pihih");
    static final MethodHandle GATHER = Mpi.collective("Gather", "pihpihih");
    static final MethodHandle GATHERV = Mpi.collective("Gatherv", "pihppphih");
    static final MethodHandle SCATTER = Mpi.collective("Scatter", "pihpihih");
    static final MethodHandle SCATTERV = Mpi.collective("Scatterv", "ppphpihih");
  }

  MpiRootedCollectives(Job job, String name, long handle) {
    super(job, name, handle);
  }

  @Override
  public final void barrier() {
    barrier(true, CollectiveKind.BARRIER).await();
  }

  /** Waits for all ranks to close their world. */
  public final void barrierAtClose() {
    barrier(true, CollectiveKind.CLOSE_WORLD).await();
  }

  public final Request barrier(boolean wait, CollectiveKind which) {
    var agreement = agree(wait, Signature.of(which, 0), 0);
    long request = request(wait);
    int code = Native.call(Functions.BARRIER, handle(), request);
    return finish(agreement, code, request, "barrier", -1, 0, this, this, this);
  }

  @Override
  public final void broadcast(MemorySegment buffer, DType type, long count, int root) {
    holding(buffer, buffer, () -> broadcast(true, buffer, type, count, root).await());
  }

  public final Request broadcast(
      boolean wait, MemorySegment buffer, DType type, long count, int root) {
    checkRoot(root);
    long bytes =
        rank() == root
            ? BufferChecks.readable(buffer, type, count, "buffer")
            : BufferChecks.writable(buffer, type, count, "buffer");
    var agreement = agree(wait, Signature.of(CollectiveKind.BROADCAST, type, count, root), bytes);
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
    return finish(agreement, code, request, "broadcast", root, bytes, buffer, this, this);
  }

  @Override
  public final void gather(
      MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    holding(send, receive, () -> gather(true, send, receive, type, count, root).await());
  }

  public final Request gather(
      boolean wait, MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    checkRoot(root);
    long bytes = BufferChecks.readable(send, type, count, "send");
    if (rank() == root) {
      checkReceiveAll(send, bytes, receive, type, count);
    }
    var agreement = agree(wait, Signature.of(CollectiveKind.GATHER, type, count, root), bytes);
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
    return finish(agreement, code, request, "gather", root, bytes, send, receive, this);
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
    holding(
        send,
        receive,
        () -> gatherV(true, send, sendCount, receive, counts, displacements, type, root).await());
  }

  public final Request gatherV(
      boolean wait,
      MemorySegment send,
      long sendCount,
      MemorySegment receive,
      long[] counts,
      long[] displacements,
      DType type,
      int root) {
    checkRoot(root);
    long bytes = BufferChecks.readable(send, type, sendCount, "send");
    long request = request(wait);
    MemorySegment memory = BlockTable.memory(request, size());
    BlockTable table = BlockTable.NONE;
    if (rank() == root) {
      BlockTable.writable(receive, type, counts, displacements, size(), "receive");
      table = BlockTable.first(memory, type, counts, displacements);
    }
    var agreement =
        agreeOnEdgesOfRoot(wait, CollectiveKind.GATHER_V, type, sendCount, counts, root, bytes);
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
    return finish(agreement, code, request, "gatherV", root, bytes, send, receive, memory);
  }

  @Override
  public final void scatter(
      MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    holding(send, receive, () -> scatter(true, send, receive, type, count, root).await());
  }

  public final Request scatter(
      boolean wait, MemorySegment send, MemorySegment receive, DType type, long count, int root) {
    checkRoot(root);
    long bytes = BufferChecks.writable(receive, type, count, "receive");
    if (rank() == root) {
      long all = BufferChecks.readable(send, type, BufferChecks.blocks(count, size()), "send");
      BufferChecks.disjoint(send, all, receive, bytes);
    }
    var agreement = agree(wait, Signature.of(CollectiveKind.SCATTER, type, count, root), bytes);
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
    return finish(agreement, code, request, "scatter", root, bytes, send, receive, this);
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
    holding(
        send,
        receive,
        () ->
            scatterV(true, send, counts, displacements, receive, receiveCount, type, root).await());
  }

  public final Request scatterV(
      boolean wait,
      MemorySegment send,
      long[] counts,
      long[] displacements,
      MemorySegment receive,
      long receiveCount,
      DType type,
      int root) {
    checkRoot(root);
    long bytes = BufferChecks.writable(receive, type, receiveCount, "receive");
    long request = request(wait);
    MemorySegment memory = BlockTable.memory(request, size());
    BlockTable table = BlockTable.NONE;
    if (rank() == root) {
      BlockTable.readable(send, type, counts, displacements, size(), "send");
      table = BlockTable.first(memory, type, counts, displacements);
    }
    var agreement =
        agreeOnEdgesOfRoot(wait, CollectiveKind.SCATTER_V, type, receiveCount, counts, root, bytes);
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
    return finish(agreement, code, request, "scatterV", root, bytes, send, receive, memory);
  }

  private void checkRoot(int root) {
    handle();
    Arguments.rank(root, size(), "root");
  }

  /** Checks the buffer for a block of each rank. */
  final void checkReceiveAll(
      MemorySegment send, long bytes, MemorySegment receive, DType type, long count) {
    long all = BufferChecks.writable(receive, type, BufferChecks.blocks(count, size()), "receive");
    BufferChecks.disjoint(send, bytes, receive, all);
  }
}
