package dev.rialto.runtime.memory;

import dev.rialto.runtime.trace.MemoryEvent;
import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.memory.MemorySpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Pages that are cut alike, and what is used and reserved of them. */
abstract class Pool implements BlockSource {
  private final String name;
  private final MemorySpace space;
  private final Counter used;
  private final Counter reserved;
  private final Counter allReserved;
  private final Set<Page> pages = ConcurrentHashMap.newKeySet();

  /** A sum and the most it has been. */
  static final class Counter {
    private final AtomicLong now = new AtomicLong();
    private final AtomicLong peak = new AtomicLong();

    long add(long bytes) {
      long sum = now.addAndGet(bytes);
      if (sum > peak.get()) {
        peak.accumulateAndGet(sum, Math::max);
      }
      return sum;
    }

    long now() {
      return now.get();
    }

    long peak() {
      return peak.get();
    }
  }

  Pool(String name, MemorySpace space, Counter allReserved) {
    this.name = name;
    this.space = space;
    this.used = new Counter();
    this.reserved = new Counter();
    this.allReserved = allReserved;
  }

  MemorySpace space() {
    return space;
  }

  Page newPage(int count, long each) {
    MemoryEvent event = MemoryEvent.start();
    Page page = new Page(space.allocate(count * each), count, each, this);
    pages.add(page);
    count(event, page.bytes());
    return page;
  }

  /** Gives a page back; returns false if that cannot be, as native code still uses its memory. */
  boolean free(Page page) {
    MemoryEvent event = MemoryEvent.start();
    try {
      page.free();
    } catch (MemoryException e) {
      return false;
    }
    pages.remove(page);
    count(event, -page.bytes());
    return true;
  }

  /** Counts memory that came or went. */
  void count(long bytes) {
    count(MemoryEvent.start(), bytes);
  }

  private void count(MemoryEvent event, long bytes) {
    event.commit(space.name(), name, bytes);
    long _ = reserved.add(bytes);
    long _ = allReserved.add(bytes);
  }

  Block use(Block block, long bytes, @Nullable Quota quota) {
    used.add(bytes);
    block.handOut(bytes, quota);
    return block;
  }

  @Override
  public final void release(Block block) {
    used.add(-block.requested());
    put(block);
  }

  /** Keeps a block for its next owner. */
  abstract void put(Block block);

  /** Gives memory back of which nothing is used. */
  abstract void cleanup();

  long usedBytes() {
    return used.now();
  }

  long peakUsedBytes() {
    return used.peak();
  }

  long reservedBytes() {
    return reserved.now();
  }

  MemoryReport.Row row() {
    return new MemoryReport.Row(
        name, used.now(), used.peak(), reserved.now(), reserved.peak(), holdings().size());
  }

  List<Holding> holdings() {
    List<Holding> found = new ArrayList<>();
    for (Page page : pages) {
      for (Block block : page.blocks()) {
        Holding holding = block.holding();
        if (holding != null) {
          found.add(holding);
        }
      }
    }
    return found;
  }
}
