package dev.rialto.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.comm.Window.LockMode;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Windows: one-sided reads and writes under each kind of synchronization. */
public abstract class WindowsTck extends CommunicationTck {
  /** Makes epochs in which a rank accesses all others, in one of the ways there are. */
  private enum Epoch {
    FENCE {
      @Override
      void run(Communicator comm, Window window, Runnable accesses) {
        window.fence();
        accesses.run();
        window.fence();
      }
    },
    LOCK_ALL {
      @Override
      void run(Communicator comm, Window window, Runnable accesses) {
        window.lockAll();
        accesses.run();
        window.unlockAll();
        meet(comm);
      }
    },
    FLUSH {
      @Override
      void run(Communicator comm, Window window, Runnable accesses) {
        window.lockAll();
        accesses.run();
        window.flushAll();
        meet(comm);
        window.unlockAll();
      }
    },
    POST_AND_START {
      @Override
      void run(Communicator comm, Window window, Runnable accesses) {
        int[] all = IntStream.range(0, comm.size()).toArray();
        window.post(all);
        window.start(all);
        accesses.run();
        window.complete();
        window.await();
      }
    };

    /** Opens an epoch, runs accesses in it, and returns when those of all ranks are complete. */
    abstract void run(Communicator comm, Window window, Runnable accesses);
  }

  /** Writes to every rank, then reads from every rank, each rank in a slot of its own. */
  private static void everyoneAccessesEveryone(
      Communicator comm, RankMemory memory, Epoch epoch, DType type, long count) {
    long slot = type.bytes(count);
    int n = comm.size();
    int me = comm.rank();
    String what = epoch + " with " + count + " " + type;
    Blocks slots = Blocks.uniform(n, count);
    long[] written = new long[n];
    long[] read = new long[n];
    try (Window window = comm.allocateWindow(slot * n)) {
      epoch.run(
          comm,
          window,
          () -> {
            for (int target = 0; target < n; target++) {
              MemorySegment block = memory.pattern(RankMemory.key(me, target), type, count);
              window.put(block, type, count, target, me * slot);
            }
          });
      Arrays.setAll(written, i -> RankMemory.key(i, me));
      RankMemory.check(slots.filled(memory, type, written), window.memory(), "put by " + what);
      meet(comm);
      MemorySegment got = memory.blank(type, slots.total());
      epoch.run(
          comm,
          window,
          () -> {
            for (int target = 0; target < n; target++) {
              MemorySegment block = got.asSlice(target * slot, slot);
              window.get(block, type, count, target, me * slot);
            }
          });
      Arrays.setAll(read, i -> RankMemory.key(me, i));
      RankMemory.check(slots.filled(memory, type, read), got, "got by " + what);
    }
  }

  private void accessThrough(Epoch epoch) {
    onRanks(
        (comm, memory) -> {
          for (DType type : TYPES) {
            everyoneAccessesEveryone(comm, memory, epoch, type, 7);
          }
          for (long count : new long[] {0, 1, 1025, 20_001}) {
            everyoneAccessesEveryone(comm, memory, epoch, DType.F64, count);
          }
        });
  }

  @Requirement(
      id = "WIN-001",
      text =
          "An allocateWindow gives zeroed memory, aligned to 64, of the bytes each rank asked for,"
              + " which all ranks are told.",
      capability = Capability.WINDOWS)
  void allocatedWindows() {
    onRanks(
        (comm, memory) -> {
          try (Window window = comm.allocateWindow(24L * comm.rank())) {
            long bytes = 24L * comm.rank();
            assertEquals(bytes, window.memory().byteSize());
            RankMemory.check(memory.zeros(bytes), window.memory(), "fresh memory");
            assertEquals(0, window.memory().address() % 64, "bytes beyond the alignment");
            for (int rank = 0; rank < comm.size(); rank++) {
              assertEquals(24L * rank, window.bytesOf(rank), "bytes of rank " + rank);
            }
          }
        });
  }

  @Requirement(
      id = "WIN-002",
      text = "A window opens the caller's own memory, of any size and also none, on each rank.",
      capability = Capability.WINDOWS)
  void windowsOverOwnMemory() {
    onRanks(
        2,
        (comm, memory) -> {
          MemorySegment own =
              comm.rank() == 0 ? MemorySegment.NULL : memory.longs(7, 8, 9, comm.rank());
          try (Window window = comm.window(own)) {
            assertEquals(own.byteSize(), window.memory().byteSize());
            assertEquals(0, window.bytesOf(0));
            assertEquals(32, window.bytesOf(last(comm)));
            window.fence();
            if (comm.rank() == 0) {
              window.put(memory.longs(70, 80), DType.I64, 2, last(comm), 8);
              window.put(MemorySegment.NULL, DType.I64, 0, 0, 0);
            }
            window.fence();
          }
          if (comm.rank() == last(comm)) {
            RankMemory.check(memory.longs(7, 70, 80, comm.rank()), own, "own memory");
          }
        });
  }

  @Requirement(
      id = "WIN-003",
      text = "Puts and gets between fences are complete at both ends after the second.",
      capability = {Capability.WINDOWS, Capability.POINT_TO_POINT})
  void fences() {
    accessThrough(Epoch.FENCE);
  }

  @Requirement(
      id = "WIN-004",
      text = "Puts and gets between lockAll and unlockAll are complete at both ends after it.",
      capability = {Capability.WINDOWS, Capability.POINT_TO_POINT})
  void lockAll() {
    accessThrough(Epoch.LOCK_ALL);
  }

  @Requirement(
      id = "WIN-005",
      text = "Puts and gets in a lock epoch are complete at both ends after a flush.",
      capability = {Capability.WINDOWS, Capability.POINT_TO_POINT})
  void flushes() {
    accessThrough(Epoch.FLUSH);
  }

  @Requirement(
      id = "WIN-006",
      text =
          "Puts and gets between start and complete are complete at the origin after complete and"
              + " at the target after await.",
      capability = {Capability.WINDOWS, Capability.POINT_TO_POINT})
  void postAndStart() {
    accessThrough(Epoch.POST_AND_START);
  }

  @Requirement(
      id = "WIN-007",
      text = "Each rank may post and start with ranks of its own, also none.",
      capability = {Capability.WINDOWS, Capability.POINT_TO_POINT})
  void postAndStartWithSome() {
    onRanks(
        2,
        (comm, memory) -> {
          try (Window window = comm.allocateWindow(16)) {
            int me = comm.rank();
            int leader = last(comm);
            for (int round = 0; round < 5; round++) {
              if (me == leader) {
                window.post(IntStream.range(0, leader).toArray());
                window.start();
                window.complete();
              } else {
                window.post();
                window.start(leader);
                if (me == 0) {
                  window.put(memory.longs(round), DType.I64, 1, leader, 8);
                }
                window.complete();
              }
              window.await();
              if (me == leader) {
                RankMemory.check(memory.longs(0, round), window.memory(), "round " + round);
              }
            }
          }
        });
  }

  @Requirement(
      id = "WIN-008",
      text = "After unlock an access is complete at the target; another origin sees it.",
      capability = {Capability.WINDOWS, Capability.POINT_TO_POINT})
  void unlockCompletes() {
    onRanks(
        2,
        (comm, memory) -> {
          try (Window window = comm.allocateWindow(8)) {
            for (LockMode mode : LockMode.values()) {
              long value = mode == LockMode.SHARED ? 5 : 6;
              if (comm.rank() == 0) {
                window.lock(last(comm), mode);
                window.put(memory.longs(value), DType.I64, 1, last(comm), 0);
                window.unlock(last(comm));
              }
              meet(comm);
              MemorySegment got = memory.blank(8);
              window.lock(last(comm), mode);
              window.get(got, DType.I64, 1, last(comm), 0);
              window.flush(last(comm));
              RankMemory.check(memory.longs(value), got, mode + " lock");
              window.unlock(last(comm));
              meet(comm);
            }
          }
        });
  }

  @Requirement(
      id = "WIN-009",
      text = "Under an exclusive lock a get, a flush and a put make an exact counter.",
      capability = {Capability.WINDOWS, Capability.POINT_TO_POINT})
  void exclusiveLocksExclude() {
    int rounds = 40;
    onRanks(
        (comm, memory) -> {
          try (Window window = comm.allocateWindow(8)) {
            MemorySegment value = memory.longs(0);
            for (int round = 0; round < rounds; round++) {
              window.lock(0, LockMode.EXCLUSIVE);
              window.get(value, DType.I64, 1, 0, 0);
              window.flush(0);
              value.set(ValueLayout.JAVA_LONG, 0, value.get(ValueLayout.JAVA_LONG, 0) + 1);
              window.put(value, DType.I64, 1, 0, 0);
              window.unlock(0);
            }
            meet(comm);
            if (comm.rank() == 0) {
              long counted = (long) rounds * comm.size();
              RankMemory.check(memory.longs(counted), window.memory(), "counted to " + counted);
            }
          }
        });
  }

  @Requirement(
      id = "WIN-010",
      text =
          "Nobody else gets a lock while one is held exclusively; shared ones are held together.",
      capability = {Capability.WINDOWS, Capability.POINT_TO_POINT, Capability.NON_BLOCKING})
  void locksWait() {
    onRanks(
        2,
        (comm, _) -> {
          try (Window window = comm.allocateWindow(8)) {
            int other = last(comm);
            if (comm.rank() == 0) {
              window.lock(0, LockMode.SHARED);
              signal(comm, other);
              awaitSignal(comm, other);
              window.unlock(0);
              for (LockMode mode : LockMode.values()) {
                window.lock(0, LockMode.EXCLUSIVE);
                Request locked = comm.ireceive(MemorySegment.NULL, DType.I8, 0, other, SIGNAL);
                signal(comm, other);
                staysPending(locked, "the lock is held; the other asked for " + mode);
                window.unlock(0);
                locked.await();
              }
            } else if (comm.rank() == other) {
              awaitSignal(comm, 0);
              window.lock(0, LockMode.SHARED);
              signal(comm, 0);
              window.unlock(0);
              for (LockMode mode : LockMode.values()) {
                awaitSignal(comm, 0);
                window.lock(0, mode);
                signal(comm, 0);
                window.unlock(0);
              }
            }
          }
        });
  }

  @Requirement(
      id = "WIN-011",
      text = "Locks of several targets may be held at once.",
      capability = {Capability.WINDOWS, Capability.POINT_TO_POINT})
  void severalTargetsMayBeLocked() {
    onRanks(
        (comm, memory) -> {
          try (Window window = comm.allocateWindow(8L * comm.size())) {
            for (int target = 0; target < comm.size(); target++) {
              window.lock(target, LockMode.SHARED);
            }
            for (int target = comm.size() - 1; target >= 0; target--) {
              window.put(memory.longs(target), DType.I64, 1, target, 8L * comm.rank());
              window.unlock(target);
            }
            meet(comm);
            long[] wanted = new long[comm.size()];
            Arrays.fill(wanted, comm.rank());
            RankMemory.check(memory.longs(wanted), window.memory(), "what all have put");
          }
        });
  }

  @Requirement(
      id = "WIN-012",
      text = "Puts and gets go between any two layouts; what they do not name is left.",
      capability = {Capability.WINDOWS, Capability.LAYOUTS})
  void layouts() {
    onRanks(
        (comm, memory) -> {
          Random shared = random();
          for (int i = 0; i < 30; i++) {
            DType type = TYPES.get(shared.nextInt(TYPES.size()));
            Layout there = LayoutReference.random(shared, type);
            Layout dense = Layout.contiguous(type, there.count());
            Layout spread =
                Layout.indexed(
                    type, LongStream.range(0, there.count()).map(e -> 2 * e).toArray(), 1);
            long offset = 16L * shared.nextInt(3);
            int target = (comm.rank() + 1) % comm.size();
            int writer = (comm.rank() + comm.size() - 1) % comm.size();
            try (Window window = comm.allocateWindow(offset + there.span() + 16)) {
              window.fence();
              window.put(memory.pattern(comm.rank(), spread.span()), spread, target, offset, there);
              window.fence();
              MemorySegment wanted = memory.zeros(offset + there.span() + 16);
              MemorySegment sent = memory.pattern(writer, spread.span());
              LayoutReference.copy(sent, spread, wanted.asSlice(offset), there, there.count());
              RankMemory.check(wanted, window.memory(), "put into " + there);
              MemorySegment got = memory.blank(dense.bytes());
              window.get(got, dense, target, offset, there);
              window.fence();
              MemorySegment mine = memory.blank(dense.bytes());
              LayoutReference.copy(
                  memory.pattern(comm.rank(), spread.span()), spread, mine, dense, dense.count());
              RankMemory.check(mine, got, "got from " + there);
            }
          }
        });
  }

  @Requirement(
      id = "WIN-013",
      text = "Origin buffers may be on the Java heap.",
      capability = {Capability.WINDOWS, Capability.HEAP_BUFFERS})
  void heapBuffersWork() {
    onRanks(
        (comm, memory) -> {
          try (Window window = comm.allocateWindow(80_000)) {
            int target = (comm.rank() + 1) % comm.size();
            int writer = (comm.rank() + comm.size() - 1) % comm.size();
            window.fence();
            window.put(onHeap(memory.pattern(comm.rank(), 80_000)), DType.I8, 80_000, target, 0);
            window.fence();
            RankMemory.check(memory.pattern(writer, 80_000), window.memory(), "put");
            MemorySegment got = onHeap(memory.blank(80_000));
            window.get(got, DType.I8, 80_000, target, 0);
            window.fence();
            RankMemory.check(memory.pattern(comm.rank(), 80_000), got, "got");
          }
        });
  }

  @Requirement(
      id = "WIN-014",
      text = "In a shared window each rank reads and writes the others' memory directly.",
      capability = Capability.SHARED_WINDOWS)
  void sharedWindows() {
    onRanks(
        (comm, memory) -> {
          try (Window window = comm.sharedWindow(8L * (comm.rank() + 1))) {
            assertEquals(8L * (comm.rank() + 1), window.memory().byteSize());
            int target = (comm.rank() + 1) % comm.size();
            int writer = (comm.rank() + comm.size() - 1) % comm.size();
            RankMemory.check(memory.zeros(8), window.segmentOf(target).asSlice(0, 8), "fresh");
            window.fence();
            MemorySegment theirs = window.segmentOf(target);
            assertEquals(8L * (target + 1), theirs.byteSize());
            theirs.set(ValueLayout.JAVA_LONG, 8L * target, 100 + comm.rank());
            window.fence();
            long own = window.memory().get(ValueLayout.JAVA_LONG, 8L * comm.rank());
            assertEquals(100 + writer, own, "what the rank before has stored");
            for (int rank = 0; rank < comm.size(); rank++) {
              long stored = window.segmentOf(rank).get(ValueLayout.JAVA_LONG, 8L * rank);
              assertEquals(100 + (rank + comm.size() - 1) % comm.size(), stored);
            }
            window.fence();
            window.put(memory.longs(7), DType.I64, 1, target, 0);
            window.fence();
            assertEquals(7, window.memory().get(ValueLayout.JAVA_LONG, 0), "put also works");
          }
        });
  }

  @Requirement(
      id = "WIN-015",
      text = "In a window that is not shared, segmentOf is refused.",
      capability = Capability.WINDOWS)
  void onlySharedWindowsHaveSegments() {
    onRanks(
        (comm, memory) -> {
          try (Window window = comm.allocateWindow(8);
              Window own = comm.window(memory.longs(1))) {
            assertThrows(UnsupportedOperationException.class, () -> window.segmentOf(0));
            assertThrows(UnsupportedOperationException.class, () -> own.segmentOf(0));
          }
        });
  }

  @Requirement(
      id = "WIN-016",
      text = "Memory attached to a dynamic window is reached by its address until it is detached.",
      capability = {Capability.DYNAMIC_WINDOWS, Capability.POINT_TO_POINT})
  void dynamicWindows() {
    onRanks(
        (comm, memory) -> {
          int target = (comm.rank() + 1) % comm.size();
          int writer = (comm.rank() + comm.size() - 1) % comm.size();
          try (Window window = comm.dynamicWindow()) {
            assertEquals(0, window.memory().byteSize());
            assertEquals(Long.MAX_VALUE, window.bytesOf(target));
            for (int round = 0; round < 3; round++) {
              MemorySegment first = memory.blank(16);
              MemorySegment second = memory.blank(800_000);
              window.attach(first);
              window.attach(second);
              MemorySegment addresses = memory.blank(16);
              comm.sendReceive(
                  memory.longs(first.address(), second.address()),
                  2,
                  writer,
                  1,
                  addresses,
                  2,
                  target,
                  1,
                  DType.I64);
              window.fence();
              window.put(
                  memory.longs(comm.rank()),
                  DType.I64,
                  1,
                  target,
                  addresses.get(ValueLayout.JAVA_LONG, 0) + 8);
              window.put(
                  memory.pattern(comm.rank(), 799_992),
                  DType.I8,
                  799_992,
                  target,
                  addresses.get(ValueLayout.JAVA_LONG, 8) + 8);
              window.fence();
              assertEquals(writer, first.get(ValueLayout.JAVA_LONG, 8));
              RankMemory.check(memory.pattern(writer, 799_992), second.asSlice(8), "second");
              RankMemory.check(memory.blank(8), second.asSlice(0, 8), "before the second");
              window.detach(first);
              window.detach(second);
            }
          }
        });
  }

  @Requirement(
      id = "WIN-017",
      text = "Accesses to several windows do not meet.",
      capability = Capability.WINDOWS)
  void windowsAreIndependent() {
    onRanks(
        (comm, memory) -> {
          try (Window one = comm.allocateWindow(8);
              Window other = comm.allocateWindow(8)) {
            int target = (comm.rank() + 1) % comm.size();
            one.fence();
            other.fence();
            one.put(memory.longs(1), DType.I64, 1, target, 0);
            other.put(memory.longs(2), DType.I64, 1, target, 0);
            other.fence();
            one.fence();
            RankMemory.check(memory.longs(1), one.memory(), "one");
            RankMemory.check(memory.longs(2), other.memory(), "the other");
          }
        });
  }
}
