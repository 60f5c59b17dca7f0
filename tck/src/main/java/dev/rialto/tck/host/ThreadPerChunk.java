package dev.rialto.tck.host;

import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.Execution;
import dev.rialto.spi.exec.Executor.RangeBody;
import dev.rialto.tck.reference.Together;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * An executor for backends that take one and have none: each chunk of a loop is a new thread, so
 * that whatever chunks must not share shows.
 */
final class ThreadPerChunk implements Executor {
  private final int parallelism;

  ThreadPerChunk(int parallelism) {
    this.parallelism = parallelism;
  }

  @Override
  public String name() {
    return "thread per chunk";
  }

  @Override
  public int parallelism() {
    return parallelism;
  }

  @Override
  public void parallelFor(long begin, long end, long grain, RangeBody body) {
    long chunks = Math.ceilDiv(end - begin, grain);
    try {
      Together.run(
          Math.toIntExact(chunks),
          chunk -> body.run(begin + chunk * grain, Math.min(end, begin + (chunk + 1) * grain)));
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new CompletionException(e);
    }
  }

  @Override
  public void parallelFor(
      long begin, long end, long grain, Cancellation cancellation, RangeBody body) {
    cancellation.check();
    parallelFor(begin, end, grain, body);
  }

  @Override
  public Execution execute(Runnable task) {
    CompletableFuture<Void> run =
        CompletableFuture.runAsync(task, r -> Thread.ofPlatform().start(r));
    return new Execution() {
      @Override
      public boolean isDone() {
        return run.isDone();
      }

      @Override
      public void await() {
        run.join();
      }

      @Override
      public boolean cancel() {
        return false;
      }
    };
  }

  @Override
  public void close() {}
}
