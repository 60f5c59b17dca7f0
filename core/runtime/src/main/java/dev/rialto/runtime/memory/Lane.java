package dev.rialto.runtime.memory;

import dev.rialto.spi.exec.Timeline;
import org.jspecify.annotations.Nullable;

/**
 * A stream as memory sees it: a timeline and, in each of the pools that know it, the free blocks
 * that it alone may still use.
 */
public class Lane extends Claim {
  /** The free blocks in one set of pools. */
  private record Shelf(Lanes of, FreeBlocks free, @Nullable Shelf next) {}

  private final Timeline timeline;
  private volatile @Nullable Shelf shelves;

  /** Makes the lane of a stream. */
  public Lane(Timeline timeline) {
    this.timeline = timeline;
  }

  /** Returns the stream's timeline. */
  public final Timeline timeline() {
    return timeline;
  }

  /** Makes what is added from now on wait for a position of another lane, and fail if that did. */
  protected void after(Lane before, long position) {
    timeline.waitFor(before.timeline, position);
  }

  /** Returns the free blocks in some pools, or null if this lane is not, or no longer, theirs. */
  final @Nullable FreeBlocks free(Lanes of) {
    for (Shelf shelf = shelves; shelf != null; shelf = shelf.next()) {
      if (shelf.of() == of) {
        return shelf.free();
      }
    }
    return null;
  }

  final void join(Lanes lanes) {
    shelves = new Shelf(lanes, new FreeBlocks(), shelves);
  }

  final void leave(Lanes lanes) {
    shelves = without(shelves, lanes);
  }

  private static @Nullable Shelf without(@Nullable Shelf shelf, Lanes lanes) {
    if (shelf == null) {
      return null;
    }
    Shelf rest = without(shelf.next(), lanes);
    return shelf.of() == lanes ? rest : new Shelf(shelf.of(), shelf.free(), rest);
  }
}
