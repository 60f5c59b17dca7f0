package dev.rialto.tck.reference;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;

/** Runs something on several threads that begin at the same time. */
public final class Together {
  public interface Part {
    void run(int thread) throws Exception;
  }

  private Together() {}

  /**
   * Runs {@code part} on {@code threads} new threads and throws what the first failed one threw.
   */
  public static void run(int threads, Part part) throws Exception {
    CountDownLatch ready = new CountDownLatch(threads);
    List<CompletableFuture<Void>> parts = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      int number = thread;
      CompletableFuture<Void> done = new CompletableFuture<>();
      parts.add(done);
      Thread.ofPlatform()
          .daemon()
          .name("together " + number)
          .start(
              () -> {
                try {
                  ready.countDown();
                  ready.await();
                  part.run(number);
                  done.complete(null);
                } catch (Throwable e) {
                  done.completeExceptionally(e);
                }
              });
    }
    for (CompletableFuture<Void> done : parts) {
      try {
        done.get();
      } catch (ExecutionException e) {
        switch (e.getCause()) {
          case Exception failure -> throw failure;
          case Error error -> throw error;
          case null, default -> throw new AssertionError(e.getCause());
        }
      }
    }
  }
}
