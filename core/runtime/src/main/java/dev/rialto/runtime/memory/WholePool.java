package dev.rialto.runtime.memory;

import dev.rialto.spi.memory.MemorySpace;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that are an allocation each, of any size.
 *
 * <p>A free one is used again for a request that it fits well, by the stream that may still use it
 * or by any once no stream does. Before memory is asked for that would make the reserve exceed the
 * most that was ever used by an eighth, free blocks are given back. A lock guards the free ones:
 * what is done with a block of this size takes far longer.
 */
final class WholePool extends Pool {
  /** The treatment of a free block. */
  enum Keep {
    /** Use it again, within what was ever needed. */
    WITHIN_PEAK,
    /** Use it again for the very same size, until {@link Pool#cleanup}. */
    ALWAYS,
    /** Give it back as soon as no stream uses it. */
    NEVER
  }

  private final Keep keep;
  private final long unit;
  private final TreeMap<Long, Deque<Block>> free = new TreeMap<>();

  WholePool(String name, Keep keep, MemorySpace space, long unit, Counter allReserved) {
    super(name, space, allReserved);
    this.keep = keep;
    this.unit = unit;
  }

  synchronized Block reserve(Lane lane, long bytes, @Nullable Quota quota) {
    long size = Math.max(unit, (bytes + unit - 1) & -unit);
    if (size < bytes) {
      throw new IllegalArgumentException(bytes + " bytes cannot be rounded to " + unit);
    }
    Block block = take(lane, size);
    if (block == null) {
      if (keep != Keep.ALWAYS) {
        trim(size);
      }
      block = newPage(1, size).blocks()[0];
    }
    return use(block, bytes, quota);
  }

  private @Nullable Block take(Lane lane, long size) {
    long most = keep == Keep.WITHIN_PEAK ? size + size / 8 : size;
    for (Deque<Block> same : free.subMap(size, true, most, true).values()) {
      for (Block block : same) {
        if (block.isIdleExceptOn(lane)) {
          same.remove(block);
          return block;
        }
      }
    }
    return null;
  }

  /** Gives idle blocks back, the largest first, until {@code more} bytes fit. */
  private void trim(long more) {
    long most =
        keep == Keep.NEVER ? 0 : Math.max(peakUsedBytes(), usedBytes() + more) / 8 * 9 - more;
    for (Map.Entry<Long, Deque<Block>> same : free.descendingMap().entrySet()) {
      List<Block> idle = new ArrayList<>(same.getValue());
      for (Block block : idle) {
        if (reservedBytes() > most && block.isIdle() && freePageOf(block)) {
          same.getValue().remove(block);
        }
      }
    }
    free.values().removeIf(Deque::isEmpty);
  }

  private boolean freePageOf(Block block) {
    Page page = block.page();
    return page != null && free(page);
  }

  @Override
  synchronized void put(Block block) {
    if (keep != Keep.NEVER || !block.isIdle() || !freePageOf(block)) {
      free.computeIfAbsent(block.bytes(), _ -> new ArrayDeque<>()).add(block);
    }
  }

  @Override
  synchronized void cleanup() {
    for (Deque<Block> same : free.values()) {
      List<Block> all = new ArrayList<>(same);
      for (Block block : all) {
        if (block.isIdle() && freePageOf(block)) {
          same.remove(block);
        }
      }
    }
    free.values().removeIf(Deque::isEmpty);
  }
}
