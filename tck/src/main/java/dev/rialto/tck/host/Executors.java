package dev.rialto.tck.host;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.exec.Executor;

/** Executors to check with: as few threads as there can be, and more. */
final class Executors {
  /** What is checked of an executor. */
  interface Check {
    /** Checks it. */
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
}
