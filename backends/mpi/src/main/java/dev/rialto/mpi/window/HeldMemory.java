package dev.rialto.mpi.window;

import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A caller's memory that peers may access at any time, and whose arena cannot be closed meanwhile.
 *
 * <p>A thread sits inside of {@link HostMemory#holding} until the memory is let go; so closing the
 * arena throws the JDK's exception. Memory confined to a thread cannot be held by another; it is
 * checked instead at each call on the window.
 */
final class HeldMemory implements AutoCloseable {
  private final MemorySegment memory;
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final CountDownLatch left = new CountDownLatch(1);
  private volatile @Nullable RuntimeException refused;

  private HeldMemory(MemorySegment memory) {
    this.memory = memory;
  }

  static HeldMemory of(MemorySegment memory) {
    HeldMemory taken = new HeldMemory(memory);
    boolean lasts = memory.scope().equals(MemorySegment.NULL.scope());
    if (!lasts && !HostMemory.confined(memory)) {
      Thread.ofPlatform().daemon().name("mpi window memory").start(taken::hold);
      awaitQuietly(taken.held);
      RuntimeException failure = taken.refused;
      if (failure != null) {
        throw failure;
      }
    } else {
      taken.left.countDown();
    }
    return taken;
  }

  private void hold() {
    try {
      HostMemory.holding(
          memory,
          memory,
          () -> {
            held.countDown();
            awaitQuietly(released);
          });
    } catch (IllegalStateException e) {
      refused = e;
    } finally {
      held.countDown();
      left.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    boolean interrupted = false;
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  MemorySegment memory() {
    return memory;
  }

  /** Lets the memory go; its arena can be closed when this returns. */
  @Override
  public void close() {
    released.countDown();
    awaitQuietly(left);
  }
}
