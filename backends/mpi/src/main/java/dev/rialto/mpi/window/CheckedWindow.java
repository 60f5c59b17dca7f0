package dev.rialto.mpi.window;

import dev.rialto.mpi.collective.CollectiveKind;
import dev.rialto.mpi.collective.Signature;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.message.BufferChecks;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.parts.messages.EpochWindow;
import dev.rialto.spi.parts.messages.WindowChecks;
import java.lang.foreign.MemorySegment;

/**
 * The rules of windows however their memory is reached: what may be asked for, and when. Libraries
 * check little of this and leave the rest undefined.
 */
public final class CheckedWindow extends EpochWindow {
  private final MpiGroup group;
  private final WindowAccess access;
  private final MemorySegment memory;

  /** Whether the arena of the memory can be closed while the window is open. */
  private final boolean closeable;

  private final boolean dynamic;

  /** The bytes of each rank's memory. */
  private final long[] bytes;

  /** Which window of its communicator this is. */
  private final int number;

  CheckedWindow(
      MpiGroup group,
      WindowAccess access,
      MemorySegment memory,
      boolean closeable,
      boolean dynamic,
      long[] bytes) {
    this(group, access, memory, closeable, dynamic, bytes, group.nextWindow());
  }

  private CheckedWindow(
      MpiGroup group,
      WindowAccess access,
      MemorySegment memory,
      boolean closeable,
      boolean dynamic,
      long[] bytes,
      int number) {
    super(name(number, group), group.size());
    this.group = group;
    this.access = access;
    this.memory = memory;
    this.closeable = closeable;
    this.dynamic = dynamic;
    this.bytes = bytes;
    this.number = number;
    group.began();
    group.job().opened(this);
  }

  public MpiGroup group() {
    return group;
  }

  @Override
  public String toString() {
    return name(number, group);
  }

  private static String name(int number, MpiGroup group) {
    return "window " + number + " of " + group.name();
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
    return access.segmentOf(rank);
  }

  @Override
  public void attach(MemorySegment added) {
    checkDynamic();
    BufferChecks.usable(added, added.byteSize(), "memory");
    access.add(added);
  }

  @Override
  public void detach(MemorySegment removed) {
    checkDynamic();
    access.remove(removed);
  }

  @Override
  public void put(MemorySegment origin, DType type, long count, int target, long offset) {
    long length = BufferChecks.readable(origin, type, count, "origin");
    if (reaches(type, length, target, offset)) {
      access.move(true, origin, length, target, offset);
    }
  }

  @Override
  public void get(MemorySegment origin, DType type, long count, int target, long offset) {
    long length = BufferChecks.writable(origin, type, count, "origin");
    if (reaches(type, length, target, offset)) {
      access.move(false, origin, length, target, offset);
    }
  }

  @Override
  public void put(MemorySegment origin, Layout from, int target, long offset, Layout to) {
    if (reaches(origin, from, target, offset, to)) {
      access.move(true, origin, from, target, offset, to);
    }
  }

  @Override
  public void get(MemorySegment origin, Layout to, int target, long offset, Layout from) {
    if (to.count() > 0) {
      Arguments.writable(origin, "origin");
    }
    if (reaches(origin, to, target, offset, from)) {
      access.move(false, origin, to, target, offset, from);
    }
  }

  @Override
  public void accumulate(
      MemorySegment origin, DType type, long count, int target, long offset, ReduceOp op) {
    ReduceOp.Builtin operator = operator(op, type);
    long length = BufferChecks.readable(origin, type, count, "origin");
    // MPI has the operator that does nothing only where something is fetched.
    if (reaches(type, length, target, offset) && operator != ReduceOp.Builtin.NO_OP) {
      access.combine(origin, type, count, target, offset, operator);
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
    ReduceOp.Builtin operator = operator(op, type);
    long length = fetched(origin, result, type, count, operator);
    if (reaches(type, length, target, offset)) {
      access.exchange(origin, result, type, count, target, offset, operator);
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
    ReduceOp.Builtin operator = operator(op, type);
    reaches(type, fetched(origin, result, type, 1, operator), target, offset);
    access.fetch(origin, result, type, target, offset, operator);
  }

  private static long fetched(
      MemorySegment origin, MemorySegment result, DType type, long count, ReduceOp.Builtin op) {
    long length = BufferChecks.writable(result, type, count, "result");
    if (op != ReduceOp.Builtin.NO_OP) {
      BufferChecks.readable(origin, type, count, "origin");
    }
    return length;
  }

  @Override
  public void compareAndSwap(
      MemorySegment origin,
      MemorySegment expected,
      MemorySegment result,
      DType type,
      int target,
      long offset) {
    WindowChecks.swappable(type);
    BufferChecks.readable(origin, type, 1, "origin");
    BufferChecks.readable(expected, type, 1, "expected");
    reaches(type, BufferChecks.writable(result, type, 1, "result"), target, offset);
    access.swap(origin, expected, result, type, target, offset);
  }

  @Override
  protected void meet() {
    group.agree(true, Signature.of(CollectiveKind.FENCE, number), 0);
    access.fence();
  }

  @Override
  protected void acquire(int target, LockMode mode) {
    lockOrFail("lock", target, () -> access.lock(target, mode), () -> access.unlock(target));
  }

  @Override
  protected void release(int target, LockMode mode) {
    group.inLibrary("unlock", target, () -> access.unlock(target));
  }

  @Override
  protected void acquireAll() {
    lockOrFail("lockAll", -1, access::lockAll, access::unlockAll);
  }

  /** Locks, but does not keep what was locked only because a rank has failed and let it go. */
  private void lockOrFail(String name, int target, Runnable lock, Runnable unlock) {
    try {
      group.inLibrary(name, target, lock);
    } catch (PeerFailedException e) {
      unlock.run();
      throw e;
    }
  }

  @Override
  protected void releaseAll() {
    group.inLibrary("unlockAll", -1, access::unlockAll);
  }

  @Override
  protected void completeAccesses(int target) {
    group.inLibrary(target < 0 ? "flushAll" : "flush", target, () -> access.flush(target));
  }

  @Override
  protected void admit(int[] origins) {
    access.post(origins);
  }

  @Override
  protected void enter(int[] targets) {
    group.inLibrary("start of an epoch", -1, () -> access.start(targets));
  }

  @Override
  protected void leave(int[] targets) {
    group.inLibrary("complete of an epoch", -1, access::complete);
  }

  @Override
  protected void awaitLeft(int[] origins) {
    group.inLibrary("await of an epoch", -1, access::await);
  }

  @Override
  public void close() {
    if (epoch.closed()) {
      return;
    }
    group.job().closed(this);
    if (group.job().watch().failed()) {
      // The library keeps the memory to the end of the process, which is near.
      var _ = epoch.close();
      group.ended();
      access.letGo();
      return;
    }
    IllegalStateException wrong = epoch.close();
    if (wrong != null) {
      group.inLibrary("end of an epoch", -1, this::endEpochs);
    }
    access.leaveMemory();
    try {
      group.agree(true, Signature.of(CollectiveKind.CLOSE_WINDOW, number), 0);
      access.free();
    } finally {
      access.letGo();
      group.ended();
    }
    if (wrong != null) {
      throw wrong;
    }
  }

  private void endEpochs() {
    unlockHeld();
    if (epoch.isStarted()) {
      access.complete();
    }
  }

  /** Lets go what this rank has locked, so that others need not wait for it. */
  public void unlockHeld() {
    if (epoch.allLocked()) {
      access.unlockAll();
      return;
    }
    for (int target = 0; target < group.size(); target++) {
      if (epoch.lockOn(target) != null) {
        access.unlock(target);
      }
    }
  }

  /** Checks that the window can be used: it is open, its memory lives, and no rank has failed. */
  private void checkOpen() {
    epoch.checkOpen("a call");
    checkUsable();
  }

  @Override
  protected void checkEnding() {
    checkUsable();
  }

  @Override
  protected void checkUsable() {
    if (closeable && !memory.scope().isAlive()) {
      throw new IllegalStateException(
          "the memory of window "
              + number
              + " is in an arena that was closed; close the window first");
    }
    group.job().watch().check(false, group.name());
  }

  private void checkDynamic() {
    checkOpen();
    if (!dynamic) {
      throw new UnsupportedOperationException(
          "memory is attached to dynamic windows only; make one with dynamicWindow");
    }
  }

  /** Checks an access; returns whether there is anything to do. */
  private boolean reaches(DType type, long length, int target, long offset) {
    Arguments.rank(target, bytes.length, "target");
    epoch.access("an access", target);
    checkUsable();
    WindowChecks.place(type, length, target, offset, bytes[target]);
    return length > 0;
  }

  private boolean reaches(
      MemorySegment origin, Layout here, int target, long offset, Layout there) {
    Arguments.sameMessage(here, there);
    Arguments.buffer(origin, here, "origin");
    BufferChecks.usable(origin, here.span(), "origin");
    return reaches(there.type(), there.span(), target, offset);
  }

  private static ReduceOp.Builtin operator(ReduceOp op, DType type) {
    ReduceOp.Builtin builtin = WindowChecks.builtin(op, type, "MPI windows");
    boolean copies = builtin == ReduceOp.Builtin.REPLACE || builtin == ReduceOp.Builtin.NO_OP;
    if (Mpi.type(type) == 0 && !copies) {
      throw Capability.HALF_REDUCTIONS.unsupported("a window of mpi");
    }
    return builtin;
  }
}
