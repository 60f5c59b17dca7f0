package dev.rialto.mpi.collective;

import dev.rialto.mpi.library.Datatypes;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.message.BufferChecks;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Request;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Operations in which one rank gives or gets everything.
 *
 * <p>Each is written once: one that waits is begun, with the library told to wait where that is
 * right, and awaited by the caller.
 */
final class MpiRootedCollectives {
  private static final class Functions {
    static final MethodHandle BCAST = Mpi.collective("Bcast", "pihih");
    static final MethodHandle GATHER = Mpi.collective("Gather", "pihpihih");
    static final MethodHandle GATHERV = Mpi.collective("Gatherv", "pihppphih");
    static final MethodHandle SCATTER = Mpi.collective("Scatter", "pihpihih");
    static final MethodHandle SCATTERV = Mpi.collective("Scatterv", "ppphpihih");
  }

  private final MpiGroup group;
  private final EdgeAgreement edges;

  MpiRootedCollectives(MpiGroup group, EdgeAgreement edges) {
    this.group = group;
    this.edges = edges;
  }

  Request broadcast(boolean wait, Collective.Broadcast it) {
    int root = it.root();
    long bytes =
        isRoot(root)
            ? BufferChecks.readable(it.buffer(), it.type(), it.count(), "buffer")
            : BufferChecks.writable(it.buffer(), it.type(), it.count(), "buffer");
    var agreement =
        group.agree(
            wait, Signature.of(CollectiveKind.BROADCAST, it.type(), it.count(), root), bytes);
    long datatype = Datatypes.ofBytes(bytes);
    int n = Datatypes.count(bytes);
    long request = group.request(wait);
    int code =
        Native.call(
            Functions.BCAST, it.buffer().address(), n, datatype, root, group.handle(), request);
    return group.finish(
        agreement, code, request, "broadcast", root, bytes, it.buffer(), this, this);
  }

  Request gather(boolean wait, Collective.Gather it) {
    int root = it.root();
    boolean isRoot = isRoot(root);
    long bytes = BufferChecks.readable(it.send(), it.type(), it.count(), "send");
    if (isRoot) {
      long all = Arguments.blocks(it.type(), it.count(), group.size());
      long received = BufferChecks.writable(it.receive(), it.type(), all, "receive");
      Arguments.disjoint(it.send(), bytes, it.receive(), received);
    }
    Signature signature = Signature.of(CollectiveKind.GATHER, it.type(), it.count(), root);
    return move(wait, signature, "gather", Functions.GATHER, root, bytes, it.send(), it.receive());
  }

  Request gatherV(boolean wait, Collective.GatherV it) {
    int root = it.root();
    boolean isRoot = isRoot(root);
    long bytes = BufferChecks.readable(it.send(), it.type(), it.sendCount(), "send");
    long request = group.request(wait);
    MemorySegment memory = BlockTable.memory(request, group.size());
    BlockTable table = BlockTable.NONE;
    if (isRoot) {
      BlockTable.writable(
          it.receive(), it.type(), it.counts(), it.displacements(), group.size(), "receive");
      it.refuseOverlap(root, group.size());
      table = BlockTable.first(memory, it.type(), it.counts(), it.displacements());
    }
    var agreement =
        edges.beginWithRoot(
            wait, CollectiveKind.GATHER_V, it.type(), it.sendCount(), it.counts(), root, bytes);
    long datatype = Datatypes.ofBytes(bytes);
    int code =
        Native.call(
            Functions.GATHERV,
            it.send().address(),
            Datatypes.count(bytes),
            datatype,
            it.receive().address(),
            table.counts(),
            table.starts(),
            table.unit(),
            root,
            group.handle(),
            request);
    return group.finish(
        agreement, code, request, "gatherV", root, bytes, it.send(), it.receive(), memory);
  }

  Request scatter(boolean wait, Collective.Scatter it) {
    int root = it.root();
    boolean isRoot = isRoot(root);
    long bytes = BufferChecks.writable(it.receive(), it.type(), it.count(), "receive");
    if (isRoot) {
      long all = Arguments.blocks(it.type(), it.count(), group.size());
      long sent = BufferChecks.readable(it.send(), it.type(), all, "send");
      Arguments.disjoint(it.send(), sent, it.receive(), bytes);
    }
    Signature signature = Signature.of(CollectiveKind.SCATTER, it.type(), it.count(), root);
    return move(
        wait, signature, "scatter", Functions.SCATTER, root, bytes, it.send(), it.receive());
  }

  /** Begins to move blocks that are as long on all ranks. */
  private Request move(
      boolean wait,
      Signature signature,
      String name,
      MethodHandle function,
      int root,
      long bytes,
      MemorySegment send,
      MemorySegment receive) {
    var agreement = group.agree(wait, signature, bytes);
    long datatype = Datatypes.ofBytes(bytes);
    int n = Datatypes.count(bytes);
    long request = group.request(wait);
    int code =
        Native.call(
            function,
            send.address(),
            n,
            datatype,
            receive.address(),
            n,
            datatype,
            root,
            group.handle(),
            request);
    return group.finish(agreement, code, request, name, root, bytes, send, receive, this);
  }

  Request scatterV(boolean wait, Collective.ScatterV it) {
    int root = it.root();
    boolean isRoot = isRoot(root);
    long bytes = BufferChecks.writable(it.receive(), it.type(), it.receiveCount(), "receive");
    long request = group.request(wait);
    MemorySegment memory = BlockTable.memory(request, group.size());
    BlockTable table = BlockTable.NONE;
    if (isRoot) {
      BlockTable.readable(
          it.send(), it.type(), it.counts(), it.displacements(), group.size(), "send");
      it.refuseOverlap(root, group.size());
      table = BlockTable.first(memory, it.type(), it.counts(), it.displacements());
    }
    var agreement =
        edges.beginWithRoot(
            wait, CollectiveKind.SCATTER_V, it.type(), it.receiveCount(), it.counts(), root, bytes);
    long datatype = Datatypes.ofBytes(bytes);
    int code =
        Native.call(
            Functions.SCATTERV,
            it.send().address(),
            table.counts(),
            table.starts(),
            table.unit(),
            it.receive().address(),
            Datatypes.count(bytes),
            datatype,
            root,
            group.handle(),
            request);
    return group.finish(
        agreement, code, request, "scatterV", root, bytes, it.send(), it.receive(), memory);
  }

  private boolean isRoot(int root) {
    Arguments.rank(root, group.size(), "root");
    return group.rank() == root;
  }
}
