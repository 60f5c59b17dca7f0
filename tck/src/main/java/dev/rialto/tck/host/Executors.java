package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.exec.Executor;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Executors to check with: as few threads as there can be, and more. */
final class Executors {
  interface Check {
    void check(Executor executor) throws Exception;
  }

  private Executors() {}

  static void each(BackendProvider backend, Check check) throws Exception {
    for (int parallelism : new int[] {1, 2, 4}) {
      try (Executor executor = backend.openExecutor(parallelism)) {
        check.check(executor);
      }
    }
  }

  static void everyIndexOnce(Executor executor, long begin, int count, long grain) {
    AtomicIntegerArray visits = new AtomicIntegerArray(count);
    executor.parallelFor(
        begin,
        begin + count,
        grain,
        (from, to) -> {
          for (long i = from; i < to; i++) {
            visits.incrementAndGet((int) (i - begin));
          }
        });
    for (int i = 0; i < count; i++) {
      assertEquals(
          1, visits.get(i), "visits of index " + i + " of " + count + " with grain " + grain);
    }
  }
}
