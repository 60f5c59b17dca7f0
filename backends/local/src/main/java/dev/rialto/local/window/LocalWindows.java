package dev.rialto.local.window;

import dev.rialto.local.collective.CollectiveKind;
import dev.rialto.local.collective.CollectiveOperation;
import dev.rialto.local.collective.CollectiveQueue.Form;
import dev.rialto.local.collective.CollectiveRequest;
import dev.rialto.local.collective.LocalNeighborhoods;
import dev.rialto.local.memory.Memory;
import dev.rialto.local.world.Group;
import dev.rialto.local.world.LocalCommunicator;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.memory.HostMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The windows of a {@link LocalCommunicator}. */
public abstract class LocalWindows extends LocalNeighborhoods {
  /** Memory is aligned to this, and then no two ranks' share a line. */
  private static final int ALIGNMENT = 64;

  private static final AtomicInteger NUMBERS = new AtomicInteger();

  /** One rank's part of a new window; the number that rank 0 proposes is everybody's. */
  private record Proposal(int number, WindowSide side, MemorySegment memory) {}

  public LocalWindows(Group group, int rank) {
    super(group, rank);
  }

  @Override
  public final Window window(MemorySegment memory) {
    Memory.check(memory, "memory");
    HostMemory.requireShared(memory, "memory of a window");
    return open("window", WindowSide.of(memory, size()), memory, null, false);
  }

  @Override
  public final Window allocateWindow(long bytes) {
    return allocate("allocateWindow", bytes, false);
  }

  @Override
  public final Window sharedWindow(long bytes) {
    return allocate("sharedWindow", bytes, true);
  }

  @Override
  public final Window dynamicWindow() {
    return open("dynamicWindow", WindowSide.dynamic(size()), MemorySegment.NULL, null, false);
  }

  private Window allocate(String call, long bytes, boolean shared) {
    if (bytes < 0) {
      throw new IllegalArgumentException(call + " of " + bytes + " bytes; give 0 or more");
    }
    checkOpen();
    Arena arena = Arena.ofShared();
    boolean opened = false;
    try {
      MemorySegment memory = arena.allocate(bytes, ALIGNMENT);
      Window window = open(call, WindowSide.of(memory, size()), memory, arena, shared);
      opened = true;
      return window;
    } finally {
      if (!opened) {
        arena.close();
      }
    }
  }

  private Window open(
      String call, WindowSide side, MemorySegment memory, @Nullable Arena arena, boolean shared) {
    Object[] proposals =
        exchange(call, new Proposal(rank() == 0 ? NUMBERS.incrementAndGet() : 0, side, memory));
    WindowSide[] sides = new WindowSide[size()];
    MemorySegment[] segments = new MemorySegment[shared ? size() : 0];
    for (int rank = 0; rank < size(); rank++) {
      Proposal proposal = (Proposal) proposals[rank];
      sides[rank] = proposal.side;
      if (shared) {
        segments[rank] = proposal.memory;
      }
    }
    int number = ((Proposal) proposals[0]).number;
    return register(new LocalWindow(this, number, sides, memory, segments, arena));
  }

  /** Arrives at a window's fence or end, and waits for all ranks there if asked to. */
  final void meet(CollectiveKind kind, int window, boolean wait) {
    // A window can outlive its communicator, if only to be closed.
    if (kind != CollectiveKind.CLOSE_WINDOW) {
      checkOpen();
    }
    CollectiveOperation meeting =
        collectives
            .make(wait ? Form.BLOCKING : Form.REQUEST)
            .set(kind, DType.I8, 0, null, window)
            .inline(0, 0);
    if (meeting instanceof CollectiveRequest unwatched) {
      unwatched.begin();
    } else {
      collectives.run(meeting);
    }
  }
}
