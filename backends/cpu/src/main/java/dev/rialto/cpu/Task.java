package dev.rialto.cpu;

import dev.rialto.spi.exec.Executor.Execution;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A task of a {@link WorkStealingExecutor}, from its place in the queue to its end. */
final class Task implements Execution {
  private enum State {
    QUEUED,
    BEGUN,
    CANCELLED
  }

  private final WorkStealingExecutor executor;
  private final TaskQueue queue;
  private final Runnable work;
  private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable Throwable failure;

  Task(WorkStealingExecutor executor, TaskQueue queue, Runnable work) {
    this.executor = executor;
    this.queue = queue;
    this.work = work;
  }

  /** Runs the task unless it has begun elsewhere or was cancelled. */
  void runIfQueued() {
    if (!state.compareAndSet(State.QUEUED, State.BEGUN)) {
      return;
    }
    try {
      work.run();
    } catch (Throwable e) {
      failure = e;
      queue.failed(this);
    } finally {
      end();
    }
  }

  private void end() {
    ended.countDown();
    queue.ended();
  }

  @Nullable Throwable failure() {
    return failure;
  }

  @Override
  public boolean isDone() {
    return ended.getCount() == 0;
  }

  @Override
  public void await() {
    if (executor.isInside()) {
      runIfQueued();
    }
    if (!isDone()) {
      executor.sleepUntil(ended);
    }
    if (state.get() == State.CANCELLED) {
      throw new CancellationException("the task was cancelled before it began");
    }
    Throwable thrown = failure;
    if (thrown != null) {
      queue.seen(this);
      throw WorkStealingExecutor.unchecked(thrown);
    }
  }

  @Override
  public boolean cancel() {
    if (state.compareAndSet(State.QUEUED, State.CANCELLED)) {
      end();
    }
    return state.get() == State.CANCELLED;
  }
}
