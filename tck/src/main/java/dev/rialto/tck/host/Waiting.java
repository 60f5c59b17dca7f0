package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Waits that a requirement makes inside of a backend's threads. They end by themselves: a thread of
 * the backend that waited for ever would outlive the requirement.
 */
public final class Waiting {
  private static final long SECONDS = 20;

  private Waiting() {}

  static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(SECONDS, TimeUnit.SECONDS), "what was waited for did not come");
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }

  /** Meets the other threads there; fails if they do not come. */
  static void meet(CyclicBarrier barrier) {
    try {
      barrier.await(SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("the others did not come at the same time", e);
    }
  }

  static void until(BooleanSupplier condition, String what) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, what);
      Thread.sleep(1);
    }
  }

  /** Lets others run for a moment, to give something that must not happen the chance to. */
  static void moment() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }
}
