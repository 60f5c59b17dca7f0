package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.comm.Window.LockMode;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.function.Executable;

/** Refusals of windows: accesses outside of epochs, of bounds and of reason. */
@Requires(Capability.WINDOWS)
public final class WindowRulesTck extends CommunicationTck {
  private static final Class<IllegalStateException> STATE = IllegalStateException.class;

  /** Runs a test with a window of 64 bytes on each rank. */
  private void onWindows(WindowTest test) {
    onRanks(
        (comm, memory) -> {
          try (Window window = comm.allocateWindow(64)) {
            test.run(comm, window, memory);
          }
        });
  }

  @FunctionalInterface
  private interface WindowTest {
    void run(Communicator comm, Window window, RankMemory memory);
  }

  private List<Executable> accesses(Window window, RankMemory memory, int target) {
    MemorySegment a = memory.longs(1);
    MemorySegment b = memory.longs(2);
    MemorySegment c = memory.longs(3);
    List<Executable> accesses = new ArrayList<>();
    accesses.add(() -> window.put(a, DType.I64, 1, target, 0));
    accesses.add(() -> window.get(a, DType.I64, 1, target, 0));
    accesses.add(() -> window.accumulate(a, DType.I64, 1, target, 0, ReduceOp.SUM));
    accesses.add(() -> window.getAccumulate(a, b, DType.I64, 1, target, 0, ReduceOp.SUM));
    accesses.add(() -> window.fetchAndOp(a, b, DType.I64, target, 0, ReduceOp.SUM));
    accesses.add(() -> window.compareAndSwap(a, b, c, DType.I64, target, 0));
    if (has(Capability.LAYOUTS)) {
      Layout one = Layout.contiguous(DType.I64, 1);
      accesses.add(() -> window.put(a, one, target, 0, one));
      accesses.add(() -> window.get(a, one, target, 0, one));
    }
    return accesses;
  }

  private void refusesAccess(Window window, RankMemory memory, int target) {
    for (Executable access : accesses(window, memory, target)) {
      assertThrows(IllegalStateException.class, access);
    }
  }

  @Requirement(id = "WRU-001", text = "An access outside of an epoch for its target is refused.")
  void accessesNeedAnEpoch() {
    onWindows(
        (comm, window, memory) -> {
          int me = comm.rank();
          int next = (me + 1) % comm.size();
          refusesAccess(window, memory, me);
          window.lock(me, LockMode.SHARED);
          if (next != me) {
            refusesAccess(window, memory, next);
          }
          window.unlock(me);
          refusesAccess(window, memory, me);
          window.lockAll();
          window.unlockAll();
          refusesAccess(window, memory, next);
          window.post(me);
          window.start(me);
          if (next != me) {
            refusesAccess(window, memory, next);
          }
          window.complete();
          window.await();
          refusesAccess(window, memory, me);
        });
  }

  @Requirement(
      id = "WRU-002",
      text = "An epoch of one kind cannot be opened within another of the same rank.")
  void epochsDoNotNest() {
    onWindows(
        (comm, window, memory) -> {
          int me = comm.rank();
          window.lock(me, LockMode.EXCLUSIVE);
          assertThrows(STATE, window::fence);
          assertThrows(STATE, window::lockAll);
          assertThrows(STATE, () -> window.start(me));
          assertThrows(STATE, () -> window.lock(me, LockMode.EXCLUSIVE));
          window.unlock(me);
          window.lockAll();
          assertThrows(STATE, window::fence);
          assertThrows(STATE, window::lockAll);
          assertThrows(STATE, () -> window.start(me));
          assertThrows(STATE, () -> window.lock(me, LockMode.SHARED));
          window.unlockAll();
          window.post(me);
          window.start(me);
          assertThrows(STATE, window::fence);
          assertThrows(STATE, window::lockAll);
          assertThrows(STATE, () -> window.lock(me, LockMode.SHARED));
          window.complete();
          window.await();
          window.fence();
          window.put(memory.longs(1), DType.I64, 1, me, 0);
          assertThrows(STATE, window::lockAll);
          assertThrows(STATE, () -> window.lock(me, LockMode.SHARED));
          assertThrows(STATE, () -> window.start(me));
          window.fence();
        });
  }

  @Requirement(
      id = "WRU-003",
      text = "A fence epoch in which nothing was done may be left by opening another kind.")
  void emptyFenceEpochsMayBeLeft() {
    onWindows(
        (comm, window, memory) -> {
          int me = comm.rank();
          window.fence();
          window.put(memory.longs(3), DType.I64, 1, me, 0);
          window.fence();
          window.lock(me, LockMode.EXCLUSIVE);
          window.put(memory.longs(4), DType.I64, 1, me, 8);
          window.unlock(me);
          window.fence();
          window.lockAll();
          window.unlockAll();
          window.fence();
          window.post(me);
          window.start(me);
          window.complete();
          window.await();
          RankMemory.check(memory.longs(3, 4), window.memory().asSlice(0, 16), "what was put");
        });
  }

  @Requirement(
      id = "WRU-004",
      text = "Ending an epoch that is not open, or flushing outside of a lock epoch, is refused.")
  void onlyOpenEpochsEnd() {
    onWindows(
        (comm, window, _) -> {
          int me = comm.rank();
          assertThrows(STATE, () -> window.unlock(me));
          assertThrows(STATE, window::unlockAll);
          assertThrows(STATE, window::complete);
          assertThrows(STATE, window::await);
          assertThrows(STATE, () -> window.flush(me));
          assertThrows(STATE, window::flushAll);
          window.lock(me, LockMode.SHARED);
          assertThrows(STATE, window::unlockAll);
          assertThrows(STATE, window::complete);
          window.unlock(me);
          window.lockAll();
          assertThrows(STATE, () -> window.unlock(me));
          window.unlockAll();
          window.fence();
          assertThrows(STATE, window::flushAll);
        });
  }

  @Requirement(
      id = "WRU-005",
      text =
          "A place outside of the target's memory is refused with IndexOutOfBoundsException before"
              + " anything moves.")
  void placesAreInBounds() {
    onWindows(
        (comm, window, memory) -> {
          int next = next(comm);
          MemorySegment a = memory.blank(72);
          MemorySegment b = memory.blank(72);
          MemorySegment c = memory.blank(72);
          DType type = DType.I64;
          Class<IndexOutOfBoundsException> beyond = IndexOutOfBoundsException.class;
          window.lockAll();
          refuses(beyond, 64, () -> window.put(a, type, 9, next, 0));
          refuses(beyond, 64, () -> window.get(a, type, 1, next, 64));
          refuses(beyond, 64, () -> window.put(a, type, 2, next, 56));
          assertThrows(beyond, () -> window.get(a, type, 1, next, Long.MAX_VALUE - 7));
          assertThrows(beyond, () -> window.put(a, type, 1, next, -8));
          refuses(beyond, 64, () -> window.accumulate(a, type, 9, next, 0, ReduceOp.SUM));
          refuses(beyond, 64, () -> window.getAccumulate(a, b, type, 9, next, 0, ReduceOp.SUM));
          refuses(beyond, 64, () -> window.fetchAndOp(a, b, type, next, 64, ReduceOp.SUM));
          refuses(beyond, 64, () -> window.compareAndSwap(a, b, c, type, next, 64));
          if (has(Capability.LAYOUTS)) {
            Layout nine = Layout.contiguous(type, 9);
            assertThrows(beyond, () -> window.put(a, nine, next, 0, nine));
            assertThrows(beyond, () -> window.get(a, nine, next, 0, nine));
          }
          window.unlockAll();
          RankMemory.check(memory.zeros(64), window.memory(), "the window");
        });
  }

  @Requirement(
      id = "WRU-006",
      text = "Targets, counts, origins and offsets that do not fit are refused, naming the value.")
  void argumentsAreChecked() {
    onWindows(
        (comm, window, memory) -> {
          int me = comm.rank();
          int n = comm.size();
          MemorySegment a = memory.blank(16);
          MemorySegment small = memory.blank(7);
          MemorySegment readOnly = memory.blank(8).asReadOnly();
          DType type = DType.I64;
          Class<IllegalArgumentException> wrong = IllegalArgumentException.class;
          Class<IndexOutOfBoundsException> beyond = IndexOutOfBoundsException.class;
          refuses(beyond, n, () -> window.lock(n, LockMode.SHARED));
          refuses(beyond, n, () -> window.post(n));
          refuses(beyond, -1, () -> window.start(-1));
          refuses(beyond, n, () -> window.bytesOf(n));
          window.lockAll();
          refuses(beyond, n, () -> window.put(a, type, 1, n, 0));
          refuses(beyond, -1, () -> window.get(a, type, 1, -1, 0));
          refuses(beyond, n, () -> window.flush(n));
          refuses(wrong, -1, () -> window.put(a, type, -1, me, 0));
          refuses(wrong, 4, () -> window.put(a, type, 1, me, 4));
          refuses(wrong, 12, () -> window.get(a, type, 1, me, 12));
          refuses(wrong, 2, () -> window.accumulate(a, type, 1, me, 2, ReduceOp.SUM));
          refuses(beyond, 7, () -> window.put(small, type, 1, me, 0));
          refuses(beyond, 7, () -> window.get(small, type, 1, me, 0));
          refuses(beyond, 7, () -> window.getAccumulate(a, small, type, 1, me, 0, ReduceOp.SUM));
          refuses(wrong, "read-only", () -> window.get(readOnly, type, 1, me, 0));
          refuses(
              wrong, "read-only", () -> window.fetchAndOp(a, readOnly, type, me, 0, ReduceOp.SUM));
          window.unlockAll();
          RankMemory.check(memory.zeros(64), window.memory(), "the window");
        });
  }

  @Requirement(
      id = "WRU-007",
      text = "Accesses of no elements are allowed, also to a rank without memory.")
  void emptyAccesses(Communicator comm) {
    try (Window window = comm.window(MemorySegment.NULL)) {
      window.fence();
      for (int target = 0; target < comm.size(); target++) {
        window.put(MemorySegment.NULL, DType.F64, 0, target, 0);
        window.get(MemorySegment.NULL, DType.C128, 0, target, 0);
        window.accumulate(MemorySegment.NULL, DType.I32, 0, target, 0, ReduceOp.SUM);
      }
      window.fence();
    }
  }

  @Requirement(
      id = "WRU-008",
      text = "Closing a window with an epoch open throws, and the window is closed all the same.",
      capability = Capability.POINT_TO_POINT)
  void closingWithAnOpenEpoch(Communicator comm, RankMemory memory) {
    Window window = comm.allocateWindow(8);
    window.lock(comm.rank(), LockMode.SHARED);
    meet(comm);
    assertThrows(STATE, window::close);
    window.close();
    assertThrows(STATE, () -> window.put(memory.longs(1), DType.I64, 1, comm.rank(), 0));
    assertThrows(STATE, () -> window.lock(comm.rank(), LockMode.SHARED));
    assertThrows(STATE, window::fence);
  }

  @Requirement(
      id = "WRU-009",
      text = "A window with an empty fence epoch can be closed; closing again does nothing.")
  void closingAgainDoesNothing(Communicator comm, RankMemory memory) {
    Window window = comm.allocateWindow(8);
    window.fence();
    window.put(memory.longs(1), DType.I64, 1, comm.rank(), 0);
    window.fence();
    window.close();
    window.close();
  }
}
