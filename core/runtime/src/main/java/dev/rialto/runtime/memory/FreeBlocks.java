package dev.rialto.runtime.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Free blocks by size class: a stack for each, without locks.
 *
 * <p>What was freed last is handed out first, while it is still in a cache. Each entry is a new
 * node, so a block that comes back while another thread looks at it does no harm.
 */
final class FreeBlocks {
  private static final int LOOKS = 4;

  private record Node(Block block, @Nullable Node below) {}

  private final AtomicReferenceArray<@Nullable Node> tops =
      new AtomicReferenceArray<>(SizeClasses.COUNT);

  void push(int sizeClass, Block block) {
    Node top;
    do {
      top = tops.get(sizeClass);
    } while (!tops.weakCompareAndSetVolatile(sizeClass, top, new Node(block, top)));
  }

  @Nullable Block pop(int sizeClass) {
    while (true) {
      Node top = tops.get(sizeClass);
      if (top == null) {
        return null;
      }
      if (tops.weakCompareAndSetVolatile(sizeClass, top, top.below())) {
        return top.block();
      }
    }
  }

  /** Pops a block that no stream uses any longer, looking at the upper few. */
  @Nullable Block popIdle(int sizeClass) {
    Block block = pop(sizeClass);
    if (block == null || block.isIdle()) {
      return block;
    }
    List<Block> busy = new ArrayList<>(LOOKS);
    do {
      busy.add(block);
      block = pop(sizeClass);
    } while (block != null && !block.isIdle() && busy.size() < LOOKS);
    if (block != null && !block.isIdle()) {
      busy.add(block);
      block = null;
    }
    busy.forEach(each -> push(sizeClass, each));
    return block;
  }

  void drain(int sizeClass, Consumer<Block> taker) {
    for (Block block = pop(sizeClass); block != null; block = pop(sizeClass)) {
      taker.accept(block);
    }
  }
}
