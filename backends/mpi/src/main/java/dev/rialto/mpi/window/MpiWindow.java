package dev.rialto.mpi.window;

import dev.rialto.mpi.collective.ByteSum;
import dev.rialto.mpi.library.Datatypes;
import dev.rialto.mpi.library.Errors;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A window of the MPI library; {@link WindowMaker} makes them. Displacements are bytes. */
final class MpiWindow implements WindowAccess {
  private final MpiGroup group;
  private final long handle;
  private final MemorySegment memory;
  private final boolean shared;

  /** The scope of memory that the library has allocated: it ends when the library frees it. */
  private final @Nullable Arena allocated;

  /** The turns in which elements are combined in the caller's memory, if the library cannot. */
  private final @Nullable TakenTurns turns;

  /** The caller's memory, which its peers reach. */
  private final List<HeldMemory> held = new ArrayList<>();

  /** The bytes of each rank's memory. */
  private final long[] bytes;

  /** The distance from the library's start to that of each rank's memory. */
  private final long[] starts;

  /** The memory that the library reads or writes here for each target. */
  private final OriginMemory[] origins;

  /**
   * Takes a window over.
   *
   * @param allocated the scope of memory that the library has allocated; null if it is the caller's
   * @param shared whether all ranks address the memory
   * @param turns what combines in the caller's memory, if the library cannot
   */
  MpiWindow(
      MpiGroup group,
      long handle,
      MemorySegment memory,
      WindowPlaces places,
      @Nullable Arena allocated,
      boolean shared,
      @Nullable TakenTurns turns) {
    this.group = group;
    this.handle = handle;
    this.memory = memory;
    this.shared = shared;
    this.allocated = allocated;
    this.bytes = places.bytes();
    this.starts = places.starts();
    this.origins = new OriginMemory[starts.length];
    Arrays.setAll(origins, _ -> new OriginMemory());
    this.turns = turns;
    if (allocated == null && memory.byteSize() > 0) {
      held.add(HeldMemory.of(memory));
    }
    Errors.check(
        Native.call(WindowCalls.SET_ERRORS, handle, Mpi.ERRORS_RETURN),
        "setting the error handler");
  }

  @Override
  public MemorySegment segmentOf(int rank) {
    if (!shared) {
      return WindowAccess.super.segmentOf(rank);
    }
    long out = Scratch.get().out();
    check(
        Native.call(WindowCalls.SHARED_QUERY, handle, rank, out, out + 8, out + 16),
        "segmentOf",
        rank,
        bytes[rank]);
    Arena scope = Objects.requireNonNull(allocated);
    return Native.at(Native.getLong(out + 16) + starts[rank], bytes[rank], scope);
  }

  @Override
  public void add(MemorySegment added) {
    if (added.byteSize() == 0) {
      return; // Open MPI 4.1 would not find it to detach it.
    }
    int code = Native.call(WindowCalls.ATTACH, handle, added.address(), added.byteSize());
    check(code, "attach", -1, added.byteSize());
    if (turns != null) {
      turns.attach(added);
    }
    held.add(HeldMemory.of(added));
  }

  @Override
  public void remove(MemorySegment removed) {
    if (removed.byteSize() == 0) {
      return;
    }
    if (turns != null) {
      turns.detach(removed);
    }
    int code = Native.call(WindowCalls.DETACH, handle, removed.address());
    check(code, "detach", -1, removed.byteSize());
    held.removeIf(
        each -> {
          boolean same = each.memory().address() == removed.address();
          if (same) {
            each.close();
          }
          return same;
        });
  }

  @Override
  public void move(boolean put, MemorySegment origin, long length, int target, long offset) {
    origins[target].keep(origin);
    long address = origin.address();
    int units = Datatypes.count(length);
    long unit = Datatypes.ofBytes(length);
    long place = offset + starts[target];
    int code =
        put
            ? Native.call(WindowCalls.PUT, address, units, unit, target, place, units, unit, handle)
            : Native.call(
                WindowCalls.GET, address, units, unit, target, place, units, unit, handle);
    check(code, put ? "put" : "get", target, length);
  }

  @Override
  public void move(
      boolean put, MemorySegment origin, Layout here, int target, long offset, Layout there) {
    origins[target].keep(origin);
    long address = origin.address() + Datatypes.start(here);
    long unit = Datatypes.of(here);
    long place = offset + starts[target] + Datatypes.start(there);
    long unitThere = Datatypes.of(there);
    int code =
        put
            ? Native.call(WindowCalls.PUT, address, 1, unit, target, place, 1, unitThere, handle)
            : Native.call(WindowCalls.GET, address, 1, unit, target, place, 1, unitThere, handle);
    check(code, put ? "put" : "get", target, here.bytes());
  }

  @Override
  public void combine(
      MemorySegment origin, DType type, long count, int target, long offset, ReduceOp.Builtin op) {
    if (turns != null) {
      turns.combine(origin, type, count, target, offset, op);
      return;
    }
    origins[target].keep(origin);
    long datatype = datatype(type);
    long step = atOnce(op, type, count);
    for (long done = 0; done < count; done += step) {
      long units = Math.min(step, count - done);
      long behind = type.bytes(done);
      int code =
          Native.call(
              WindowCalls.ACCUMULATE,
              origin.address() + behind,
              units,
              datatype,
              target,
              offset + starts[target] + behind,
              units,
              datatype,
              Mpi.operator(op),
              handle);
      check(code, "accumulate", target, type.bytes(count));
    }
  }

  @Override
  public void exchange(
      MemorySegment origin,
      MemorySegment result,
      DType type,
      long count,
      int target,
      long offset,
      ReduceOp.Builtin op) {
    if (turns != null) {
      turns.exchange(origin, result, type, count, target, offset, op);
      return;
    }
    origins[target].keep(origin);
    origins[target].keep(result);
    long datatype = datatype(type);
    long step = atOnce(op, type, count);
    for (long done = 0; done < count; done += step) {
      long units = Math.min(step, count - done);
      long behind = type.bytes(done);
      int code =
          Native.call(
              WindowCalls.GET_ACCUMULATE,
              origin.address() + behind,
              units,
              datatype,
              result.address() + behind,
              units,
              datatype,
              target,
              offset + starts[target] + behind,
              units,
              datatype,
              Mpi.operator(op),
              handle);
      check(code, "getAccumulate", target, type.bytes(count));
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
    if (turns != null) {
      turns.exchange(origin, result, type, 1, target, offset, op);
      return;
    }
    origins[target].keep(origin);
    origins[target].keep(result);
    int code =
        Native.call(
            WindowCalls.FETCH_AND_OP,
            origin.address(),
            result.address(),
            datatype(type),
            target,
            offset + starts[target],
            Mpi.operator(op),
            handle);
    check(code, "fetchAndOp", target, type.size());
  }

  @Override
  public void swap(
      MemorySegment origin,
      MemorySegment expected,
      MemorySegment result,
      DType type,
      int target,
      long offset) {
    if (turns != null) {
      turns.swap(origin, expected, result, type, target, offset);
      return;
    }
    origins[target].keep(origin);
    origins[target].keep(expected);
    origins[target].keep(result);
    int code =
        Native.call(
            WindowCalls.COMPARE_AND_SWAP,
            origin.address(),
            expected.address(),
            result.address(),
            Mpi.type(type),
            target,
            offset + starts[target],
            handle);
    check(code, "compareAndSwap", target, type.size());
  }

  @Override
  public void fence() {
    check(Native.call(WindowCalls.FENCE, 0, handle), "fence", -1, 0);
    release();
  }

  @Override
  public void lock(int target, Window.LockMode mode) {
    int kind =
        mode == Window.LockMode.EXCLUSIVE
            ? Mpi.CONSTANTS.lockExclusive()
            : Mpi.CONSTANTS.lockShared();
    check(Native.call(WindowCalls.LOCK, kind, target, 0, handle), "lock", target, 0);
  }

  @Override
  public void unlock(int target) {
    check(Native.call(WindowCalls.UNLOCK, target, handle), "unlock", target, 0);
    require(origins[target].release());
  }

  @Override
  public void lockAll() {
    check(Native.call(WindowCalls.LOCK_ALL, 0, handle), "lockAll", -1, 0);
  }

  @Override
  public void unlockAll() {
    check(Native.call(WindowCalls.UNLOCK_ALL, handle), "unlockAll", -1, 0);
    release();
  }

  @Override
  public void flush(int target) {
    if (target < 0) {
      check(Native.call(WindowCalls.FLUSH_ALL, handle), "flushAll", -1, 0);
      for (OriginMemory each : origins) {
        require(each.completed());
      }
    } else {
      check(Native.call(WindowCalls.FLUSH, target, handle), "flush", target, 0);
      require(origins[target].completed());
    }
  }

  @Override
  public void post(int[] origins) {
    try (RankGroup ranks = new RankGroup(group, origins)) {
      check(Native.call(WindowCalls.POST, ranks.handle(), 0, handle), "post", -1, 0);
    }
  }

  @Override
  public void start(int[] targets) {
    try (RankGroup ranks = new RankGroup(group, targets)) {
      check(Native.call(WindowCalls.START, ranks.handle(), 0, handle), "start", -1, 0);
    }
  }

  @Override
  public void complete() {
    check(Native.call(WindowCalls.COMPLETE, handle), "complete", -1, 0);
    release();
  }

  @Override
  public void await() {
    check(Native.call(WindowCalls.WAIT, handle), "await", -1, 0);
  }

  /** Ends the scope first: who accesses the memory at this moment keeps the window open. */
  @Override
  public void leaveMemory() {
    if (allocated != null) {
      allocated.close();
    }
  }

  @Override
  public void letGo() {
    held.forEach(HeldMemory::close);
  }

  @Override
  public void free() {
    if (turns != null) {
      turns.free();
    }
    long out = Scratch.get().out();
    Mpi.putHandle(out, handle);
    check(Native.call(WindowCalls.FREE, out), "close", -1, memory.byteSize());
  }

  /** Returns the type to combine in; 16-bit numbers are only copied. */
  private static long datatype(DType type) {
    return Mpi.type(type) == 0 ? Mpi.INT16 : Mpi.type(type);
  }

  /** Returns how many elements the library can combine in one call. Each is atomic by itself. */
  static long atOnce(ReduceOp.Builtin op, DType type, long count) {
    boolean saturates =
        op == ReduceOp.Builtin.SUM && type == DType.I8 && Mpi.LIBRARY.faults().saturatesBytes();
    return saturates ? ByteSum.SATURATED - 1 : Math.min(count, 1L << 30);
  }

  private void release() {
    for (OriginMemory each : origins) {
      require(each.release());
    }
  }

  private void require(boolean there) {
    if (!there) {
      throw new IllegalStateException(
          "memory that a put, get or accumulate uses was freed before its epoch ended, on "
              + group.where()
              + "; close its arena after the window's fence, unlock, flush or complete");
    }
  }

  private void check(int code, String name, int target, long length) {
    if (code != 0) {
      throw group.failure(code, new MpiCall(name, target, -1, length));
    }
  }
}
