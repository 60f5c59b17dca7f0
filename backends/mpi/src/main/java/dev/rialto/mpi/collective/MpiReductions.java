package dev.rialto.mpi.collective;

import static dev.rialto.mpi.message.MpiRequest.Kind.COLLECTIVE;

import dev.rialto.mpi.library.Datatypes;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.message.BufferChecks;
import dev.rialto.mpi.message.ChunkedRequest;
import dev.rialto.mpi.message.CompletedRequest;
import dev.rialto.mpi.message.MpiRequest;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.world.Job;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.CommunicationException;
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
public abstract class MpiReductions extends MpiCollectives {
  private static final long PART = 1L << 30;
  private static final long ALIGNMENT = 64;

  private static final class Functions {
    static final MethodHandle REDUCE = Mpi.collective("Reduce", "ppihhih");
    static final MethodHandle ALLREDUCE = Mpi.collective("Allreduce", "ppihhh");
    static final MethodHandle SCAN = Mpi.collective("Scan", "ppihhh");
    static final MethodHandle EXSCAN = Mpi.collective("Exscan", "ppihhh");
    static final MethodHandle REDUCE_SCATTER = Mpi.collective("Reduce_scatter", "ppphhh");
  }

  /** What all ranks combine without a root. */
  public enum Combination {
    ALL_REDUCE(CollectiveKind.ALL_REDUCE),
    SCAN(CollectiveKind.SCAN),
    EXSCAN(CollectiveKind.EXSCAN);

    final CollectiveKind collective;
    final String label;

    Combination(CollectiveKind collective) {
      this.collective = collective;
      this.label = collective.toString();
    }
  }

  /** Begins a reduction of a part of the elements. */
  private interface Part {
    Request begin(MemorySegment send, MemorySegment receive, long count);
  }

  public MpiReductions(Job job, String name, long handle) {
    super(job, name, handle);
  }

  @Override
  public final void reduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op, int root) {
    holding(send, receive, () -> reduce(true, send, receive, type, count, op, root).await());
  }

  public final Request reduce(
      boolean wait,
      MemorySegment send,
      MemorySegment receive,
      DType type,
      long count,
      ReduceOp op,
      int root) {
    handle();
    Arguments.rank(root, size(), "root");
    boolean isRoot = rank() == root;
    long bytes = isRoot ? check(send, receive, type, count, op) : check(send, type, count, op);
    if (count > Integer.MAX_VALUE) {
      return inParts(
          send, receive, type, count, (s, r, n) -> reduce(wait, s, r, type, n, op, root));
    }
    boolean inPlace = isRoot && BufferChecks.inPlace(send, receive, bytes);
    var agreement = agree(wait, Signature.of(CollectiveKind.REDUCE, type, count, op, root), bytes);
    MemorySegment operands =
        inPlace && !Mpi.LIBRARY.reducesInPlace()
            ? Arena.ofAuto().allocate(bytes, ALIGNMENT).copyFrom(send.asSlice(0, bytes))
            : send;
    long from =
        inPlace && Mpi.LIBRARY.reducesInPlace() ? Mpi.CONSTANTS.inPlace() : operands.address();
    OperatorSlot slot = slot(op, type);
    long request = request(wait);
    int code =
        Native.call(
            Functions.REDUCE,
            from,
            receive.address(),
            count,
            datatype(type, slot),
            operator(op, slot),
            root,
            handle(),
            request);
    return finish(agreement, wait, code, request, "reduce", root, bytes, operands, receive, slot);
  }

  @Override
  public final void allReduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    holding(
        send,
        receive,
        () -> combine(Combination.ALL_REDUCE, true, send, receive, type, count, op).await());
  }

  @Override
  public final void scan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    holding(
        send,
        receive,
        () -> combine(Combination.SCAN, true, send, receive, type, count, op).await());
  }

  @Override
  public final void exscan(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    holding(
        send,
        receive,
        () -> combine(Combination.EXSCAN, true, send, receive, type, count, op).await());
  }

  public final Request combine(
      Combination which,
      boolean wait,
      MemorySegment send,
      MemorySegment receive,
      DType type,
      long count,
      ReduceOp op) {
    handle();
    long bytes = check(send, receive, type, count, op);
    if (count > Integer.MAX_VALUE) {
      return inParts(
          send, receive, type, count, (s, r, n) -> combine(which, wait, s, r, type, n, op));
    }
    long from =
        BufferChecks.inPlace(send, receive, bytes) ? Mpi.CONSTANTS.inPlace() : send.address();
    var agreement = agree(wait, Signature.of(which.collective, type, count, op, -1), bytes);
    OperatorSlot slot = slot(op, type);
    long to = receive.address();
    long unit = datatype(type, slot);
    long operator = operator(op, slot);
    long comm = handle();
    long request = request(wait);
    // Each function at a place of its own: there it is a constant, and its call is inlined.
    int code =
        switch (which) {
          case ALL_REDUCE ->
              Native.call(Functions.ALLREDUCE, from, to, count, unit, operator, comm, request);
          case SCAN -> Native.call(Functions.SCAN, from, to, count, unit, operator, comm, request);
          case EXSCAN ->
              Native.call(Functions.EXSCAN, from, to, count, unit, operator, comm, request);
        };
    return finish(agreement, wait, code, request, which.label, -1, bytes, send, receive, slot);
  }

  @Override
  public final void reduceScatter(
      MemorySegment send, MemorySegment receive, DType type, long[] counts, ReduceOp op) {
    holding(send, receive, () -> reduceScatter(true, send, receive, type, counts, op).await());
  }

  public final Request reduceScatter(
      boolean wait,
      MemorySegment send,
      MemorySegment receive,
      DType type,
      long[] counts,
      ReduceOp op) {
    handle();
    Arguments.perRank(counts.length, size(), "counts");
    long all = 0;
    for (long count : counts) {
      type.bytes(count);
      all = Math.addExact(all, count);
    }
    long bytes = check(send, type, all, op);
    long received = BufferChecks.writable(receive, type, counts[rank()], "receive");
    BufferChecks.disjoint(send, bytes, receive, received);
    if (all > Integer.MAX_VALUE) {
      return reduceEach(wait, send, receive, type, counts, op);
    }
    var agreement =
        agree(wait, Signature.ofCounts(CollectiveKind.REDUCE_SCATTER, type, counts, op), bytes);
    OperatorSlot slot = slot(op, type);
    long request = request(wait);
    MemorySegment table = BlockTable.memory(request, size());
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
            handle(),
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
  private Request reduceEach(
      boolean wait,
      MemorySegment send,
      MemorySegment receive,
      DType type,
      long[] counts,
      ReduceOp op) {
    List<Request> parts = new ArrayList<>();
    long start = 0;
    for (int root = 0; root < counts.length; root++) {
      MemorySegment block = send.asSlice(type.bytes(start));
      parts.add(reduce(wait, block, receive, type, counts[root], op, root));
      start += counts[root];
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
      throw Capability.HALF_REDUCTIONS.unsupported(name());
    }
    return switch (op) {
      case ReduceOp.User user -> OperatorSlot.take(user.function(), user.commutative(), type);
      case ReduceOp.Builtin builtin ->
          builtin == ReduceOp.Builtin.SUM && type == DType.I8 && Mpi.LIBRARY.saturatesBytes()
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
      return finish(exchange, code, request, name, root, bytes, send, receive, this);
    }
    MpiCall operation = new MpiCall(name, root, -1, bytes);
    if (code != 0) {
      slot.release();
      check(exchange, code, name, root, bytes);
    }
    if (wait) {
      if (request != 0) {
        new MpiRequest(this, operation, COLLECTIVE, false, send, receive).await();
      }
      SharedFailure.check(this, name, slot.release());
      return CompletedRequest.REQUEST;
    }
    return SignatureExchange.join(
        exchange,
        new MpiRequest(
            this,
            operation,
            COLLECTIVE,
            false,
            () -> failure(name, slot.release()),
            null,
            send,
            receive));
  }

  private @Nullable RuntimeException failure(String name, @Nullable Throwable thrown) {
    return thrown == null
        ? null
        : new CommunicationException(
            name + " failed: the operator threw " + thrown, where(), "", thrown);
  }
}
