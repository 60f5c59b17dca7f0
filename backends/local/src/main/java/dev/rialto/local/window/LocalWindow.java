package dev.rialto.local.window;

import dev.rialto.local.collective.CollectiveKind;
import dev.rialto.local.collective.LocalCollectives;
import dev.rialto.local.memory.Memory;
import dev.rialto.local.memory.Runs;
import dev.rialto.local.window.WindowSide.Region;
import dev.rialto.local.world.Member;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.parts.messages.EpochWindow;
import dev.rialto.spi.parts.messages.WindowChecks;
import dev.rialto.system.HostMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One rank's end of a window. All ranks share one address space, so an operation is carried out at
 * once by the rank that asks for it, straight on the target's memory, and is complete when the call
 * returns; epochs only say when that is allowed.
 */
final class LocalWindow extends EpochWindow {
  /** The longest that a loop of another rank may hold memory that is to be freed. */
  private static final long HELD_NANOS = 1_000_000_000;

  private final Member member;
  private final LocalCollectives collectives;
  private final int number;
  private final WindowSide[] sides;
  private final WindowSide mine;
  private final MemorySegment memory;
  private final MemorySegment[] segments;
  private final @Nullable Arena arena;
  private final WindowSync sync;
  private final Atomics atomics = new Atomics();

  /**
   * Makes this rank's end.
   *
   * @param segments all ranks' memory if it is shared, none otherwise
   * @param arena what the memory goes back with; null if it is the caller's
   */
  LocalWindow(
      Member member,
      LocalCollectives collectives,
      int number,
      WindowSide[] sides,
      MemorySegment memory,
      MemorySegment[] segments,
      @Nullable Arena arena) {
    super(name(number, member), member.size());
    this.member = member;
    this.collectives = collectives;
    this.number = number;
    this.sides = sides;
    this.mine = sides[member.rank()];
    this.memory = memory;
    this.segments = segments;
    this.arena = arena;
    this.sync = new WindowSync(member, sides, toString());
  }

  @Override
  public MemorySegment memory() {
    epoch.checkOpen("memory");
    return memory;
  }

  @Override
  public long bytesOf(int rank) {
    Arguments.rank(rank, sides.length, "rank");
    return sides[rank].bytes();
  }

  @Override
  public MemorySegment segmentOf(int rank) {
    epoch.checkOpen("segmentOf");
    Arguments.rank(rank, sides.length, "rank");
    if (segments.length == 0) {
      throw new UnsupportedOperationException(
          "only a shared window gives others' memory; make it with sharedWindow");
    }
    return segments[rank];
  }

  @Override
  public void attach(MemorySegment added) {
    checkDynamic("attach", mine.dynamic(), added);
    Memory.check(added, "memory");
    HostMemory.requireShared(added, "memory of a window");
    if (mine.overlaps(added.address(), added.byteSize())) {
      throw new IllegalArgumentException(
          "%d bytes at %d overlap what is attached; detach that first"
              .formatted(added.byteSize(), added.address()));
    }
    mine.add(added, added.address());
  }

  @Override
  public void detach(MemorySegment removed) {
    checkDynamic("detach", mine.dynamic(), removed);
    if (!mine.remove(removed.address(), removed.byteSize())) {
      throw new IllegalArgumentException(
          "%d bytes at %d are not attached; give what attach was given"
              .formatted(removed.byteSize(), removed.address()));
    }
    sync.awaitUntouched();
  }

  @Override
  public void put(MemorySegment origin, DType type, long count, int target, long offset) {
    long bytes = Arguments.buffer(origin, type, count, "origin");
    Region to = begin("put", type, bytes, target, offset, true);
    try {
      Memory.copySmall(origin, 0, to.memory(), to.at(offset), bytes);
    } catch (IllegalStateException e) {
      throw explained("put", target, to, e);
    } finally {
      mine.release(target);
    }
  }

  @Override
  public void get(MemorySegment origin, DType type, long count, int target, long offset) {
    long bytes = Arguments.buffer(origin, type, count, "origin");
    writable(origin, bytes, "origin");
    Region from = begin("get", type, bytes, target, offset, false);
    try {
      Memory.copySmall(from.memory(), from.at(offset), origin, 0, bytes);
    } catch (IllegalStateException e) {
      throw explained("get", target, from, e);
    } finally {
      mine.release(target);
    }
  }

  @Override
  public void put(MemorySegment origin, Layout from, int target, long offset, Layout to) {
    Arguments.sameMessage(from, to);
    Arguments.buffer(origin, from, "origin");
    access(
        "put",
        target,
        begin("put", to.type(), to.span(), target, offset, true),
        at ->
            Memory.copy(
                origin, 0, Runs.of(from), at.memory(), at.at(offset), Runs.of(to), to.bytes()));
  }

  @Override
  public void get(MemorySegment origin, Layout to, int target, long offset, Layout from) {
    Arguments.sameMessage(from, to);
    Arguments.buffer(origin, to, "origin");
    writable(origin, to.bytes(), "origin");
    access(
        "get",
        target,
        begin("get", from.type(), from.span(), target, offset, false),
        at ->
            Memory.copy(
                at.memory(), at.at(offset), Runs.of(from), origin, 0, Runs.of(to), to.bytes()));
  }

  @Override
  public void accumulate(
      MemorySegment origin, DType type, long count, int target, long offset, ReduceOp op) {
    Arguments.operator(op, type);
    long bytes = checkOrigin(origin, type, count, op);
    access(
        "accumulate",
        target,
        begin("accumulate", type, bytes, target, offset, true),
        at -> atomics.update(sides[target], at, offset, origin, null, type, count, op));
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
    Arguments.operator(op, type);
    long bytes = checkOrigin(origin, type, count, op);
    var _ = Arguments.buffer(result, type, count, "result");
    writable(result, bytes, "result");
    if (!op.equals(ReduceOp.NO_OP)) {
      Arguments.disjoint(origin, bytes, result, bytes);
    }
    access(
        "getAccumulate",
        target,
        begin("getAccumulate", type, bytes, target, offset, !op.equals(ReduceOp.NO_OP)),
        at -> atomics.update(sides[target], at, offset, origin, result, type, count, op));
  }

  /** Without an operation the origin is not looked at and may be anything. */
  private static long checkOrigin(MemorySegment origin, DType type, long count, ReduceOp op) {
    return op.equals(ReduceOp.NO_OP)
        ? type.bytes(count)
        : Arguments.buffer(origin, type, count, "origin");
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
    long bytes = Arguments.buffer(origin, type, 1, "origin");
    var _ = Arguments.buffer(expected, type, 1, "expected");
    var _ = Arguments.buffer(result, type, 1, "result");
    writable(result, bytes, "result");
    access(
        "compareAndSwap",
        target,
        begin("compareAndSwap", type, bytes, target, offset, true),
        at -> atomics.compareAndSwap(sides[target], at, offset, origin, expected, result, type));
  }

  /** Carries out an access that was begun. Short ones do that themselves: this makes an object. */
  private void access(String call, int target, Region place, Consumer<Region> work) {
    try {
      work.accept(place);
    } catch (IllegalStateException e) {
      throw explained(call, target, place, e);
    } finally {
      mine.release(target);
    }
  }

  /** Tells memory that the target freed from memory that the caller freed. */
  private RuntimeException explained(
      String call, int target, Region region, IllegalStateException cause) {
    if (region.memory().scope().isAlive()) {
      return cause;
    }
    Memory.brokenOff();
    return target == member.rank()
        ? freed(call)
        : new PeerFailedException(
            "%s to rank %d, which freed its memory of %s".formatted(call, target, this),
            member.self.toString(),
            "keep its arena open until the window is closed",
            cause);
  }

  private IllegalStateException freed(String call) {
    return new IllegalStateException(
        "%s: %s on %s, whose memory on this rank was freed; keep its arena open until the window is closed"
            .formatted(member.self, call, this));
  }

  @Override
  protected void checkMemory(String call) {
    if (mine.freed()) {
      throw freed(call);
    }
  }

  private static void writable(MemorySegment buffer, long bytes, String role) {
    if (bytes > 0) {
      Arguments.writable(buffer, role);
    }
  }

  /** Checks an access and shows that it takes place; its end must be shown too. */
  private Region begin(
      String call, DType type, long bytes, int target, long offset, boolean writes) {
    Arguments.rank(target, sides.length, "target");
    member.checkRunning();
    epoch.access(call, target);
    WindowChecks.aligned(type, offset);
    mine.touch(target);
    boolean found = false;
    try {
      Region region = sides[target].find(call, target, offset, bytes);
      if (writes && bytes > 0 && region.readOnly()) {
        throw new IllegalArgumentException(
            call + " to memory of rank " + target + " that is read-only");
      }
      found = true;
      return region;
    } finally {
      if (!found) {
        mine.release(target);
      }
    }
  }

  @Override
  protected void checkUsable() {
    member.checkRunning();
  }

  @Override
  protected void meet() {
    collectives.meet(CollectiveKind.FENCE, number, true);
  }

  @Override
  protected void acquire(int target, LockMode mode) {
    sync.lock(target, mode);
  }

  @Override
  protected void release(int target, LockMode mode) {
    sync.unlock(target, mode);
  }

  @Override
  protected void acquireAll() {
    int locked = 0;
    try {
      while (locked < sides.length) {
        sync.lock(locked, LockMode.SHARED);
        locked++;
      }
    } finally {
      for (int target = 0; locked < sides.length && target < locked; target++) {
        sync.unlock(target, LockMode.SHARED);
      }
    }
  }

  @Override
  protected void releaseAll() {
    for (int target = 0; target < sides.length; target++) {
      sync.unlock(target, LockMode.SHARED);
    }
  }

  /** Accesses are done when they return; the fence orders them before what tells the target. */
  @Override
  protected void completeAccesses(int target) {
    VarHandle.fullFence();
  }

  @Override
  protected void admit(int[] origins) {
    sync.post(origins);
  }

  @Override
  protected void enter(int[] targets) {
    sync.start(targets);
  }

  @Override
  protected void leave(int[] targets) {
    sync.complete(targets);
  }

  @Override
  protected void awaitLeft(int[] origins) {
    sync.await(origins);
  }

  @Override
  public void close() {
    if (epoch.closed()) {
      return;
    }
    for (int target = 0; target < sides.length; target++) {
      LockMode mode = epoch.lockOn(target);
      if (mode != null) {
        sync.unlock(target, mode);
      }
    }
    IllegalStateException wrong = epoch.close();
    member.deregister(this);
    try {
      // When the world has failed closing is local, and other calls tell of the failure.
      if (!member.failed()) {
        // In an open epoch a failure is on its way up, of which the others may not know yet.
        collectives.meet(CollectiveKind.CLOSE_WINDOW, number, wrong == null);
      }
    } finally {
      mine.close();
      sync.awaitUntouched();
      if (arena != null) {
        free(arena);
      }
    }
    if (wrong != null) {
      throw wrong;
    }
  }

  /** Frees this rank's memory when those who hold it at this moment have let go of it. */
  private void free(Arena own) {
    long start = System.nanoTime();
    while (true) {
      try {
        own.close();
        return;
      } catch (IllegalStateException held) {
        if (System.nanoTime() - start > HELD_NANOS) {
          throw new IllegalStateException(
              "%s: the memory of %s cannot be freed while it is used".formatted(member.self, this),
              held);
        }
        Thread.onSpinWait();
      }
    }
  }

  @Override
  public String toString() {
    return name(number, member);
  }

  private static String name(int number, Member member) {
    return "window " + number + " of " + member.name();
  }
}
