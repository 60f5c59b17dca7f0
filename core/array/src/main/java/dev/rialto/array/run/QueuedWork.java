package dev.rialto.array.run;

import static java.util.Objects.requireNonNull;

import dev.rialto.array.StartedWork;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.system.JoinedThread;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Work of a {@link WorkQueue}, from when it was started.
 *
 * @param <R> the result
 */
final class QueuedWork<R> implements StartedWork<R> {
  private final List<Operand> uses;
  private final Supplier<@Nullable Thread> worker;
  private final CommunicationThread thread;
  private final FutureTask<R> task;
  private final Consumer<QueuedWork<?>> heard;
  private final Cancellation cancellation = new Cancellation();

  /**
   * Describes work.
   *
   * @param worker the thread that does it, from when it is in the queue
   * @param heard is told of its await
   */
  QueuedWork(
      Supplier<R> work,
      Supplier<@Nullable Thread> worker,
      List<Operand> uses,
      CommunicationThread thread,
      Consumer<QueuedWork<?>> heard) {
    this.worker = worker;
    this.uses = uses;
    this.thread = thread;
    this.heard = heard;
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

  /** Returns whether it was started with memory of some of these arrays. */
  boolean uses(Object... arrays) {
    for (Object each : arrays) {
      if (each instanceof Operand array
          && uses.stream().anyMatch(used -> Operands.overlap(array, used))) {
        return true;
      }
    }
    return false;
  }

  /** Returns what it failed by; null if it did not, is not done, or was cancelled. */
  @Nullable Throwable failure() {
    Throwable thrown = task.state() == Future.State.FAILED ? task.exceptionNow() : null;
    return thrown instanceof CancellationException ? null : thrown;
  }

  /** Returns the failure in words for who did not await this. */
  IllegalStateException unheard(Throwable failure) {
    return new IllegalStateException(
        "work that was started%s failed and was not awaited: %s"
            .formatted(uses.isEmpty() ? "" : " with " + uses, failure),
        failure);
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
      R result = result();
      heard.accept(this);
      return result;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      cancel();
      throw new IllegalStateException("interrupted while waiting; the operation is cancelled", e);
    } catch (ExecutionException e) {
      heard.accept(this);
      throw CommunicationThread.unwrapped(e);
    }
  }

  /** Waits for the end, and communicates for it where no other thread may. */
  R result() throws InterruptedException, ExecutionException {
    while (thread != CommunicationThread.NONE && !task.isDone()) {
      thread.serve();
    }
    // The search for ranks that wait for one another sees through this wait.
    try (JoinedThread.Told _ = JoinedThread.await(requireNonNull(worker.get()))) {
      return task.get();
    }
  }
}
