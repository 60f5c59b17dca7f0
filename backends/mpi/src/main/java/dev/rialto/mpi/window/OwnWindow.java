package dev.rialto.mpi.window;

import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.message.BufferChecks;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.CommunicationException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * The window of a rank that is alone, over memory that the library has not allocated. Open MPI 4.1
 * can't make one: it needs a network for that, even if it is shared memory, and has none then.
 * MPICH 4.0 keeps the memory registered and fails at the end of the job.
 *
 * <p>Everything takes place at once. Threads of the rank are kept from one another by a lock.
 */
final class OwnWindow implements WindowAccess {
  private static final MethodHandle REDUCE_LOCAL = Mpi.function("MPI_Reduce_local", "ppihh");

  /** The address of offset 0; offsets in a dynamic window are addresses. */
  private final long base;

  private final MpiGroup group;
  private final boolean dynamic;
  private final List<MemorySegment> attached = new ArrayList<>();

  private OwnWindow(MpiGroup group, MemorySegment memory, boolean dynamic) {
    this.group = group;
    this.base = memory.address();
    this.dynamic = dynamic;
  }

  /** Makes a window. */
  static CheckedWindow over(MpiGroup group, MemorySegment memory, boolean dynamic) {
    long[] bytes = {dynamic ? Long.MAX_VALUE : memory.byteSize()};
    return new CheckedWindow(
        group, new OwnWindow(group, memory, dynamic), memory, true, dynamic, bytes);
  }

  @Override
  public synchronized void add(MemorySegment added) {
    attached.add(added);
  }

  @Override
  public synchronized void remove(MemorySegment removed) {
    if (!attached.removeIf(each -> each.address() == removed.address())) {
      throw new CommunicationException(
          "memory at " + removed.address() + " is not attached",
          group.where(),
          "detach what was attached",
          null);
    }
  }

  private MemorySegment at(long offset, long length) {
    boolean there =
        !dynamic
            || attached.stream()
                .anyMatch(
                    each ->
                        each.address() <= offset
                            && offset + length <= each.address() + each.byteSize());
    if (!there) {
      throw new CommunicationException(
          length + " bytes at address " + offset + " are not attached to the window",
          group.where(),
          "attach them before the access",
          null);
    }
    return Native.at(base + offset, length);
  }

  @Override
  public synchronized void move(
      boolean put, MemorySegment origin, long length, int target, long offset) {
    MemorySegment place = at(offset, length);
    if (put) {
      MemorySegment.copy(origin, 0, place, 0, length);
    } else {
      MemorySegment.copy(place, 0, origin, 0, length);
    }
  }

  @Override
  public synchronized void move(
      boolean put, MemorySegment origin, Layout here, int target, long offset, Layout there) {
    MemorySegment place = at(offset, there.span());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment packed = arena.allocate(here.bytes());
      Layout dense = Layout.contiguous(here.type(), here.count());
      StridedCopy.of(put ? here : there, dense).run(put ? origin : place, packed);
      StridedCopy.of(dense, put ? there : here).run(packed, put ? place : origin);
    }
  }

  @Override
  public synchronized void combine(
      MemorySegment origin, DType type, long count, int target, long offset, ReduceOp.Builtin op) {
    MemorySegment place = at(offset, type.bytes(count));
    if (op == ReduceOp.Builtin.REPLACE) {
      MemorySegment.copy(origin, 0, place, 0, place.byteSize());
      return;
    }
    reduce(group, origin, place, type, count, op);
    BufferChecks.used(origin);
  }

  /** Combines elements into memory of this process. */
  static void reduce(
      MpiGroup group,
      MemorySegment origin,
      MemorySegment place,
      DType type,
      long count,
      ReduceOp.Builtin op) {
    long step = MpiWindow.atOnce(op, type, count);
    for (long done = 0; done < count; done += step) {
      long behind = type.bytes(done);
      int code =
          Native.call(
              REDUCE_LOCAL,
              origin.address() + behind,
              place.address() + behind,
              Math.min(step, count - done),
              Mpi.type(type),
              Mpi.operator(op));
      group.check(code, new MpiCall("accumulate", type.bytes(count)));
    }
  }

  @Override
  public synchronized void exchange(
      MemorySegment origin,
      MemorySegment result,
      DType type,
      long count,
      int target,
      long offset,
      ReduceOp.Builtin op) {
    move(false, result, type.bytes(count), target, offset);
    if (op != ReduceOp.Builtin.NO_OP) {
      combine(origin, type, count, target, offset, op);
    }
  }

  @Override
  public void fetch(
      MemorySegment origin,
      MemorySegment result,
      DType type,
      int target,
      long offset,
      ReduceOp.Builtin op) {
    exchange(origin, result, type, 1, target, offset, op);
  }

  @Override
  public synchronized void swap(
      MemorySegment origin,
      MemorySegment expected,
      MemorySegment result,
      DType type,
      int target,
      long offset) {
    int bytes = type.size();
    MemorySegment place = at(offset, bytes);
    boolean equal = MemorySegment.mismatch(place, 0, bytes, expected, 0, bytes) < 0;
    MemorySegment.copy(place, 0, result, 0, bytes);
    if (equal) {
      MemorySegment.copy(origin, 0, place, 0, bytes);
    }
  }
}
