package dev.rialto.array.run;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Admits one thread at a time to a team, so that no thread frees memory that another works with,
 * and no two of them call the communicator in an order that differs from rank to rank. The thread
 * that is inside may enter again. A second one is refused instead of kept waiting: which of the two
 * comes first would be chance.
 */
final class EntryGuard {
  private final AtomicReference<@Nullable Thread> inside = new AtomicReference<>();
  private volatile Object doing = "";
  private int depth;

  /**
   * Lets the calling thread in; {@link #exit} follows.
   *
   * @param what it does, in words of {@code toString}
   * @throws IllegalStateException if another thread is inside
   */
  void enter(Object what) {
    Thread me = Thread.currentThread();
    Thread other = inside.get();
    if (!me.equals(other)) {
      if (other != null || !inside.compareAndSet(null, me)) {
        throw new IllegalStateException(
            "%s on thread '%s' while thread '%s' is in %s; use a team and its arrays on one thread at a time"
                .formatted(what, me.getName(), other == null ? "?" : other.getName(), doing));
      }
      doing = what;
    }
    depth++;
  }

  void exit() {
    if (--depth == 0) {
      inside.set(null);
    }
  }
}
