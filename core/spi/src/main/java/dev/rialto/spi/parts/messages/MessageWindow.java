package dev.rialto.spi.parts.messages;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.data.ReduceOp.Builtin;
import dev.rialto.spi.parts.messages.WindowRequest.Kind;
import dev.rialto.system.HostMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One rank's end of a window over messages. What is wrong with an access is said here, before a
 * request is sent; what only the target can know is told when the epoch ends. Elements that do not
 * lie together take a request for each piece that does at both ends.
 */
final class MessageWindow extends EpochWindow {
  private final MessageWindows comm;
  private final long number;
  private final WindowTarget mine;
  private final MemorySegment memory;
  private final @Nullable Arena arena;
  private final long[] bytes;
  private final boolean[] readOnly;
  private final int[] all;
  private final PendingAccesses pending;

  /**
   * Makes this rank's end.
   *
   * @param mine what others reach of this rank
   * @param arena what the memory goes back with; null if it is the caller's
   * @param bytes of each rank's memory
   * @param readOnly whether a rank's memory cannot be written
   */
  MessageWindow(
      MessageWindows comm,
      long number,
      WindowTarget mine,
      MemorySegment memory,
      @Nullable Arena arena,
      long[] bytes,
      boolean[] readOnly) {
    super(comm.nameOf(number), bytes.length);
    this.comm = comm;
    this.number = number;
    this.mine = mine;
    this.memory = memory;
    this.arena = arena;
    this.bytes = bytes;
    this.readOnly = readOnly;
    this.all = IntStream.range(0, bytes.length).toArray();
    this.pending = new PendingAccesses(comm, number);
  }

  @Override
  public MemorySegment memory() {
    epoch.checkOpen("memory");
    return memory;
  }

  @Override
  public long bytesOf(int rank) {
    Arguments.rank(rank, bytes.length, "rank");
    return bytes[rank];
  }

  @Override
  public MemorySegment segmentOf(int rank) {
    throw new UnsupportedOperationException(
        "only a shared window gives others' memory, and " + this + " is made of messages");
  }

  @Override
  public void attach(MemorySegment added) {
    checkDynamic("attach", isDynamic(), added);
    HostMemory.requireReadable(added, 0, "memory of a window");
    HostMemory.requireShared(added, "memory of a window");
    mine.add(added, added.address());
  }

  @Override
  public void detach(MemorySegment removed) {
    checkDynamic("detach", isDynamic(), removed);
    mine.remove(removed.address(), removed.byteSize());
  }

  private boolean isDynamic() {
    return bytes[0] == Long.MAX_VALUE;
  }

  @Override
  public void put(MemorySegment origin, DType type, long count, int target, long offset) {
    accumulate(origin, type, count, target, offset, ReduceOp.REPLACE);
  }

  @Override
  public void get(MemorySegment origin, DType type, long count, int target, long offset) {
    checkResult(origin, type, count, "origin");
    access(MemorySegment.NULL, origin, type, count, target, offset, Builtin.NO_OP);
  }

  @Override
  public void put(MemorySegment origin, Layout from, int target, long offset, Layout to) {
    Arguments.sameMessage(from, to);
    Arguments.buffer(origin, from, "origin");
    HostMemory.requireReadable(origin, from.span(), "origin");
    checkPlace(to.type(), to.span(), target, offset, true);
    StridedCopy.of(from, to)
        .forEachPiece(
            (here, there, length) ->
                access(
                    origin.asSlice(here, length),
                    null,
                    to.type(),
                    length / to.type().size(),
                    target,
                    offset + there,
                    Builtin.REPLACE));
  }

  @Override
  public void get(MemorySegment origin, Layout to, int target, long offset, Layout from) {
    Arguments.sameMessage(from, to);
    Arguments.buffer(origin, to, "origin");
    HostMemory.requireWritable(origin, to.span(), "origin");
    checkPlace(from.type(), from.span(), target, offset, false);
    StridedCopy.of(from, to)
        .forEachPiece(
            (there, here, length) ->
                access(
                    MemorySegment.NULL,
                    origin.asSlice(here, length),
                    from.type(),
                    length / from.type().size(),
                    target,
                    offset + there,
                    Builtin.NO_OP));
  }

  @Override
  public void accumulate(
      MemorySegment origin, DType type, long count, int target, long offset, ReduceOp op) {
    Builtin operator = operator(op, type);
    checkOrigin(origin, type, count, operator, "origin");
    access(origin, null, type, count, target, offset, operator);
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
    Builtin operator = operator(op, type);
    checkOrigin(origin, type, count, operator, "origin");
    checkResult(result, type, count, "result");
    access(origin, result, type, count, target, offset, operator);
  }

  private static Builtin operator(ReduceOp op, DType type) {
    return WindowChecks.builtin(op, type, "windows over messages");
  }

  /** Checks what is read; without an operation nothing is. */
  private static void checkOrigin(
      MemorySegment origin, DType type, long count, Builtin op, String role) {
    if (op == Builtin.NO_OP) {
      var _ = type.bytes(count); // refuses one that is negative
    } else {
      HostMemory.requireReadable(origin, Arguments.buffer(origin, type, count, role), role);
    }
  }

  private static void checkResult(MemorySegment result, DType type, long count, String role) {
    HostMemory.requireWritable(result, Arguments.buffer(result, type, count, role), role);
  }

  /** Sends the requests of an access, whose elements need not fit into one. */
  private void access(
      MemorySegment origin,
      @Nullable MemorySegment result,
      DType type,
      long count,
      int target,
      long offset,
      Builtin op) {
    checkPlace(type, type.bytes(count), target, offset, op != Builtin.NO_OP);
    if (op == Builtin.NO_OP && result == null) {
      return;
    }
    long most = WindowRequest.LONGEST / type.size();
    for (long first = 0; first < count; first += most) {
      long elements = Math.min(most, count - first);
      long from = type.bytes(first);
      long length = type.bytes(elements);
      MemorySegment operands =
          op == Builtin.NO_OP ? MemorySegment.NULL : origin.asSlice(from, length);
      pending.begin(
          target,
          new WindowRequest(
              Kind.UPDATE,
              number,
              WindowRequest.SILENT,
              type,
              op,
              offset + from,
              elements,
              operands),
          result == null ? null : result.asSlice(from, length));
    }
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
    checkOrigin(origin, type, 1, Builtin.REPLACE, "origin");
    checkOrigin(expected, type, 1, Builtin.REPLACE, "expected");
    checkResult(result, type, 1, "result");
    long size = type.size();
    checkPlace(type, size, target, offset, true);
    MemorySegment both = MemorySegment.ofArray(new byte[2 * type.size()]);
    MemorySegment.copy(origin, 0, both, 0, size);
    MemorySegment.copy(expected, 0, both, size, size);
    pending.begin(
        target,
        new WindowRequest(
            Kind.SWAP, number, WindowRequest.SILENT, type, Builtin.REPLACE, offset, 1, both),
        result.asSlice(0, size));
  }

  private void checkPlace(DType type, long length, int target, long offset, boolean writes) {
    Arguments.rank(target, bytes.length, "target");
    epoch.access("an access", target);
    WindowChecks.place(type, length, target, offset, bytes[target]);
    if (writes && length > 0 && readOnly[target]) {
      throw new IllegalArgumentException(
          "the memory of rank " + target + " in " + this + " is read-only");
    }
  }

  /** Waits until ranks grant something or have come so far. */
  private void askAll(Kind kind, int... ranks) {
    MessageWindows.awaitAll(
        Arrays.stream(ranks).mapToObj(rank -> comm.ask(rank, kind, number)).toList());
  }

  private void tellAll(Kind kind, int... ranks) {
    for (int rank : ranks) {
      comm.tell(rank, WindowRequest.of(kind, number, WindowRequest.SILENT));
    }
  }

  @Override
  protected void checkMemory(String call) {
    mine.requireAlive(call);
  }

  @Override
  protected void meet() {
    // A rank whose accesses have failed comes to the fence all the same: others wait for it.
    MessageWindows.awaitAll(
        List.of(
            () -> completeAccesses(-1),
            () -> {
              mine.pass(Kind.ARRIVE, all);
              askAll(Kind.ARRIVE, all);
            }));
  }

  @Override
  protected void acquire(int target, LockMode mode) {
    lock(mode == LockMode.SHARED ? Kind.LOCK_SHARED : Kind.LOCK_EXCLUSIVE, target);
  }

  @Override
  protected void acquireAll() {
    lock(Kind.LOCK_SHARED, all);
  }

  /** Waits for locks, and gives them all up if one is not to be had. */
  private void lock(Kind kind, int... targets) {
    try {
      askAll(kind, targets);
    } catch (RuntimeException e) {
      try {
        tellAll(Kind.UNLOCK, targets);
      } catch (RuntimeException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  @Override
  protected void release(int target, LockMode mode) {
    pending.finish(Kind.UNLOCK, target);
  }

  @Override
  protected void releaseAll() {
    pending.finish(Kind.UNLOCK, all);
  }

  @Override
  protected void completeAccesses(int target) {
    if (target < 0) {
      pending.finish(Kind.FLUSH, pending.targets());
    } else {
      pending.finish(Kind.FLUSH, target);
    }
  }

  @Override
  protected void admit(int[] origins) {
    mine.pass(Kind.START, origins);
  }

  @Override
  protected void enter(int[] targets) {
    askAll(Kind.START, targets);
  }

  @Override
  protected void leave(int[] targets) {
    MessageWindows.awaitAll(
        List.of(() -> completeAccesses(-1), () -> mine.pass(Kind.AWAIT, targets)));
  }

  @Override
  protected void awaitLeft(int[] origins) {
    askAll(Kind.AWAIT, origins);
  }

  @Override
  public void close() {
    if (epoch.closed()) {
      return;
    }
    int[] locked = Arrays.stream(all).filter(rank -> epoch.lockOn(rank) != null).toArray();
    IllegalStateException wrong = epoch.close();
    try {
      // A rank whose accesses have failed lets the others go all the same. In an open epoch a
      // failure is on its way up, of which they may not know yet.
      MessageWindows.awaitAll(
          List.of(
              () -> pending.finish(Kind.UNLOCK, locked),
              () -> pending.finish(Kind.FLUSH, pending.targets()),
              () -> mine.pass(Kind.ARRIVE, all),
              wrong == null ? this::leave : () -> tellAll(Kind.ARRIVE, all)));
    } finally {
      comm.closed(number, mine, arena);
    }
    if (wrong != null) {
      throw wrong;
    }
  }

  /** Waits for the others, and until they know that this rank has come: it may end after this. */
  private void leave() {
    askAll(Kind.ARRIVE, all);
    mine.awaitPassed(Kind.ARRIVE);
  }

  @Override
  public String toString() {
    return comm.nameOf(number);
  }
}
