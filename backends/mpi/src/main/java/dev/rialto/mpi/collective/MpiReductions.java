package dev.rialto.mpi.collective;

import dev.rialto.mpi.library.Datatypes;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.message.BufferChecks;
import dev.rialto.mpi.message.ChunkedRequest;
import dev.rialto.mpi.message.MpiRequest;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.parts.messages.CompletedRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collectives that combine elements.
 *
 * <p>The library combines what it has types and operators for, and calls back for users' operators.
 * A count above 2^31-1 is taken in parts.
 */
final class MpiReductions {
  private static final long PART = 1L << 30;
  private static final long ALIGNMENT = 64;

  private static final class Functions {
    static final MethodHandle REDUCE = Mpi.collective("Reduce", "ppihhih");
    static final MethodHandle ALLREDUCE = Mpi.collective("Allreduce", "ppihhh");
    static final MethodHandle SCAN = Mpi.collective("Scan", "ppihhh");
    static final MethodHandle EXSCAN = Mpi.collective("Exscan", "ppihhh");
    static final MethodHandle REDUCE_SCATTER = Mpi.collective("Reduce_scatter", "ppphhh");
  }

  /** Begins a reduction of a part of the elements. */
  private interface Part {
    Request begin(MemorySegment send, MemorySegment receive, long count);
  }

  private final MpiGroup group;
  private final Collectives collectives;

  /**
   * Makes the reductions of a group.
   *
   * @param collectives what ranks tell each other by that an operator threw
   */
  MpiReductions(MpiGroup group, Collectives collectives) {
    this.group = group;
    this.collectives = collectives;
  }

  Request reduce(boolean wait, Collective.Reduce it) {
    Arguments.rank(it.root(), group.size(), "root");
    return combine(
        CollectiveKind.REDUCE,
        wait,
        it.send(),
        it.receive(),
        it.type(),
        it.count(),
        it.op(),
        it.root());
  }

  Request allReduce(
      boolean wait,
      MemorySegment send,
      MemorySegment receive,
      DType type,
      long count,
      ReduceOp op) {
    return combine(CollectiveKind.ALL_REDUCE, wait, send, receive, type, count, op, -1);
  }

  Request scan(boolean wait, Collective.Scan it) {
    return combine(
        CollectiveKind.SCAN, wait, it.send(), it.receive(), it.type(), it.count(), it.op(), -1);
  }

  Request exscan(boolean wait, Collective.Exscan it) {
    return combine(
        CollectiveKind.EXSCAN, wait, it.send(), it.receive(), it.type(), it.count(), it.op(), -1);
  }

  /** Begins a reduction to a rank or, for -1, to all. */
  private Request combine(
      CollectiveKind which,
      boolean wait,
      MemorySegment send,
      MemorySegment receive,
      DType type,
      long count,
      ReduceOp op,
      int root) {
    boolean receives = root < 0 || group.rank() == root;
    long bytes = receives ? check(send, receive, type, count, op) : check(send, type, count, op);
    if (count > Integer.MAX_VALUE) {
      return inParts(
          send, receive, type, count, (s, r, n) -> combine(which, wait, s, r, type, n, op, root));
    }
    boolean inPlace = receives && Arguments.disjointOrSame(send, receive, bytes);
    var agreement = group.agree(wait, Signature.of(which, type, count, op, root), bytes);
    MemorySegment operands = send;
    if (inPlace && root >= 0 && Mpi.LIBRARY.faults().crashesInPlace()) {
      operands = Arena.ofAuto().allocate(bytes, ALIGNMENT).copyFrom(send.asSlice(0, bytes));
      inPlace = false;
    }
    long from = inPlace ? Mpi.CONSTANTS.inPlace() : operands.address();
    OperatorSlot slot = slot(op, type);
    long to = receive.address();
    long unit = datatype(type, slot);
    long operator = operator(op, slot);
    long comm = group.handle();
    long request = group.request(wait);
    // Each function at a place of its own: there it is a constant, and its call is inlined.
    int code =
        switch (which) {
          case ALL_REDUCE ->
              Native.call(Functions.ALLREDUCE, from, to, count, unit, operator, comm, request);
          case REDUCE ->
              Native.call(Functions.REDUCE, from, to, count, unit, operator, root, comm, request);
          case SCAN -> Native.call(Functions.SCAN, from, to, count, unit, operator, comm, request);
          default -> Native.call(Functions.EXSCAN, from, to, count, unit, operator, comm, request);
        };
    return finish(
        agreement, wait, code, request, which.toString(), root, bytes, operands, receive, slot);
  }

  Request reduceScatter(boolean wait, Collective.ReduceScatter it) {
    MemorySegment send = it.send();
    MemorySegment receive = it.receive();
    DType type = it.type();
    long[] counts = it.counts();
    ReduceOp op = it.op();
    long all = Arguments.total(type, counts, group.size());
    long bytes = check(send, type, all, op);
    long received = BufferChecks.writable(receive, type, counts[group.rank()], "receive");
    Arguments.disjoint(send, bytes, receive, received);
    if (all > Integer.MAX_VALUE) {
      return reduceEach(wait, it);
    }
    var agreement =
        group.agree(
            wait, Signature.ofCounts(CollectiveKind.REDUCE_SCATTER, type, counts, op), bytes);
    OperatorSlot slot = slot(op, type);
    long request = group.request(wait);
    MemorySegment table = BlockTable.memory(request, group.size());
    for (int i = 0; i < counts.length; i++) {
      Native.putInt(table.address() + 4L * i, (int) counts[i]);
    }
    int code =
        Native.call(
            Functions.REDUCE_SCATTER,
            send.address(),
            receive.address(),
            table.address(),
            datatype(type, slot),
            operator(op, slot),
            group.handle(),
            request);
    return finish(
        agreement,
        wait,
        code,
        request,
        "reduceScatter",
        -1,
        bytes,
        List.of(send, table),
        receive,
        slot);
  }

  /** Scatters what is too much for the library to count, block by block. */
  private Request reduceEach(boolean wait, Collective.ReduceScatter it) {
    List<Request> parts = new ArrayList<>();
    long start = 0;
    for (int root = 0; root < it.counts().length; root++) {
      MemorySegment block = it.send().asSlice(it.type().bytes(start));
      long count = it.counts()[root];
      parts.add(
          reduce(
              wait, new Collective.Reduce(block, it.receive(), it.type(), count, it.op(), root)));
      start += count;
    }
    return new ChunkedRequest(parts);
  }

  private static Request inParts(
      MemorySegment send, MemorySegment receive, DType type, long count, Part part) {
    List<Request> parts = new ArrayList<>();
    for (long start = 0; start < count; start += PART) {
      long offset = type.bytes(start);
      MemorySegment to = receive.byteSize() == 0 ? receive : receive.asSlice(offset);
      parts.add(part.begin(send.asSlice(offset), to, Math.min(PART, count - start)));
    }
    return new ChunkedRequest(parts);
  }

  private static long check(MemorySegment send, DType type, long count, ReduceOp op) {
    Arguments.reduction(op, type);
    return BufferChecks.readable(send, type, count, "send");
  }

  private static long check(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    check(send, type, count, op);
    return BufferChecks.writable(receive, type, count, "receive");
  }

  /** Takes a slot for what the library calls back for; none for what it does by itself. */
  private @Nullable OperatorSlot slot(ReduceOp op, DType type) {
    if (Mpi.type(type) == 0 && op instanceof ReduceOp.Builtin) {
      throw Capability.HALF_REDUCTIONS.unsupported(group.name());
    }
    return switch (op) {
      case ReduceOp.User user -> OperatorSlot.take(user.function(), user.commutative(), type);
      case ReduceOp.Builtin builtin ->
          builtin == ReduceOp.Builtin.SUM
                  && type == DType.I8
                  && Mpi.LIBRARY.faults().saturatesBytes()
              ? OperatorSlot.take(ByteSum.COMBINER, true, type)
              : null;
    };
  }

  private static long datatype(DType type, @Nullable OperatorSlot slot) {
    return slot == null ? Mpi.type(type) : Datatypes.element(type);
  }

  private static long operator(ReduceOp op, @Nullable OperatorSlot slot) {
    return slot == null ? Mpi.operator((ReduceOp.Builtin) op) : slot.handle();
  }

  /**
   * Ends a call. What a callback throws must not go through the library, so it waits in the slot;
   * after a blocking reduction all ranks are told of it.
   */
  private Request finish(
      @Nullable SignatureExchange exchange,
      boolean wait,
      int code,
      long request,
      String name,
      int root,
      long bytes,
      Object send,
      Object receive,
      @Nullable OperatorSlot slot) {
    if (slot == null) {
      return group.finish(exchange, code, request, name, root, bytes, send, receive, this);
    }
    MpiCall operation = new MpiCall(name, root, -1, bytes);
    if (code != 0) {
      slot.release();
      group.check(exchange, code, name, root, bytes);
    }
    if (wait) {
      if (request != 0) {
        MpiCollectives.finish(new MpiRequest(group, operation, false, send, receive));
      }
      SharedFailure.check(group, collectives, name, slot.release());
      return CompletedRequest.REQUEST;
    }
    return SignatureExchange.join(
        exchange,
        new MpiRequest(group, operation, () -> failure(name, slot.release()), send, receive));
  }

  private @Nullable RuntimeException failure(String name, @Nullable Throwable thrown) {
    return thrown == null
        ? null
        : new CommunicationException(
            name + " failed: the operator threw " + thrown, group.where(), "", thrown);
  }
}
