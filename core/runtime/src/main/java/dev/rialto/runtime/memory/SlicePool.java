package dev.rialto.runtime.memory;

import dev.rialto.spi.memory.MemorySpace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of one size class, cut from pages.
 *
 * <p>A free block waits with the one stream that may still use it, which can have it again at once;
 * a block that several streams may still use waits in limbo until they have passed it. So no stream
 * ever waits for another because of memory that was used again.
 *
 * <p>All pages are small, so that a buffer that lives long keeps no more than one small page. When
 * three quarters of the memory are free, pages of which nothing is used are given back, beyond a
 * few mebibytes; the next time when a quarter of the rest is, so that looking for them costs little
 * for each buffer that is closed.
 */
final class SlicePool extends Pool {
  /** Free memory up to this many bytes is kept. */
  private static final long KEPT = 4 << 20;

  private final int sizeClass;
  private final long each;
  private final long pageBytes;
  private final Lanes lanes;

  /** The used bytes below which empty pages are looked for. */
  private volatile long trimBelow;

  SlicePool(int sizeClass, MemorySpace space, long pageBytes, Lanes lanes, Counter allReserved) {
    super(SizeClasses.bytes(sizeClass) + " B", space, allReserved);
    this.sizeClass = sizeClass;
    this.each = SizeClasses.bytes(sizeClass);
    this.pageBytes = pageBytes;
    this.lanes = lanes;
  }

  Block reserve(Lane lane, long bytes, @Nullable Quota quota) {
    Block block = lanes.take(lane, sizeClass);
    if (block == null) {
      block = lanes.findIdle(sizeClass);
      if (block == null) {
        block = grow(lane);
      }
    }
    return use(block, bytes, quota);
  }

  private synchronized Block grow(Lane lane) {
    // A thread that was here before may have left some.
    Block left = lanes.take(lane, sizeClass);
    if (left != null) {
      return left;
    }
    int count = (int) Math.max(1, pageBytes / each);
    Block[] blocks = newPage(count, each).blocks();
    trimBelow = reservedBytes() > KEPT ? reservedBytes() / 4 : 0;
    for (int i = count - 1; i > 0; i--) {
      lanes.give(lane, sizeClass, blocks[i]);
    }
    return blocks[0];
  }

  @Override
  void put(Block block) {
    lanes.put(sizeClass, block);
    if (usedBytes() < trimBelow) {
      trim();
    }
  }

  private synchronized void trim() {
    if (usedBytes() < trimBelow) {
      cleanup();
      trimBelow = reservedBytes() > KEPT ? Math.min(reservedBytes() / 4, usedBytes() / 4 * 3) : 0;
    }
  }

  @Override
  synchronized void cleanup() {
    List<Block> free = new ArrayList<>();
    lanes.drain(sizeClass, free::add);
    Map<Page, Integer> idle = new HashMap<>();
    for (Block block : free) {
      if (block.page() != null && block.isIdle()) {
        idle.merge(block.page(), 1, Integer::sum);
      }
    }
    idle.entrySet()
        .removeIf(page -> page.getValue() < page.getKey().blocks().length || !free(page.getKey()));
    for (Block block : free) {
      if (block.page() == null || !idle.containsKey(block.page())) {
        lanes.put(sizeClass, block);
      }
    }
  }
}
