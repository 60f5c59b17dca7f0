package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.comm.Window.LockMode;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.Mistake;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.function.Executable;

/** Mistakes with windows and topologies; see {@link CommunicationMisuseTck}. */
@Requires(Capability.POINT_TO_POINT)
public final class WindowMisuseTck extends CommunicationTck {
  @Requirement(
      id = "WMI-001",
      text = "Memory under a window that is freed while a peer accesses it is told to the peer.",
      capability = Capability.WINDOWS)
  void freedUnderAWindow() {
    needsSegments();
    onRanks(
        2,
        (comm, memory) -> {
          long bytes = 1 << 16;
          Arena arena = Arena.ofShared();
          Window window = comm.window(arena.allocate(bytes, 64));
          window.lockAll();
          meet(comm);
          if (comm.rank() == last(comm)) {
            Mistake.free(arena);
          } else {
            MemorySegment origin = memory.blank(bytes);
            for (int i = 0; i < 200; i++) {
              Mistake.isDone(
                  "a put into freed memory",
                  () -> window.put(origin, DType.I8, bytes, last(comm), 0));
              Mistake.isDone(
                  "a get of freed memory",
                  () -> window.get(origin, DType.I8, bytes, last(comm), 0));
              Mistake.isDone(
                  "an accumulate into freed memory",
                  () -> window.accumulate(origin, DType.I64, 8, last(comm), 0, ReduceOp.SUM));
            }
          }
          Mistake.isDone("ending the epoch", window::unlockAll);
          meet(comm);
          Mistake.isDone("closing the window", window::close);
          meet(comm);
          Mistake.freeAtLast(arena);
          works(comm, memory);
        });
  }

  @Requirement(
      id = "WMI-002",
      text = "A closed window refuses everything with IllegalStateException.",
      capability = Capability.WINDOWS)
  void closedWindowsRefuse(Communicator comm, RankMemory memory) {
    Window window = comm.allocateWindow(64);
    window.close();
    MemorySegment origin = memory.blank(8);
    int self = comm.rank();
    for (Executable call :
        List.<Executable>of(
            () -> window.put(origin, DType.I64, 1, self, 0),
            () -> window.get(origin, DType.I64, 1, self, 0),
            () -> window.accumulate(origin, DType.I64, 1, self, 0, ReduceOp.SUM),
            window::fence,
            () -> window.lock(self, LockMode.SHARED),
            window::lockAll,
            () -> window.unlock(self),
            window::unlockAll,
            () -> window.flush(self),
            window::flushAll,
            () -> window.post(self),
            () -> window.start(self),
            window::complete,
            window::await)) {
      Mistake.isRefused(IllegalStateException.class, "a call on a closed window", call);
    }
    works(comm, memory);
  }

  @Requirement(
      id = "WMI-003",
      text = "Memory of a closed window is not touched again: reading it is refused.",
      capability = Capability.WINDOWS)
  void memoryOfClosedWindows(Communicator comm, RankMemory memory) {
    Window window = comm.allocateWindow(4096);
    MemorySegment mine = window.memory();
    mine.set(ValueLayout.JAVA_LONG, 0, 42);
    window.close();
    meet(comm);
    Mistake.isRefused(
        IllegalStateException.class,
        "reading the memory of a closed window",
        () -> mine.get(ValueLayout.JAVA_LONG, 0));
    works(comm, memory);
  }

  @Requirement(
      id = "WMI-004",
      text = "Origins that are freed or read-only, and places that wrap around, are refused.",
      capability = Capability.WINDOWS)
  void badOrigins(Communicator comm, RankMemory memory) {
    Arena arena = Arena.ofShared();
    MemorySegment freed = arena.allocate(8);
    arena.close();
    MemorySegment fixed = memory.blank(8).asReadOnly();
    MemorySegment good = memory.longs(7);
    int self = comm.rank();
    try (Window window = comm.allocateWindow(64)) {
      window.fence();
      Mistake.isRefused(
          IllegalStateException.class,
          "a put of freed memory",
          () -> window.put(freed, DType.I64, 1, self, 0));
      Mistake.isRefused(
          IllegalArgumentException.class,
          "a get into read-only memory",
          () -> window.get(fixed, DType.I64, 1, self, 0));
      Mistake.isRefused(
          IllegalArgumentException.class,
          "a fetch into read-only memory",
          () -> window.fetchAndOp(good, fixed, DType.I64, self, 0, ReduceOp.SUM));
      for (long offset : new long[] {-8, 64, Long.MAX_VALUE - 7, Long.MIN_VALUE}) {
        Mistake.isRefused("a put at " + offset, () -> window.put(good, DType.I64, 1, self, offset));
      }
      for (long count : new long[] {-1, 9, (1L << 61) + 1, Long.MAX_VALUE}) {
        Mistake.isRefused("a get of " + count, () -> window.get(good, DType.I64, count, self, 0));
      }
      window.fence();
      assertEquals(0, window.memory().get(ValueLayout.JAVA_LONG, 0), "the window");
    }
    works(comm, memory);
  }

  @Requirement(
      id = "WMI-005",
      text = "A closed topology refuses exchanges with IllegalStateException.",
      capability = Capability.NEIGHBORHOODS)
  void closedTopologiesRefuse(Communicator comm, RankMemory memory) {
    int[] ring = {next(comm)};
    int[] back = {previous(comm)};
    Topology topology = comm.topology(back, ring);
    topology.close();
    MemorySegment send = memory.blank(8);
    MemorySegment receive = memory.blank(8);
    Mistake.isRefused(
        IllegalStateException.class,
        "an exchange along a closed topology",
        () -> topology.run(new Collective.AllGather(send, receive, DType.I64, 1)));
    Mistake.isRefused(
        IllegalStateException.class,
        "an exchange along a closed topology",
        () -> topology.run(new Collective.AllToAll(send, receive, DType.I64, 1)));
    RankMemory.check(memory.blank(8), receive, "the buffer");
    works(comm, memory);
  }
}
