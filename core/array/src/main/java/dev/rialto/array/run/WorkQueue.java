package dev.rialto.array.run;

import dev.rialto.array.part.Operand;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Work that was started on a team: it runs on a thread of its own, one after another. What fails
 * and is not awaited is told to who uses its arrays next, or closes them or the team.
 */
final class WorkQueue implements AutoCloseable {
  private final String threadName;
  private final CommunicationThread communication;
  private @Nullable ExecutorService queue;
  private @Nullable QueuedWork<?> last;

  /** Work that was started and may still fail without a caller being told, in order of start. */
  private final Deque<QueuedWork<?>> unheard = new ConcurrentLinkedDeque<>();

  /** The work that is running. */
  private volatile @Nullable QueuedWork<?> current;

  /** The thread that runs it, once something was started. */
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
      queue = Executors.newSingleThreadExecutor(this::thread);
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
            () -> worker,
            uses,
            communication,
            unheard::remove);
    uses.forEach(array -> array.claim(true));
    last = task;
    unheard.removeIf(done -> done.isDone() && done.failure() == null);
    unheard.add(task);
    queue.execute(
        () -> {
          current = task;
          task.run();
        });
    return task;
  }

  private Thread thread(Runnable works) {
    Thread made = Thread.ofPlatform().daemon().name(threadName).unstarted(works);
    worker = made;
    return made;
  }

  /** Returns whether the calling thread runs work that was started. */
  boolean isCurrentThread() {
    return Thread.currentThread().equals(worker);
  }

  /** Returns the work that the calling thread runs, or null. */
  @Nullable QueuedWork<?> current() {
    return isCurrentThread() ? current : null;
  }

  /**
   * Returns the failure of work that used some of these arrays and was not awaited, once; null if
   * there is none. What the calling thread runs, and work after it, is left out.
   */
  @Nullable RuntimeException failureOf(Object... arrays) {
    if (unheard.isEmpty()) {
      return null;
    }
    QueuedWork<?> end = current();
    for (QueuedWork<?> task : unheard) {
      if (task.equals(end)) {
        return null;
      }
      Throwable failure = task.uses(arrays) ? task.failure() : null;
      if (failure != null) {
        unheard.remove(task);
        return task.unheard(failure);
      }
    }
    return null;
  }

  /** Returns the first failure that no call has thrown, with the others; null if there is none. */
  @Nullable RuntimeException failure() {
    RuntimeException first = null;
    for (QueuedWork<?> task : unheard) {
      Throwable failure = task.failure();
      if (failure == null) {
        continue;
      }
      if (first == null) {
        first = task.unheard(failure);
      } else {
        first.addSuppressed(failure);
      }
    }
    unheard.clear();
    return first;
  }

  /** Waits until everything that was started has ended; what it threw is remembered. */
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
      // Not lost: the task keeps it, for its await or who uses its arrays next.
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
