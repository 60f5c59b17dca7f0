package dev.rialto.runtime.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class ClaimTest {
  private static final class Counter extends Claim {
    int count;
  }

  private final Counter counter = new Counter();

  /** The lock of a driver, say: the thread that has the claim waits for another's work. */
  @Test
  void manyVirtualThreadsClaimInTurnWhileTheOneThatHasTheClaimWaitsForAPlatformThread()
      throws Exception {
    int threads = 5_000;
    try (ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();
        ExecutorService driver = Executors.newSingleThreadExecutor()) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        boolean waits = i % 10 == 0;
        running.add(
            virtual.submit(
                () -> {
                  counter.claim();
                  try {
                    if (waits) {
                      driver.submit(() -> {}).get();
                    }
                    counter.count++;
                  } finally {
                    counter.unclaim();
                  }
                  return null;
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
    }
    assertThat(counter.count).isEqualTo(threads);
  }

  @Test
  void platformThreadsClaimInTurn() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        running.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 100_000; i++) {
                    counter.claim();
                    counter.count++;
                    counter.unclaim();
                  }
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
    }
    assertThat(counter.count).isEqualTo(400_000);
  }

  @Test
  void anInterruptedThreadWaitsForItsClaimAndStaysInterrupted() throws Exception {
    CountDownLatch ready = new CountDownLatch(1);
    counter.claim();
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Future<Boolean> waiting =
          threads.submit(
              () -> {
                Thread.currentThread().interrupt();
                ready.countDown();
                counter.claim();
                counter.count++;
                counter.unclaim();
                return Thread.interrupted();
              });
      ready.await();
      assertThat(counter.count).isZero();
      counter.unclaim();
      assertThat(waiting.get()).isTrue();
    }
    assertThat(counter.count).isOne();
  }
}
