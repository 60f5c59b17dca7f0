package dev.rialto.array.run;

import dev.rialto.array.part.Operand;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Work that was started on a team: it runs on a thread of its own, one after another. */
final class WorkQueue implements AutoCloseable {
  private final String threadName;
  private final CommunicationThread communication;
  private @Nullable ExecutorService queue;
  private @Nullable QueuedWork<?> last;

  /** The work that is running, and the thread that runs it. */
  private volatile @Nullable QueuedWork<?> current;

  private volatile @Nullable Thread worker;

  /** Makes an empty queue; {@code communication} makes its calls of the communicator. */
  WorkQueue(String threadName, CommunicationThread communication) {
    this.threadName = threadName;
    this.communication = communication;
  }

  <R> QueuedWork<R> start(Supplier<R> work, List<Operand> uses) {
    if (isCurrentThread()) {
      throw new IllegalStateException(
          "work is started in work that was started, which it would wait for; start one after the other");
    }
    if (queue == null) {
      queue =
          Executors.newSingleThreadExecutor(
              Thread.ofPlatform().daemon().name(threadName).factory());
    }
    uses.forEach(Operand::checkOpen);
    QueuedWork<R> task =
        new QueuedWork<>(
            () -> {
              try {
                return work.get();
              } finally {
                current = null;
                uses.forEach(array -> array.claim(false));
              }
            },
            uses,
            communication);
    uses.forEach(array -> array.claim(true));
    last = task;
    queue.execute(
        () -> {
          current = task;
          worker = Thread.currentThread();
          task.run();
        });
    return task;
  }

  /** Returns whether the calling thread runs work that was started. */
  boolean isCurrentThread() {
    return Thread.currentThread().equals(worker);
  }

  /** Returns the work that the calling thread runs, or null. */
  @Nullable QueuedWork<?> current() {
    return isCurrentThread() ? current : null;
  }

  /** Waits until everything that was started has ended; what it threw is for its await. */
  void finish() {
    if (isCurrentThread()) {
      throw new IllegalStateException(
          "arrays are made and closed outside of work that was started; do it before or after");
    }
    QueuedWork<?> running = last;
    last = null;
    if (running == null) {
      return;
    }
    try {
      var _ = running.result();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while an operation is under way", e);
    } catch (ExecutionException | CancellationException e) {
      // Not lost: the task keeps it for the caller that awaits the work.
      return;
    }
  }

  @Override
  public void close() {
    if (queue != null) {
      queue.close();
    }
  }
}
