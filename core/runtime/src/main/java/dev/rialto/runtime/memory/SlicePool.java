package dev.rialto.runtime.memory;

import dev.rialto.spi.memory.MemorySpace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of one size class, cut from pages.
 *
 * <p>A free block waits with the one stream that may still use it, which can have it again at once;
 * a block that several streams may still use waits in limbo until they have passed it. So no stream
 * ever waits for another because of memory that was used again. Pages grow with the class: each is
 * at most an eighth of what there is, so that little is reserved for nothing.
 */
final class SlicePool extends Pool {
  private final int sizeClass;
  private final long each;
  private final long pageBytes;
  private final Lanes lanes;
  private final AtomicInteger slices = new AtomicInteger();

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
    // Whoever was here before may have left some.
    Block left = lanes.take(lane, sizeClass);
    if (left != null) {
      return left;
    }
    int count = (int) Math.max(1, Math.max(pageBytes / each, slices.get() / 8));
    Block[] blocks = newPage(count, each).blocks();
    slices.addAndGet(count);
    for (int i = count - 1; i > 0; i--) {
      lanes.give(lane, sizeClass, blocks[i]);
    }
    return blocks[0];
  }

  @Override
  void put(Block block) {
    lanes.put(sizeClass, block);
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
    for (Block block : free) {
      Page page = block.page();
      if (page == null || idle.getOrDefault(page, 0) < page.blocks().length) {
        put(block);
      } else if (page.blocks()[0] == block) {
        slices.addAndGet(-page.blocks().length);
        free(page);
      }
    }
  }
}
