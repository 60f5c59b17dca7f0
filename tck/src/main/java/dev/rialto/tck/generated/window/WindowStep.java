package dev.rialto.tck.generated.window;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.comm.Window.LockMode;
import dev.rialto.spi.data.DType;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.Coverage.Dimension;
import dev.rialto.tck.generated.Group;
import dev.rialto.tck.generated.GuardedBuffers;
import dev.rialto.tck.generated.Meeting;
import dev.rialto.tck.generated.Placement;
import dev.rialto.tck.generated.RankRun;
import dev.rialto.tck.generated.Step;
import dev.rialto.tck.generated.Words;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A window, and epochs of accesses to it.
 *
 * <p>The front of each rank's memory is for raw bytes, the back for numbers of one type that are
 * combined; before each epoch the ranks reset their numbers, so that sums stay exact.
 *
 * @param raw the bytes at the front of each rank's memory
 * @param numbers the numbers at the back of each rank's memory
 */
record WindowStep(
    Group group,
    Kind kind,
    DType type,
    List<Long> raw,
    List<Long> numbers,
    List<Epoch> epochs,
    long seed)
    implements Step {
  enum Kind {
    /** The caller gives it. */
    WINDOW,
    /** The window has its own. */
    ALLOCATE_WINDOW,
    /** Ranks see one another's. */
    SHARED_WINDOW,
    /** Memory is attached. */
    DYNAMIC_WINDOW
  }

  enum Sync {
    FENCE,
    LOCK_SHARED,
    LOCK_EXCLUSIVE,
    LOCK_ALL,
    LOCK_ALL_FLUSH,
    POST_START
  }

  /**
   * Accesses that belong together.
   *
   * @param sync how they are synchronized
   * @param accesses all ranks', those of one origin in their order
   */
  record Epoch(Sync sync, List<WindowAccess> accesses) {}

  @Override
  public String describe() {
    return "%s of %s bytes and %s %s, %s epochs"
        .formatted(Words.camel(kind.name()), raw, numbers, type, epochs.size());
  }

  @Override
  public void cover(Coverage coverage) {
    for (Epoch epoch : epochs) {
      for (WindowAccess access : epoch.accesses) {
        String name = access.kind().label();
        coverage
            .add(name, Dimension.TYPE, access.type())
            .addSize(name, access.type().bytes(access.count()))
            .add(name, Dimension.RANKS, group.size())
            .add(name, Dimension.FORM, Words.camel(kind.name()))
            .add(name, Dimension.FORM, Words.camel(epoch.sync.name()));
        access.at().cover(coverage, name);
        if (access.kind().combines()) {
          coverage.add(name, Dimension.OPERATOR, access.op().label());
        }
      }
    }
  }

  /** Returns the bytes before the numbers, so that these are aligned. */
  static long front(long rawBytes) {
    return (rawBytes + 15) / 16 * 16;
  }

  private long bytes(int rank) {
    return front(raw.get(rank)) + type.bytes(numbers.get(rank));
  }

  @Override
  public @Nullable Completion begin(RankRun run) {
    Communicator comm = run.in(group);
    try (GuardedBuffers buffers = new GuardedBuffers();
        Window window = open(comm, buffers)) {
      new Rank(run, comm, window).run();
      buffers.check("after it");
    }
    return null;
  }

  private Window open(Communicator comm, GuardedBuffers buffers) {
    long mine = bytes(comm.rank());
    Placement aligned = new Placement(Placement.Kind.AUTOMATIC, 0, false);
    return switch (kind) {
      case WINDOW -> comm.window(buffers.target(aligned, mine).fill((byte) 0));
      case ALLOCATE_WINDOW -> comm.allocateWindow(mine);
      case SHARED_WINDOW -> comm.sharedWindow(mine);
      case DYNAMIC_WINDOW -> comm.dynamicWindow();
    };
  }

  /** One rank's part. */
  private final class Rank {
    private final RankRun run;
    private final Communicator comm;
    private final Window window;
    private final int me;
    private final List<MemorySegment> model = new ArrayList<>();
    private final long[] base;
    private final MemorySegment memory;

    /** The values being put; they live until those of the next epoch. */
    private MemorySegment numbersPut = MemorySegment.NULL;

    Rank(RankRun run, Communicator comm, Window window) {
      this.run = run;
      this.comm = comm;
      this.window = window;
      this.me = comm.rank();
      this.base = new long[group.size()];
      for (int rank = 0; rank < group.size(); rank++) {
        model.add(
            MemorySegment.ofArray(new long[(int) ((bytes(rank) + 7) / 8)]).asSlice(0, bytes(rank)));
      }
      if (kind == Kind.DYNAMIC_WINDOW) {
        memory = Arena.ofAuto().allocate(Math.max(16, bytes(me)), 64).asSlice(0, bytes(me));
        window.attach(memory);
        try (Arena arena = Arena.ofConfined()) {
          MemorySegment mine = arena.allocateFrom(ValueLayout.JAVA_LONG, memory.address());
          MemorySegment all = arena.allocate(ValueLayout.JAVA_LONG, base.length);
          comm.allGather(mine, all, DType.I64, 1);
          MemorySegment.ofArray(base).copyFrom(all);
        }
      } else {
        memory = window.memory();
        for (int rank = 0; rank < group.size(); rank++) {
          if (window.bytesOf(rank) != bytes(rank)) {
            throw new AssertionError(
                "rank " + rank + " has " + window.bytesOf(rank) + " bytes, wanted " + bytes(rank));
          }
        }
      }
    }

    void run() {
      Meeting.of(comm);
      try {
        accessAll();
      } finally {
        Reference.reachabilityFence(numbersPut);
        Reference.reachabilityFence(memory);
      }
    }

    private void accessAll() {
      for (int i = 0; i < epochs.size(); i++) {
        Epoch epoch = epochs.get(i);
        reset(i, epoch.sync);
        try (GuardedBuffers buffers = new GuardedBuffers()) {
          List<MemorySegment> got = new ArrayList<>();
          synchronize(
              epoch,
              access -> {
                if (access.origin() == me) {
                  int target = access.target();
                  got.add(access.begin(window, buffers, base[target], model.get(target)));
                }
              });
          int next = 0;
          for (WindowAccess access : epoch.accesses) {
            MemorySegment fetched = access.apply(model.get(access.target()));
            if (access.origin() == me) {
              access.check(fetched, got.get(next++));
            }
          }
          Meeting.of(comm);
          RankMemory.check(
              model.get(me),
              memory,
              "memory of rank %s after epoch %s by %s: %s"
                  .formatted(me, i, epoch.sync, WindowAccess.to(epoch.accesses, me)));
          buffers.check("after epoch " + i);
        }
        Meeting.of(comm);
      }
      if (kind == Kind.SHARED_WINDOW) {
        for (int rank = 0; rank < group.size(); rank++) {
          RankMemory.check(
              model.get(rank), window.segmentOf(rank), "rank " + rank + "'s memory seen directly");
        }
        Meeting.of(comm);
      }
      if (kind == Kind.DYNAMIC_WINDOW) {
        window.detach(memory);
      }
    }

    /** Puts fresh numbers into one's own memory; all ranks do so in the model. */
    private void reset(int epoch, Sync sync) {
      for (int rank = 0; rank < group.size(); rank++) {
        long at = front(raw.get(rank));
        long bytes = type.bytes(numbers.get(rank));
        MemorySegment fresh = model.get(rank).asSlice(at, bytes);
        WindowAccess.number(RankMemory.key(seed, epoch, rank), fresh, type, numbers.get(rank));
        if (rank == me && bytes > 0) {
          MemorySegment copy = Arena.ofAuto().allocate(bytes, 64).copyFrom(fresh);
          numbersPut = copy;
          if (sync == Sync.FENCE) {
            window.fence();
          } else {
            window.lock(me, LockMode.EXCLUSIVE);
          }
          window.put(copy, type, numbers.get(rank), me, base[me] + at);
          if (sync != Sync.FENCE) {
            window.unlock(me);
          }
        } else if (rank == me && sync == Sync.FENCE) {
          window.fence();
        }
      }
      if (sync != Sync.FENCE) {
        Meeting.of(comm);
      }
    }

    private interface Accesses {
      void make(WindowAccess access);
    }

    private void synchronize(Epoch epoch, Accesses accesses) {
      int[] all = IntStream.range(0, group.size()).toArray();
      switch (epoch.sync) {
        case FENCE -> {
          window.fence();
          epoch.accesses.forEach(accesses::make);
          window.fence();
        }
        case LOCK_SHARED, LOCK_EXCLUSIVE -> {
          LockMode mode = epoch.sync == Sync.LOCK_SHARED ? LockMode.SHARED : LockMode.EXCLUSIVE;
          // Results are compared in the order of the accesses.
          for (WindowAccess access : epoch.accesses) {
            if (access.origin() == me) {
              window.lock(access.target(), mode);
              accesses.make(access);
              window.unlock(access.target());
            }
          }
        }
        case LOCK_ALL -> {
          window.lockAll();
          epoch.accesses.forEach(accesses::make);
          window.unlockAll();
        }
        case LOCK_ALL_FLUSH -> {
          window.lockAll();
          for (WindowAccess access : epoch.accesses) {
            accesses.make(access);
            if (run.own.once(3)) {
              window.flush(access.target());
            }
          }
          window.flushAll();
          window.unlockAll();
        }
        case POST_START -> {
          window.post(all);
          window.start(all);
          epoch.accesses.forEach(accesses::make);
          window.complete();
          window.await();
        }
      }
    }
  }
}
