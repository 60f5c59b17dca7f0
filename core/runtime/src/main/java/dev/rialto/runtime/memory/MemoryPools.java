package dev.rialto.runtime.memory;

import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.text.Machine;
import dev.rialto.text.Table;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one space, shared by all streams of a device.
 *
 * <p>Up to a mebibyte a buffer is a slice from the {@link SlicePool} of its size class; a larger
 * one is an allocation of its own from a {@link WholePool}, and nothing limits its size but the
 * memory there is. Reserving and releasing a slice takes no lock. When the space has nothing left,
 * free memory is given back first, then that of work under way is waited for, and then the request
 * fails, with a table of who holds what.
 */
public final class MemoryPools {
  private static final int LARGEST_HOLDERS = 10;

  private final MemorySpace space;
  private final Lanes lanes = new Lanes();
  private final Pool.Counter reserved = new Pool.Counter();
  private final SlicePool[] slices = new SlicePool[SizeClasses.COUNT];
  private final WholePool large;
  private final WholePool persistent;
  private final WholePool exact;
  private final AdoptedPool adopted;
  private final MemoryAccount account;
  private final List<Pool> all = new ArrayList<>();

  /**
   * Makes the pools of a space.
   *
   * @param pageBytes what its memory is best asked for in multiples of
   * @param account what counts them, until {@link #close}
   */
  public MemoryPools(MemorySpace space, long pageBytes, MemoryAccount account) {
    this.space = space;
    this.account = account;
    for (int i = 0; i < slices.length; i++) {
      slices[i] = new SlicePool(i, space, pageBytes, lanes, reserved);
      all.add(slices[i]);
    }
    long unit = space.properties().alignment();
    large = whole("large", WholePool.Keep.WITHIN_PEAK, Math.max(unit, pageBytes));
    persistent = whole("persistent", WholePool.Keep.ALWAYS, unit);
    exact = whole("exact", WholePool.Keep.NEVER, unit);
    adopted = new AdoptedPool(space, reserved);
    all.add(adopted);
    account.add(this);
  }

  private WholePool whole(String name, WholePool.Keep keep, long unit) {
    WholePool pool = new WholePool(name, keep, space, unit, reserved);
    all.add(pool);
    return pool;
  }

  /** Returns the space that this memory is of. */
  public MemorySpace space() {
    return space;
  }

  /** Makes a stream known. */
  public void add(Lane lane) {
    lanes.add(lane);
  }

  /** Forgets a stream that has ended. */
  public void remove(Lane lane) {
    lanes.remove(lane);
  }

  /**
   * Finds memory for an operation on a lane: it may be used there at once, and no other operation
   * has it.
   *
   * @throws MemoryException if there is not enough, with a table of who holds what
   */
  public Block reserve(Lane lane, long bytes, AllocationMode mode, @Nullable Quota quota) {
    if (bytes < 0) {
      throw new IllegalArgumentException("a buffer of " + bytes + " bytes; give 0 or more");
    }
    if (quota != null && !quota.take(bytes)) {
      throw outOfMemory(
          bytes,
          quota.used() + " of this client's limit of " + quota.limit() + " bytes are in use",
          null);
    }
    if (account.exceeds(bytes)) {
      giveBack(quota, bytes);
      throw beyondLimit(bytes);
    }
    Block block;
    try {
      block = tryReserve(lane, bytes, mode, quota);
    } catch (MemoryException e) {
      Block found = afterReclaiming(lane, bytes, mode, quota);
      if (found == null) {
        giveBack(quota, bytes);
        throw outOfMemory(bytes, space.available() + " are left", e);
      }
      block = found;
    }
    if (account.exceeds(0)) {
      // Another thread's request went through at the same time.
      block.release(block.generation());
      throw beyondLimit(bytes);
    }
    return block;
  }

  private static void giveBack(@Nullable Quota quota, long bytes) {
    if (quota != null) {
      quota.give(bytes);
    }
  }

  private MemoryException beyondLimit(long bytes) {
    return outOfMemory(
        bytes, account.used() + " of the limit of " + account.limit() + " bytes are in use", null);
  }

  private Block tryReserve(Lane lane, long bytes, AllocationMode mode, @Nullable Quota quota) {
    return switch (mode) {
      case POOLED ->
          bytes <= SizeClasses.LARGEST
              ? slices[SizeClasses.of(bytes)].reserve(lane, bytes, quota)
              : large.reserve(lane, bytes, quota);
      case PERSISTENT -> persistent.reserve(lane, bytes, quota);
      case EXACT -> exact.reserve(lane, bytes, quota);
    };
  }

  private @Nullable Block afterReclaiming(
      Lane lane, long bytes, AllocationMode mode, @Nullable Quota quota) {
    for (boolean waited = false; ; waited = true) {
      cleanup();
      try {
        return tryReserve(lane, bytes, mode, quota);
      } catch (MemoryException e) {
        if (waited || !awaitLanes()) {
          return null;
        }
      }
    }
  }

  /** Waits for work under way; returns false where an operation of that work asks for it. */
  private boolean awaitLanes() {
    try {
      lanes.await();
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  private MemoryException outOfMemory(long bytes, String why, @Nullable Throwable cause) {
    List<Holding> holdings = new ArrayList<>();
    all.forEach(pool -> holdings.addAll(pool.holdings()));
    Map<String, long[]> holders = new LinkedHashMap<>();
    for (Holding holding : holdings) {
      long[] sum = holders.computeIfAbsent(holding.describe(), _ -> new long[2]);
      sum[0]++;
      sum[1] += holding.bytes();
    }
    Table table = Table.of("held by", "buffers", "bytes").alignRight(1, 2);
    holders.entrySet().stream()
        .sorted(Comparator.comparingLong(e -> -e.getValue()[1]))
        .limit(LARGEST_HOLDERS)
        .forEach(e -> table.row(e.getKey(), e.getValue()[0], Machine.bytes(e.getValue()[1])));
    return new MemoryException(
        "a buffer of %s bytes cannot be had: %s are used, %s reserved, and %s\n%s"
            .formatted(bytes, used(), reserved.now(), why, table),
        space.name(),
        "close what is no longer needed%s"
            .formatted(
                holdings.stream().anyMatch(Holding::isTracked)
                    ? ""
                    : "; -Drialto.leaks=true shows where buffers were made"),
        cause);
  }

  /** Gives memory back of which nothing is used. */
  public void cleanup() {
    all.forEach(Pool::cleanup);
  }

  /** Returns how much is in use. */
  public MemoryUsage usage() {
    return new MemoryUsage(used(), reserved.now(), reserved.peak(), space.available());
  }

  long used() {
    return all.stream().mapToLong(Pool::usedBytes).sum();
  }

  /** Returns what each pool that was ever used holds. */
  public MemoryReport report(String device) {
    return new MemoryReport(
        device,
        usage(),
        all.stream().map(Pool::row).filter(row -> row.peakReserved() > 0).toList());
  }

  /**
   * Divides a block that the caller holds into parts with users of their own; it goes back where it
   * came from when the last part does.
   */
  public List<Block> divide(Block whole, int generation, long[] offsets, long[] bytes) {
    AtomicInteger left = new AtomicInteger(offsets.length);
    List<Block> parts = new ArrayList<>();
    for (int i = 0; i < offsets.length; i++) {
      MemorySegment part = Page.slice(space, whole.segment(), offsets[i], bytes[i]);
      parts.add(
          new Block(
              part,
              bytes[i],
              released -> {
                whole.claim();
                whole.absorb(released);
                whole.unclaim();
                if (left.decrementAndGet() == 0) {
                  whole.release(generation);
                }
              },
              null));
    }
    return parts;
  }

  /** Counts memory from elsewhere as long as the block lives; it stays its owner's. */
  public Block adopt(MemorySegment memory, long bytes, @Nullable Quota quota) {
    return adopted.adopt(memory, bytes, quota);
  }

  /** Gives memory back of which nothing is used, and leaves the account. */
  public void close() {
    cleanup();
    account.remove(this);
  }
}
