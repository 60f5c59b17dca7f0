package dev.rialto.runtime.memory;

import dev.rialto.spi.memory.MemorySpace;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Memory that came from elsewhere, such as that of a communicator's windows. It is counted here as
 * long as it is used and then its owner's again.
 */
final class AdoptedPool extends Pool {
  private final Set<Block> live = ConcurrentHashMap.newKeySet();

  AdoptedPool(MemorySpace space, Counter allReserved) {
    super("adopted", space, allReserved);
  }

  /** Counts memory that is there already, which no limit can refuse any more. */
  Block adopt(MemorySegment memory, long bytes, @Nullable Quota quota) {
    Block block = new Block(memory, bytes, this, null);
    live.add(block);
    count(bytes);
    if (quota != null) {
      quota.add(bytes);
    }
    return use(block, bytes, quota);
  }

  @Override
  void put(Block block) {
    live.remove(block);
    count(-block.bytes());
  }

  @Override
  void cleanup() {}

  @Override
  List<Holding> holdings() {
    return live.stream().map(Block::holding).filter(Objects::nonNull).toList();
  }
}
