package dev.rialto.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

/**
 * Keeps all streams of a device still while one works.
 *
 * <p>Each stream gets an operation that waits until the section has ended, so whoever adds more
 * need not wait and nothing is checked outside such sections.
 */
final class Exclusive {
  private Exclusive() {}

  static <T> T run(ComputeDevice device, Function<ComputeStream, T> body) {
    // One section at a time: two would keep each other's streams still.
    synchronized (device.failures()) {
      CountDownLatch release = new CountDownLatch(1);
      try (ComputeStream own = device.openStream(0)) {
        List<ComputeStream> others = new ArrayList<>(device.streams());
        others.remove(own);
        CountDownLatch still = new CountDownLatch(others.size());
        for (ComputeStream stream : others) {
          stream
              .timeline()
              .run(
                  () -> {
                    still.countDown();
                    await(release);
                  });
        }
        await(still);
        T result = body.apply(own);
        own.sync();
        return result;
      } finally {
        release.countDown();
      }
    }
  }

  private static void await(CountDownLatch latch) {
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
}
