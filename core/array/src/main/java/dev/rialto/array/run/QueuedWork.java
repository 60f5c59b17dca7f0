package dev.rialto.array.run;

import dev.rialto.array.StartedWork;
import dev.rialto.array.part.Operand;
import dev.rialto.spi.exec.Cancellation;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * Work of a {@link WorkQueue}, from when it was started.
 *
 * @param <R> the result
 */
final class QueuedWork<R> implements StartedWork<R> {
  private final List<Operand> uses;
  private final CommunicationThread thread;
  private final FutureTask<R> task;
  private final Cancellation cancellation = new Cancellation();

  QueuedWork(Supplier<R> work, List<Operand> uses, CommunicationThread thread) {
    this.uses = uses;
    this.thread = thread;
    this.task =
        new FutureTask<>(work::get) {
          @Override
          protected void done() {
            thread.wake();
          }
        };
  }

  /** Does it, on the queue's thread. */
  void run() {
    task.run();
  }

  Cancellation cancellation() {
    return cancellation;
  }

  /** Refuses an operation on arrays that it was not started with. */
  void require(ArrayOperation<?> operation) {
    for (Object subject : operation.subjects()) {
      if (subject instanceof Operand array && !uses.contains(array)) {
        throw new IllegalArgumentException(
            "%s in work that was started without %s; give it to start".formatted(operation, array));
      }
    }
  }

  @Override
  public boolean isDone() {
    return task.isDone();
  }

  @Override
  public void cancel() {
    cancellation.cancel();
  }

  @Override
  public R await() {
    try {
      return result();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      cancel();
      throw new IllegalStateException("interrupted while waiting; the operation is cancelled", e);
    } catch (ExecutionException e) {
      throw CommunicationThread.unwrapped(e);
    }
  }

  /** Waits for the end, and communicates for it where no other thread may. */
  R result() throws InterruptedException, ExecutionException {
    while (thread != CommunicationThread.NONE && !task.isDone()) {
      thread.serve();
    }
    return task.get();
  }
}
