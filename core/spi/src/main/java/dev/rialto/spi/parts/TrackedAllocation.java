package dev.rialto.spi.parts;

import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.memory.MemorySpace.LiveAllocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * One block of a {@link TrackedSpace}.
 *
 * <p>Segment, slices and this object reach one another through the arena, whose list of things to
 * do when it closes holds this. So it becomes unreachable when the last of them does, and a program
 * that keeps only a slice has not leaked.
 */
final class TrackedAllocation implements Allocation {
  private static final Cleaner CLEANER = Cleaner.create();

  private final MemorySpace space;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment segment;
  private final LeakReport report;
  private final Cleaner.Cleanable unreachable;

  /**
   * Takes hold of memory.
   *
   * @param release gives it back; runs once, when this is closed
   * @param onLeak told if this becomes unreachable while open
   */
  @SuppressWarnings("restricted")
  TrackedAllocation(
      MemorySpace space, LiveAllocation block, Runnable release, Consumer<LiveAllocation> onLeak) {
    this.space = space;
    this.segment =
        MemorySegment.ofAddress(block.address())
            .reinterpret(
                space.properties().hostAccessible() ? block.bytes() : 0,
                arena,
                _ -> release(release));
    this.report = new LeakReport(block, new AtomicBoolean(true), onLeak);
    this.unreachable = CLEANER.register(this, report);
  }

  private void release(Runnable release) {
    unreachable.clean();
    release.run();
  }

  @Override
  public MemorySegment segment() {
    if (!isOpen()) {
      throw new IllegalStateException(
          describe() + " was closed and cannot be used any longer; keep it open as long as needed");
    }
    return segment;
  }

  @Override
  public long bytes() {
    return report.block.bytes();
  }

  @Override
  public MemorySpace space() {
    return space;
  }

  @Override
  public boolean isOpen() {
    return report.open.get();
  }

  @Override
  public void close() {
    if (!report.open.compareAndSet(true, false)) {
      throw new MemoryException(
          describe() + " was closed before", space.name(), "close each allocation once", null);
    }
    try {
      arena.close();
    } catch (IllegalStateException e) {
      report.open.set(true);
      throw new MemoryException(
          describe() + " is in use by a call of native code",
          space.name(),
          "wait for that call before closing it",
          e);
    }
  }

  private String describe() {
    return "the allocation of " + bytes() + " bytes at 0x" + Long.toHexString(segment.address());
  }

  /** Tells of a block that was lost. Refers to no more of it than its numbers. */
  private record LeakReport(
      LiveAllocation block, AtomicBoolean open, Consumer<LiveAllocation> onLeak)
      implements Runnable {
    @Override
    public void run() {
      if (open.get()) {
        onLeak.accept(block);
      }
    }
  }
}
