package dev.rialto.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A window of the MPI library.
 *
 * <p>Displacements are bytes. Memory that the library allocates comes with no promise of its
 * alignment, so more is asked for and each rank's start is told to all, with its size.
 */
final class MpiWindow implements Window {
  private static final int ALIGNMENT = 64;

  private final MpiGroup group;
  private final long handle;
  private final MemorySegment memory;
  private final boolean shared;
  private final boolean dynamic;
  private final boolean allocated;
  private final Epochs epochs = new Epochs();

  /** The bytes of each rank's memory, and how far behind the library's start it starts. */
  private final long[] bytes;

  private final long[] starts;

  /** What the library reads or writes until the epoch ends. */
  private final List<MemorySegment> origins = new ArrayList<>();

  private volatile MemorySegment lastOrigin = MemorySegment.NULL;
  private boolean closed;

  private MpiWindow(
      MpiGroup group,
      long handle,
      MemorySegment memory,
      long start,
      boolean allocated,
      boolean shared,
      boolean dynamic) {
    this.group = group;
    this.handle = handle;
    this.memory = memory;
    this.shared = shared;
    this.dynamic = dynamic;
    this.allocated = allocated;
    Errors.check(
        Native.call(WindowCalls.SET_ERRORS, handle, Mpi.ERRORS_RETURN),
        "setting the error handler");
    int size = group.size();
    bytes = new long[size];
    starts = new long[size];
    try (Arena arena = Arena.ofConfined()) {
      long mine = dynamic ? Long.MAX_VALUE : memory.byteSize();
      MemorySegment all = arena.allocate(JAVA_LONG, 2L * size);
      // Nobody gets here before all have zeroed their memory: this takes something from each.
      group.allGather(arena.allocateFrom(JAVA_LONG, mine, start), all, DType.I64, 2);
      for (int i = 0; i < size; i++) {
        bytes[i] = all.getAtIndex(JAVA_LONG, 2L * i);
        starts[i] = all.getAtIndex(JAVA_LONG, 2L * i + 1);
      }
    }
    group.began();
  }

  static MpiWindow over(MpiGroup group, MemorySegment memory) {
    long out = Scratch.get().out();
    long address = memory.byteSize() == 0 ? 0 : memory.address();
    int code =
        Native.call(
            WindowCalls.CREATE, address, memory.byteSize(), 1, Mpi.INFO_NULL, group.handle(), out);
    group.check(code, new Operation("window", memory.byteSize()));
    return new MpiWindow(group, Mpi.getHandle(out), memory, 0, false, false, false);
  }

  static MpiWindow allocate(MpiGroup group, long bytes) {
    return allocate(group, bytes, false);
  }

  static MpiWindow share(MpiGroup group, long bytes) {
    return allocate(group, bytes, true);
  }

  static MpiWindow dynamic(MpiGroup group) {
    long out = Scratch.get().out();
    int code = Native.call(WindowCalls.CREATE_DYNAMIC, Mpi.INFO_NULL, group.handle(), out);
    group.check(code, new Operation("dynamicWindow", 0));
    return new MpiWindow(group, Mpi.getHandle(out), MemorySegment.NULL, 0, false, false, true);
  }

  private static MpiWindow allocate(MpiGroup group, long bytes, boolean shared) {
    long comm = group.handle();
    if (bytes < 0) {
      throw new IllegalArgumentException("a window of " + bytes + " bytes; give 0 or more");
    }
    long out = Scratch.get().out();
    long base = out + 8;
    // A multiple of the alignment: MPICH 4.0 misplaces what follows an odd size on another rank.
    long asked = (bytes + 2 * ALIGNMENT - 1) & -ALIGNMENT;
    int code =
        shared
            ? Native.call(WindowCalls.ALLOCATE_SHARED, asked, 1, Mpi.INFO_NULL, comm, base, out)
            : Native.call(WindowCalls.ALLOCATE, asked, 1, Mpi.INFO_NULL, comm, base, out);
    group.check(code, new Operation(shared ? "sharedWindow" : "allocateWindow", bytes));
    long first = Native.getLong(base);
    long start = -first & (ALIGNMENT - 1);
    MemorySegment memory = Native.at(first + start, bytes);
    memory.fill((byte) 0);
    return new MpiWindow(group, Mpi.getHandle(out), memory, start, true, shared, false);
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public long bytesOf(int rank) {
    Arguments.rank(rank, group.size(), "rank");
    return bytes[rank];
  }

  @Override
  public MemorySegment segmentOf(int rank) {
    Arguments.rank(rank, group.size(), "rank");
    if (!shared) {
      throw new UnsupportedOperationException(
          "only a shared window has segments of other ranks; make one with sharedWindow");
    }
    long out = Scratch.get().out();
    check(
        Native.call(WindowCalls.SHARED_QUERY, handle(), rank, out, out + 8, out + 16),
        "segmentOf",
        rank,
        bytes[rank]);
    return Native.at(Native.getLong(out + 16) + starts[rank], bytes[rank]);
  }

  @Override
  public void attach(MemorySegment added) {
    checkDynamic();
    Buffers.usable(added, added.byteSize(), "memory");
    int code = Native.call(WindowCalls.ATTACH, handle(), added.address(), added.byteSize());
    check(code, "attach", -1, added.byteSize());
  }

  @Override
  public void detach(MemorySegment removed) {
    checkDynamic();
    int code = Native.call(WindowCalls.DETACH, handle(), removed.address());
    check(code, "detach", -1, removed.byteSize());
  }

  @Override
  public void put(MemorySegment origin, DType type, long count, int target, long offset) {
    long n = Buffers.readable(origin, type, count, "origin");
    if (reaches(type, n, target, offset)) {
      keep(origin);
      int units = Datatypes.count(n);
      long unit = Datatypes.ofBytes(n);
      long place = offset + starts[target];
      int code =
          Native.call(
              WindowCalls.PUT, origin.address(), units, unit, target, place, units, unit, handle());
      check(code, "put", target, n);
    }
  }

  @Override
  public void get(MemorySegment origin, DType type, long count, int target, long offset) {
    long n = Buffers.writable(origin, type, count, "origin");
    if (reaches(type, n, target, offset)) {
      keep(origin);
      int units = Datatypes.count(n);
      long unit = Datatypes.ofBytes(n);
      long place = offset + starts[target];
      int code =
          Native.call(
              WindowCalls.GET, origin.address(), units, unit, target, place, units, unit, handle());
      check(code, "get", target, n);
    }
  }

  @Override
  public void put(MemorySegment origin, Layout from, int target, long offset, Layout to) {
    if (reaches(origin, from, target, offset, to)) {
      check(
          Native.call(
              WindowCalls.PUT,
              origin.address() + Datatypes.start(from),
              1,
              Datatypes.of(from),
              target,
              offset + starts[target] + Datatypes.start(to),
              1,
              Datatypes.of(to),
              handle()),
          "put",
          target,
          from.bytes());
    }
  }

  @Override
  public void get(MemorySegment origin, Layout to, int target, long offset, Layout from) {
    if (to.count() > 0) {
      Arguments.writable(origin, "origin");
    }
    if (reaches(origin, to, target, offset, from)) {
      check(
          Native.call(
              WindowCalls.GET,
              origin.address() + Datatypes.start(to),
              1,
              Datatypes.of(to),
              target,
              offset + starts[target] + Datatypes.start(from),
              1,
              Datatypes.of(from),
              handle()),
          "get",
          target,
          to.bytes());
    }
  }

  @Override
  public void accumulate(
      MemorySegment origin, DType type, long count, int target, long offset, ReduceOp op) {
    long operator = operator(op, type);
    long n = Buffers.readable(origin, type, count, "origin");
    // MPI has the operator that does nothing only where something is fetched.
    if (reaches(type, n, target, offset) && !op.equals(ReduceOp.NO_OP)) {
      keep(origin);
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
                operator,
                handle());
        check(code, "accumulate", target, n);
      }
    }
  }

  @Override
  public void getAccumulate(
      MemorySegment origin,
      MemorySegment result,
      DType type,
      long count,
      int target,
      long offset,
      ReduceOp op) {
    long operator = operator(op, type);
    long n = Buffers.writable(result, type, count, "result");
    if (!op.equals(ReduceOp.NO_OP)) {
      Buffers.readable(origin, type, count, "origin");
    }
    if (reaches(type, n, target, offset)) {
      keep(origin);
      keep(result);
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
                operator,
                handle());
        check(code, "getAccumulate", target, n);
      }
    }
  }

  @Override
  public void fetchAndOp(
      MemorySegment origin,
      MemorySegment result,
      DType type,
      int target,
      long offset,
      ReduceOp op) {
    long operator = operator(op, type);
    long n = Buffers.writable(result, type, 1, "result");
    if (!op.equals(ReduceOp.NO_OP)) {
      Buffers.readable(origin, type, 1, "origin");
    }
    reaches(type, n, target, offset);
    keep(origin);
    keep(result);
    int code =
        Native.call(
            WindowCalls.FETCH_AND_OP,
            origin.address(),
            result.address(),
            datatype(type),
            target,
            offset + starts[target],
            operator,
            handle());
    check(code, "fetchAndOp", target, n);
  }

  @Override
  public void compareAndSwap(
      MemorySegment origin,
      MemorySegment expected,
      MemorySegment result,
      DType type,
      int target,
      long offset) {
    if (type.kind() != DType.Kind.INTEGER) {
      throw new IllegalArgumentException(
          "compareAndSwap of " + type + " elements; give I8, I32 or I64");
    }
    if (target == group.rank() && !allocated && !Mpi.LIBRARY.swapsOwnMemory()) {
      throw new UnsupportedOperationException(
          Mpi.LIBRARY.family()
              + " cannot compare and swap in a rank's own memory that it has not allocated; make"
              + " the window with allocateWindow");
    }
    Buffers.readable(origin, type, 1, "origin");
    Buffers.readable(expected, type, 1, "expected");
    long n = Buffers.writable(result, type, 1, "result");
    reaches(type, n, target, offset);
    keep(origin);
    keep(expected);
    keep(result);
    int code =
        Native.call(
            WindowCalls.COMPARE_AND_SWAP,
            origin.address(),
            expected.address(),
            result.address(),
            Mpi.type(type),
            target,
            offset + starts[target],
            handle());
    check(code, "compareAndSwap", target, n);
  }

  @Override
  public void fence() {
    long window = handle();
    epochs.fence();
    check(Native.call(WindowCalls.FENCE, 0, window), "fence", -1, 0);
    release();
  }

  @Override
  public void lock(int target, LockMode mode) {
    long window = handle();
    Arguments.rank(target, group.size(), "target");
    epochs.checkLock(target);
    int kind =
        mode == LockMode.EXCLUSIVE ? Mpi.CONSTANTS.lockExclusive() : Mpi.CONSTANTS.lockShared();
    check(Native.call(WindowCalls.LOCK, kind, target, 0, window), "lock", target, 0);
    epochs.locked(target);
  }

  @Override
  public void unlock(int target) {
    long window = handle();
    Arguments.rank(target, group.size(), "target");
    epochs.unlock(target);
    check(Native.call(WindowCalls.UNLOCK, target, window), "unlock", target, 0);
    release();
  }

  @Override
  public void lockAll() {
    long window = handle();
    epochs.lockAll();
    check(Native.call(WindowCalls.LOCK_ALL, 0, window), "lockAll", -1, 0);
  }

  @Override
  public void unlockAll() {
    long window = handle();
    epochs.unlockAll();
    check(Native.call(WindowCalls.UNLOCK_ALL, window), "unlockAll", -1, 0);
    release();
  }

  @Override
  public void flush(int target) {
    long window = handle();
    Arguments.rank(target, group.size(), "target");
    epochs.flush(target);
    check(Native.call(WindowCalls.FLUSH, target, window), "flush", target, 0);
  }

  @Override
  public void flushAll() {
    long window = handle();
    epochs.flush(-1);
    check(Native.call(WindowCalls.FLUSH_ALL, window), "flushAll", -1, 0);
    release();
  }

  @Override
  public void post(int... originRanks) {
    long window = handle();
    Arguments.distinctRanks(originRanks, group.size(), "post");
    epochs.post();
    withGroup(
        originRanks,
        ranks -> check(Native.call(WindowCalls.POST, ranks, 0, window), "post", -1, 0));
  }

  @Override
  public void start(int... targets) {
    long window = handle();
    Arguments.distinctRanks(targets, group.size(), "start");
    epochs.start(targets);
    withGroup(
        targets, ranks -> check(Native.call(WindowCalls.START, ranks, 0, window), "start", -1, 0));
  }

  @Override
  public void complete() {
    long window = handle();
    epochs.complete();
    check(Native.call(WindowCalls.COMPLETE, window), "complete", -1, 0);
    release();
  }

  @Override
  public void await() {
    long window = handle();
    epochs.await();
    check(Native.call(WindowCalls.WAIT, window), "await", -1, 0);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    boolean open = epochs.isOpen();
    for (int target : epochs.lockedTargets()) {
      unlock(target);
    }
    if (epochs.allLocked()) {
      unlockAll();
    }
    if (epochs.started()) {
      complete();
    }
    closed = true;
    group.ended();
    long out = Scratch.get().out();
    Mpi.putHandle(out, handle);
    check(Native.call(WindowCalls.FREE, out), "close", -1, memory.byteSize());
    if (open) {
      throw new IllegalStateException(
          "the window was closed within an epoch; end it with fence, unlock, complete or await");
    }
  }

  private long handle() {
    if (closed) {
      throw new IllegalStateException("the window is closed");
    }
    return handle;
  }

  private void checkDynamic() {
    handle();
    if (!dynamic) {
      throw new UnsupportedOperationException(
          "memory is attached to dynamic windows only; make one with dynamicWindow");
    }
  }

  /** Checks an access; returns whether there is anything to do. */
  private boolean reaches(DType type, long length, int target, long offset) {
    handle();
    Arguments.rank(target, group.size(), "target");
    if (offset < 0 || offset > bytes[target] - length) {
      throw new IndexOutOfBoundsException(
          length
              + " bytes at offset "
              + offset
              + " do not lie in the window of rank "
              + target
              + ", which has "
              + bytes[target]
              + " bytes");
    }
    if (offset % type.alignment() != 0) {
      throw new IllegalArgumentException(
          "offset "
              + offset
              + " is no multiple of "
              + type.alignment()
              + ", as "
              + type
              + " needs");
    }
    epochs.access(target);
    return length > 0;
  }

  private boolean reaches(
      MemorySegment origin, Layout here, int target, long offset, Layout there) {
    if (here.type() != there.type() || here.count() != there.count()) {
      throw new IllegalArgumentException(
          "layouts " + here + " and " + there + " do not describe the same elements");
    }
    Arguments.buffer(origin, here, "origin");
    Buffers.usable(origin, here.span(), "origin");
    boolean some = reaches(there.type(), there.span(), target, offset);
    if (some) {
      keep(origin);
    }
    return some;
  }

  private static long operator(ReduceOp op, DType type) {
    Arguments.operator(op, type);
    if (!(op instanceof ReduceOp.Builtin builtin)) {
      throw new UnsupportedOperationException(
          "MPI windows combine with built-in operators only, not with " + op.label());
    }
    if (Mpi.type(type) == 0 && !op.equals(ReduceOp.REPLACE) && !op.equals(ReduceOp.NO_OP)) {
      throw Capability.HALF_REDUCTIONS.unsupported("a window of mpi");
    }
    return Mpi.operator(builtin);
  }

  /** Returns the type to combine in; 16-bit numbers are only copied. */
  private static long datatype(DType type) {
    return Mpi.type(type) == 0 ? Mpi.INT16 : Mpi.type(type);
  }

  /** Returns how many elements the library can combine in one call. Each is atomic by itself. */
  private static long atOnce(ReduceOp op, DType type, long count) {
    boolean saturates = op.equals(ReduceOp.SUM) && type == DType.I8 && Mpi.LIBRARY.saturatesBytes();
    return saturates ? ByteSum.SATURATED - 1 : Math.min(count, 1L << 30);
  }

  /** Keeps a buffer reachable until {@link #release}. A loop over one buffer allocates nothing. */
  private void keep(MemorySegment origin) {
    if (!origin.equals(lastOrigin)) {
      synchronized (origins) {
        origins.add(origin);
      }
      lastOrigin = origin;
    }
  }

  private void release() {
    lastOrigin = MemorySegment.NULL;
    synchronized (origins) {
      origins.clear();
    }
  }

  private interface GroupCall {
    void run(long group);
  }

  private void withGroup(int[] ranks, GroupCall call) {
    long out = Scratch.get().out();
    check(Native.call(WindowCalls.COMM_GROUP, group.handle(), out), "group", -1, 0);
    long all = Mpi.getHandle(out);
    try (Arena arena = Arena.ofConfined()) {
      long list = arena.allocateFrom(JAVA_INT, ranks).address();
      check(Native.call(WindowCalls.GROUP_INCL, all, ranks.length, list, out), "group", -1, 0);
    }
    long some = Mpi.getHandle(out);
    try {
      call.run(some);
    } finally {
      freeGroup(some);
      freeGroup(all);
    }
  }

  private void freeGroup(long handleOfGroup) {
    long out = Scratch.get().out();
    Mpi.putHandle(out, handleOfGroup);
    check(Native.call(WindowCalls.GROUP_FREE, out), "group", -1, 0);
  }

  private void check(int code, String name, int target, long length) {
    if (code != 0) {
      throw group.failure(code, new Operation(name, target, -1, length));
    }
  }
}
