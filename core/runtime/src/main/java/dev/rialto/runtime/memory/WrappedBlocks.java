package dev.rialto.runtime.memory;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The blocks around memory of other owners, of all devices of this process.
 *
 * <p>Two of them may share memory. A use of the later one is then a use of the earlier one too, and
 * recorded in both, so that either sees the other's uses although the earlier one knows nothing of
 * the later. Making one costs a look at all that are open, which are few; a use costs nothing more
 * unless memory is shared.
 */
public final class WrappedBlocks {
  /** Weak, so that memory of an automatic arena ends with the buffer that was not closed. */
  private static final List<WeakReference<Block>> OPEN = new ArrayList<>();

  private WrappedBlocks() {}

  /** Makes a block of memory of another owner, who is told when no stream uses it. */
  public static Block wrap(MemorySegment memory, long bytes, Runnable onRelease) {
    Block made = new Block(memory, bytes, released -> release(released, onRelease), null);
    made.initialize();
    synchronized (OPEN) {
      made.lieOver(
          OPEN.stream()
              .map(WeakReference::get)
              .filter(Objects::nonNull)
              .filter(other -> overlap(memory, bytes, other))
              .toList());
      OPEN.add(new WeakReference<>(made));
    }
    return made;
  }

  private static boolean overlap(MemorySegment memory, long bytes, Block other) {
    MemorySegment theirs = other.segment();
    return memory.address() < theirs.address() + other.bytes()
        && theirs.address() < memory.address() + bytes
        && memory.heapBase().equals(theirs.heapBase());
  }

  private static void release(Block released, Runnable onRelease) {
    if (released.isIdle()) {
      forget(released, onRelease);
    } else {
      Thread.ofVirtual()
          .name("rialto-release")
          .start(
              () -> {
                released.awaitIdle();
                forget(released, onRelease);
              });
    }
  }

  private static void forget(Block released, Runnable onRelease) {
    released.lieOver(List.of());
    synchronized (OPEN) {
      OPEN.removeIf(open -> isGone(open.get(), released));
    }
    onRelease.run();
  }

  private static boolean isGone(@Nullable Block open, Block released) {
    return open == null || open.equals(released);
  }
}
