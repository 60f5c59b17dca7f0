package dev.rialto.runtime.memory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** All streams of a device, and the free blocks that are not one stream's alone. */
final class Lanes {
  private final List<Lane> open = new CopyOnWriteArrayList<>();

  private final FreeBlocks idle = new FreeBlocks();

  /** Blocks that two or more streams may still use. */
  private final FreeBlocks limbo = new FreeBlocks();

  void add(Lane lane) {
    lane.join(this);
    open.add(lane);
  }

  /** Forgets a stream that has ended; its free blocks become free for all. */
  void remove(Lane lane) {
    FreeBlocks free = lane.free(this);
    lane.leave(this);
    open.remove(lane);
    for (int sizeClass = 0; free != null && sizeClass < SizeClasses.COUNT; sizeClass++) {
      int of = sizeClass;
      free.drain(of, block -> idle.push(of, block));
    }
  }

  /** Returns a free block that a lane may use at once, if it has one of its own. */
  @Nullable Block take(Lane lane, int sizeClass) {
    FreeBlocks free = lane.free(this);
    return free == null ? null : free.pop(sizeClass);
  }

  void give(Lane lane, int sizeClass, Block block) {
    FreeBlocks free = lane.free(this);
    (free == null ? idle : free).push(sizeClass, block);
  }

  /** Keeps a free block where those can find it who may use it at once. */
  void put(int sizeClass, Block block) {
    Lane user = block.soleUser();
    FreeBlocks free = user == null ? null : user.free(this);
    if (user != null && free != null) {
      free.push(sizeClass, block);
      if (user.free(this) == null) {
        // The stream was closed meanwhile, and no other thread would look there.
        free.drain(sizeClass, each -> idle.push(sizeClass, each));
      }
    } else if (block.isIdle()) {
      idle.push(sizeClass, block);
    } else {
      limbo.push(sizeClass, block);
    }
  }

  /** Returns a free block that no stream uses any longer, if one is found quickly. */
  @Nullable Block findIdle(int sizeClass) {
    Block block = idle.pop(sizeClass);
    if (block == null) {
      block = limbo.popIdle(sizeClass);
    }
    if (block != null) {
      return block;
    }
    for (Lane lane : open) {
      FreeBlocks free = lane.free(this);
      block = free == null ? null : free.popIdle(sizeClass);
      if (block != null) {
        return block;
      }
    }
    return null;
  }

  void drain(int sizeClass, Consumer<Block> taker) {
    idle.drain(sizeClass, taker);
    limbo.drain(sizeClass, taker);
    for (Lane lane : open) {
      FreeBlocks free = lane.free(this);
      if (free != null) {
        free.drain(sizeClass, taker);
      }
    }
  }

  /** Waits until all streams have passed what was added so far; nothing is raised. */
  void await() {
    for (Lane lane : open) {
      lane.timeline().awaitReached(lane.timeline().position());
    }
  }
}
