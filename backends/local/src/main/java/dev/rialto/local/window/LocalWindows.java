package dev.rialto.local.window;

import dev.rialto.local.collective.LocalCollectives;
import dev.rialto.local.memory.Memory;
import dev.rialto.local.world.LocalCommunicator;
import dev.rialto.local.world.Member;
import dev.rialto.spi.comm.Window;
import dev.rialto.system.HostMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The windows of a {@link LocalCommunicator}. */
public final class LocalWindows {
  /** Memory is aligned to this, and then no two ranks' share a line. */
  private static final int ALIGNMENT = 64;

  private static final AtomicInteger NUMBERS = new AtomicInteger();

  /** One rank's part of a new window; all use the number that rank 0 proposes. */
  private record Proposal(int number, WindowSide side, MemorySegment memory) {}

  private final Member member;
  private final LocalCollectives collectives;

  public LocalWindows(Member member, LocalCollectives collectives) {
    this.member = member;
    this.collectives = collectives;
  }

  /** Opens memory; see {@link LocalCommunicator#window}. */
  public Window window(MemorySegment memory) {
    Memory.check(memory, "memory");
    HostMemory.requireShared(memory, "memory of a window");
    return open("window", WindowSide.of(memory, member.size()), memory, null, false);
  }

  /** Opens a window without memory; see {@link LocalCommunicator#dynamicWindow}. */
  public Window dynamic() {
    return open(
        "dynamicWindow", WindowSide.dynamic(member.size()), MemorySegment.NULL, null, false);
  }

  /** Allocates, for all ranks to see or not; see {@link LocalCommunicator#sharedWindow}. */
  public Window allocate(long bytes, boolean shared) {
    String call = shared ? "sharedWindow" : "allocateWindow";
    if (bytes < 0) {
      throw new IllegalArgumentException(call + " of " + bytes + " bytes; give 0 or more");
    }
    member.checkOpen();
    Arena arena = Arena.ofShared();
    boolean opened = false;
    try {
      MemorySegment memory = arena.allocate(bytes, ALIGNMENT);
      Window window = open(call, WindowSide.of(memory, member.size()), memory, arena, shared);
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
        collectives.exchange(
            call, new Proposal(member.rank() == 0 ? NUMBERS.incrementAndGet() : 0, side, memory));
    WindowSide[] sides = new WindowSide[member.size()];
    MemorySegment[] segments = new MemorySegment[shared ? member.size() : 0];
    for (int rank = 0; rank < member.size(); rank++) {
      Proposal proposal = (Proposal) proposals[rank];
      sides[rank] = proposal.side;
      if (shared) {
        segments[rank] = proposal.memory;
      }
    }
    int number = ((Proposal) proposals[0]).number;
    return member.register(
        new LocalWindow(member, collectives, number, sides, memory, segments, arena));
  }
}
