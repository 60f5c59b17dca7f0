package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.Execution;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.generated.Draw;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A random program of tasks that ends with closing its executor; the model knows which ran, and
 * which failures are unseen by then.
 */
final class TaskScript {
  private record Task(
      Execution execution, AtomicBoolean ran, List<RuntimeException> failure, boolean fails) {}

  private final Executor executor;
  private final Draw draw;
  private final Coverage coverage;
  private final List<Task> tasks = new ArrayList<>();
  private final Set<Task> cancelled = new HashSet<>();
  private final Set<Task> seen = new HashSet<>();

  TaskScript(Executor executor, long seed, Coverage coverage) {
    this.executor = executor;
    this.draw = new Draw(seed);
    this.coverage = coverage;
  }

  void run(int steps) {
    for (int step = 0; step < steps; step++) {
      switch (draw.below(tasks.isEmpty() ? 1 : 5)) {
        case 0, 1, 2 -> add(draw.once(3));
        case 3 -> await(draw.of(tasks));
        default -> cancel(draw.of(tasks));
      }
    }
    close();
  }

  private void add(boolean fails) {
    AtomicBoolean ran = new AtomicBoolean();
    List<RuntimeException> failure = new ArrayList<>();
    if (fails) {
      failure.add(new IllegalStateException("task " + tasks.size()));
    }
    boolean nested = draw.once(4);
    Execution execution =
        executor.execute(
            () -> {
              if (nested) {
                executor.parallelFor(0, 5, 1, (_, _) -> Thread.onSpinWait());
              }
              assertTrue(ran.compareAndSet(false, true), "a task ran twice");
              if (fails) {
                throw failure.getFirst();
              }
            });
    tasks.add(new Task(execution, ran, failure, fails));
    coverage.add("task", Coverage.Dimension.FORM, fails ? "failing" : nested ? "nested" : "plain");
  }

  private void await(Task task) {
    coverage.add("task", Coverage.Dimension.FORM, "awaited");
    if (cancelled.contains(task)) {
      assertThrows(CancellationException.class, task.execution::await, "awaiting a cancelled task");
    } else if (task.fails) {
      RuntimeException thrown =
          assertThrows(RuntimeException.class, task.execution::await, "awaiting a failed task");
      assertSame(task.failure.getFirst(), thrown, "what a task threw");
      seen.add(task);
    } else {
      task.execution.await();
      assertTrue(task.ran.get(), "a task that was awaited did not run");
    }
    assertTrue(task.execution.isDone(), "awaited, but not done");
  }

  private void cancel(Task task) {
    coverage.add("task", Coverage.Dimension.FORM, "cancelled");
    if (task.execution.cancel()) {
      cancelled.add(task);
    }
  }

  private void close() {
    Set<Throwable> wanted = new HashSet<>();
    for (Task task : tasks) {
      if (task.fails && !cancelled.contains(task) && !seen.contains(task)) {
        wanted.add(task.failure.getFirst());
      }
    }
    Set<Throwable> told = new HashSet<>();
    try {
      executor.close();
    } catch (IllegalStateException e) {
      told.add(e);
      told.addAll(Arrays.asList(e.getSuppressed()));
    }
    assertEquals(wanted, told, "failures that closing told");
    for (Task task : tasks) {
      assertEquals(!cancelled.contains(task), task.ran.get(), "whether a task ran");
    }
    executor.close();
  }
}
