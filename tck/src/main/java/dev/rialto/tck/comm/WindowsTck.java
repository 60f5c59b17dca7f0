package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.reference.LayoutReference;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

/** Windows: whose memory they open, and that it is read and written in place. */
public final class WindowsTck extends CommunicationTck {
  @Requirement(
      id = "WIN-001",
      text =
          "An allocateWindow gives zeroed memory, aligned to 64, of the bytes each rank asked for,"
              + " which all ranks are told.",
      capability = Capability.WINDOWS)
  void allocatedWindows(Communicator comm, RankMemory memory) {
    try (Window window = comm.allocateWindow(24L * comm.rank())) {
      long bytes = 24L * comm.rank();
      assertEquals(bytes, window.memory().byteSize());
      RankMemory.check(memory.zeros(bytes), window.memory(), "fresh memory");
      assertEquals(0, window.memory().address() % 64, "bytes beyond the alignment");
      for (int rank = 0; rank < comm.size(); rank++) {
        assertEquals(24L * rank, window.bytesOf(rank), "bytes of rank " + rank);
      }
    }
  }

  @Requirement(
      id = "WIN-002",
      text = "A window opens the caller's own memory, of any size and also none, on each rank.",
      capability = Capability.WINDOWS,
      ranks = 2)
  void windowsOverOwnMemory(Communicator comm, RankMemory memory) {
    MemorySegment own =
        comm.rank() == 0 ? MemorySegment.NULL : memory.sharedLongs(7, 8, 9, comm.rank());
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
  }

  @Requirement(
      id = "WIN-003",
      text = "Puts and gets go between any two layouts; what they do not name is left.",
      capability = {Capability.WINDOWS, Capability.LAYOUTS})
  void layouts(Communicator comm, RankMemory memory) {
    Random shared = random();
    List<Layout> targets = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      targets.add(LayoutReference.random(shared, TYPES.get(shared.nextInt(TYPES.size()))));
    }
    long most = targets.stream().mapToLong(Layout::span).max().orElseThrow() + 48;
    int target = next(comm);
    int writer = previous(comm);
    // One for all: to make a window takes all ranks longer than all that is done with it.
    try (Window window = comm.allocateWindow(most)) {
      for (Layout there : targets) {
        DType type = there.type();
        Layout dense = Layout.contiguous(type, there.count());
        Layout spread =
            Layout.indexed(type, LongStream.range(0, there.count()).map(e -> 2 * e).toArray(), 1);
        long offset = 16L * shared.nextInt(3);
        window.memory().fill((byte) 0);
        window.fence();
        window.put(memory.pattern(comm.rank(), spread.span()), spread, target, offset, there);
        window.fence();
        MemorySegment wanted = memory.zeros(most);
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
  }

  @Requirement(
      id = "WIN-004",
      text = "Origin buffers may be on the Java heap.",
      capability = {Capability.WINDOWS, Capability.HEAP_BUFFERS})
  void heapBuffersWork(Communicator comm, RankMemory memory) {
    try (Window window = comm.allocateWindow(80_000)) {
      int target = next(comm);
      int writer = previous(comm);
      window.fence();
      window.put(onHeap(memory.pattern(comm.rank(), 80_000)), DType.I8, 80_000, target, 0);
      window.fence();
      RankMemory.check(memory.pattern(writer, 80_000), window.memory(), "put");
      MemorySegment got = onHeap(memory.blank(80_000));
      window.get(got, DType.I8, 80_000, target, 0);
      window.fence();
      RankMemory.check(memory.pattern(comm.rank(), 80_000), got, "got");
    }
  }

  @Requirement(
      id = "WIN-005",
      text = "In a shared window each rank reads and writes the others' memory directly.",
      capability = Capability.SHARED_WINDOWS)
  void sharedWindows(Communicator comm, RankMemory memory) {
    try (Window window = comm.sharedWindow(8L * (comm.rank() + 1))) {
      assertEquals(8L * (comm.rank() + 1), window.memory().byteSize());
      int target = next(comm);
      int writer = previous(comm);
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
  }

  @Requirement(
      id = "WIN-006",
      text = "In a window that is not shared, segmentOf is refused.",
      capability = Capability.WINDOWS)
  void onlySharedWindowsHaveSegments(Communicator comm, RankMemory memory) {
    try (Window window = comm.allocateWindow(8);
        Window own = comm.window(memory.sharedLongs(1))) {
      assertThrows(UnsupportedOperationException.class, () -> window.segmentOf(0));
      assertThrows(UnsupportedOperationException.class, () -> own.segmentOf(0));
    }
  }

  @Requirement(
      id = "WIN-007",
      text = "Memory attached to a dynamic window is reached by its address until it is detached.",
      capability = {Capability.DYNAMIC_WINDOWS, Capability.POINT_TO_POINT})
  void dynamicWindows(Communicator comm, RankMemory memory) {
    int target = next(comm);
    int writer = previous(comm);
    try (Window window = comm.dynamicWindow()) {
      assertEquals(0, window.memory().byteSize());
      assertEquals(Long.MAX_VALUE, window.bytesOf(target));
      for (int round = 0; round < 3; round++) {
        MemorySegment first = memory.sharedBlank(16);
        MemorySegment second = memory.sharedBlank(800_000);
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
  }

  @Requirement(
      id = "WIN-008",
      text = "Accesses to several windows do not meet.",
      capability = Capability.WINDOWS)
  void windowsAreIndependent(Communicator comm, RankMemory memory) {
    try (Window one = comm.allocateWindow(8);
        Window other = comm.allocateWindow(8)) {
      int target = next(comm);
      one.fence();
      other.fence();
      one.put(memory.longs(1), DType.I64, 1, target, 0);
      other.put(memory.longs(2), DType.I64, 1, target, 0);
      other.fence();
      one.fence();
      RankMemory.check(memory.longs(1), one.memory(), "one");
      RankMemory.check(memory.longs(2), other.memory(), "the other");
    }
  }
}
