package dev.rialto.local.window;

import dev.rialto.spi.error.PeerFailedException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * One rank's side of a window, as all ranks see it: its memory, its lock, whom it lets in and whose
 * memory it is touching.
 *
 * <p>Memory can be taken out at any time, also because its rank fails while others write to it. So
 * an access first shows whose memory it touches and then looks what is there; a rank that takes
 * memory out does so first and then waits while others touch it.
 */
final class WindowSide {
  /** Memory that others reach; {@code base} is the window offset of its first byte. */
  record Region(MemorySegment memory, long base, long bytes, boolean readOnly) {
    boolean holds(long offset, long length) {
      return offset >= base && length <= bytes && offset - base <= bytes - length;
    }

    /** Returns where in {@link #memory} a window offset is. */
    long at(long offset) {
      return offset - base;
    }
  }

  /** The number of locks for updates. */
  static final int STRIPES = 64;

  final FairLock lock = new FairLock();

  /** The number of times that this rank has let each other one in, and was done with it. */
  final AtomicLongArray posts;

  final AtomicLongArray completions;

  private final boolean dynamic;
  private final long bytes;
  private volatile List<Region> regions = List.of();
  private volatile boolean closed;
  private final AtomicIntegerArray touching;
  private final AtomicIntegerArray stripes = new AtomicIntegerArray(STRIPES);

  private WindowSide(int ranks, boolean dynamic, long bytes) {
    this.posts = new AtomicLongArray(ranks);
    this.completions = new AtomicLongArray(ranks);
    this.touching = new AtomicIntegerArray(ranks);
    this.dynamic = dynamic;
    this.bytes = bytes;
  }

  static WindowSide of(MemorySegment memory, int ranks) {
    WindowSide side = new WindowSide(ranks, false, memory.byteSize());
    side.add(memory, 0);
    return side;
  }

  /** Makes the side of a rank that will attach memory. */
  static WindowSide dynamic(int ranks) {
    return new WindowSide(ranks, true, Long.MAX_VALUE);
  }

  boolean dynamic() {
    return dynamic;
  }

  long bytes() {
    return bytes;
  }

  /** Lets others reach memory. */
  synchronized void add(MemorySegment memory, long base) {
    List<Region> more = new ArrayList<>(regions);
    more.add(new Region(memory, base, memory.byteSize(), memory.isReadOnly()));
    regions = List.copyOf(more);
  }

  /** Takes memory out; returns whether it was there. */
  synchronized boolean remove(long base, long length) {
    List<Region> fewer = new ArrayList<>(regions);
    boolean there = fewer.removeIf(each -> each.base == base && each.bytes == length);
    regions = List.copyOf(fewer);
    return there;
  }

  /** Takes all memory out for good. */
  synchronized void close() {
    closed = true;
    regions = List.of();
  }

  boolean overlaps(long base, long length) {
    return regions.stream()
        .anyMatch(each -> base < each.base + each.bytes && each.base < base + length);
  }

  /** Shows that this rank touches memory of {@code target}, until {@link #release}. */
  void touch(int target) {
    touching.getAndIncrement(target);
  }

  void release(int target) {
    touching.getAndDecrement(target);
  }

  /** Returns whether this rank touches memory of {@code target}. */
  boolean touches(int target) {
    return touching.get(target) != 0;
  }

  /**
   * Finds the memory of an access.
   *
   * @throws IndexOutOfBoundsException if it is not all there
   * @throws PeerFailedException if the target has closed the window
   */
  Region find(String call, int target, long offset, long length) {
    List<Region> now = regions;
    for (int i = 0; i < now.size(); i++) {
      if (now.get(i).holds(offset, length)) {
        return now.get(i);
      }
    }
    if (closed) {
      throw new PeerFailedException(
          "%s to rank %d, which has closed its end of the window".formatted(call, target),
          "",
          "let all ranks close it together",
          null);
    }
    throw new IndexOutOfBoundsException(
        dynamic
            ? "%s of %d bytes at address %d of rank %d, where no memory is attached; attach it there first"
                .formatted(call, length, offset, target)
            : "%s of %d bytes at offset %d exceeds the window of rank %d, which has %d bytes"
                .formatted(call, length, offset, target, bytes));
  }

  /** Returns whether memory was freed that others reach. */
  boolean freed() {
    List<Region> now = regions;
    for (int i = 0; i < now.size(); i++) {
      if (!now.get(i).memory.scope().isAlive()) {
        return true;
      }
    }
    return false;
  }

  /** Takes one of the locks that make updates atomic. */
  void lockStripe(int stripe) {
    for (int i = 1; !stripes.compareAndSet(stripe, 0, 1); i++) {
      if (i % 64 == 0) {
        Thread.yield();
      } else {
        Thread.onSpinWait();
      }
    }
  }

  void unlockStripe(int stripe) {
    stripes.setRelease(stripe, 0);
  }
}
