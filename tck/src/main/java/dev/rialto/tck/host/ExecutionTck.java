package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.Execution;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.Tck;
import dev.rialto.tck.reference.Together;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requirements on the tasks of an {@link Executor}, and the {@link Execution}s that stand for them:
 * run once, keep their failures until one is seen, be cancellable until they begin, and be waited
 * for when the executor closes.
 */
@Requires(Capability.EXECUTOR)
public final class ExecutionTck extends Tck {
  @Requirement(
      id = "TASK-001",
      text = "Each task runs once, and what it wrote is visible to who awaits it.")
  void tasksRunOnce(Executor executor) throws Exception {
    int[] values = new int[500];
    List<Execution> executions = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      int index = i;
      executions.add(executor.execute(() -> values[index]++));
    }
    for (int i = 0; i < values.length; i++) {
      executions.get(i).await();
      assertTrue(executions.get(i).isDone());
      assertEquals(1, values[i], "runs of task " + i);
    }
  }

  @Requirement(
      id = "TASK-002",
      text = "Starting a task returns at once, and the task is done only when it has ended.")
  void startingReturnsAtOnce(Executor executor) throws Exception {
    try (Gate gate = new Gate()) {
      Execution execution = executor.execute(gate::await);
      assertFalse(execution.isDone(), "done while it waits");
      gate.open();
      execution.await();
      assertTrue(execution.isDone());
    }
  }

  @Requirement(
      id = "TASK-003",
      text = "What a task threw is thrown to each who awaits it, the same object each time.")
  void failuresAreThrownToWaiters(Executor executor) throws Exception {
    RuntimeException exception = new IllegalStateException("task");
    Error error = new AssertionError("task");
    Execution throwing =
        executor.execute(
            () -> {
              throw exception;
            });
    Execution erring =
        executor.execute(
            () -> {
              throw error;
            });
    for (int i = 0; i < 3; i++) {
      assertSame(exception, assertThrows(RuntimeException.class, throwing::await));
      assertSame(error, assertThrows(Error.class, erring::await));
    }
    assertTrue(throwing.isDone() && erring.isDone());
  }

  @Requirement(
      id = "TASK-004",
      text = "A task may start tasks and loops and await them, to any depth.")
  void tasksNest(Executor executor) throws Exception {
    AtomicInteger leaves = new AtomicInteger();
    executor.execute(() -> tree(executor, 7, leaves)).await();
    assertEquals(128, leaves.get());
    AtomicInteger indices = new AtomicInteger();
    executor
        .execute(
            () ->
                executor.parallelFor(
                    0, 10, 1, (_, _) -> executor.execute(indices::incrementAndGet).await()))
        .await();
    assertEquals(10, indices.get());
  }

  private static void tree(Executor executor, int depth, AtomicInteger leaves) {
    if (depth == 0) {
      leaves.incrementAndGet();
      return;
    }
    Execution left = executor.execute(() -> tree(executor, depth - 1, leaves));
    Execution right = executor.execute(() -> tree(executor, depth - 1, leaves));
    left.await();
    right.await();
  }

  @Requirement(
      id = "TASK-005",
      text =
          "A task that has not begun can be cancelled: it never runs, and awaiting it throws"
              + " CancellationException.")
  void waitingTasksCanBeCancelled(Executor executor) throws Exception {
    try (Gate gate = new Gate()) {
      List<Execution> blockers = new ArrayList<>();
      for (int i = 0; i < executor.parallelism(); i++) {
        blockers.add(executor.execute(gate::await));
      }
      AtomicBoolean ran = new AtomicBoolean();
      Execution victim = executor.execute(() -> ran.set(true));
      assertTrue(victim.cancel(), "cancelling a task that waits behind others");
      assertTrue(victim.cancel(), "cancelling it again");
      assertTrue(victim.isDone());
      assertThrows(CancellationException.class, victim::await);
      gate.open();
      blockers.forEach(Execution::await);
      executor.execute(() -> {}).await();
      assertFalse(ran.get(), "a cancelled task ran");
    }
  }

  @Requirement(id = "TASK-006", text = "A task that has begun or ended cannot be cancelled.")
  void begunTasksCannotBeCancelled(Executor executor) throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    try (Gate gate = new Gate()) {
      Execution execution =
          executor.execute(
              () -> {
                begun.countDown();
                gate.await();
              });
      Waiting.await(begun);
      assertFalse(execution.cancel(), "cancelling a task that runs");
      gate.open();
      execution.await();
      assertFalse(execution.cancel(), "cancelling a task that has ended");
    }
  }

  @Requirement(id = "TASK-007", text = "Closing waits for all tasks.")
  void closingWaitsForTasks(Executor executor) {
    AtomicInteger ended = new AtomicInteger();
    for (int i = 0; i < 10; i++) {
      executor.execute(
          () -> {
            Waiting.moment();
            ended.incrementAndGet();
          });
    }
    executor.close();
    assertEquals(10, ended.get(), "tasks that had ended when closing returned");
  }

  @Requirement(
      id = "TASK-008",
      text =
          "Closing throws the first failure not thrown before, with the others suppressed in"
              + " it.")
  void unseenFailuresAreThrownByClose(Executor executor) {
    for (int i = 0; i < 3; i++) {
      String name = "task " + i;
      executor.execute(
          () -> {
            throw new IllegalStateException(name);
          });
    }
    Throwable thrown = assertThrows(IllegalStateException.class, executor::close);
    List<String> all = new ArrayList<>(List.of(String.valueOf(thrown.getMessage())));
    for (Throwable suppressed : thrown.getSuppressed()) {
      all.add(String.valueOf(suppressed.getMessage()));
    }
    assertEquals(3, all.size(), () -> "failures told by close: " + all);
    assertEquals(Set.of("task 0", "task 1", "task 2"), Set.copyOf(all));
    executor.close();
  }

  @Requirement(
      id = "TASK-009",
      text = "Closing does not throw a failure that was thrown before, nor a cancellation.")
  void seenFailuresAreNotThrownAgain(Executor executor, Gate gate) {
    Execution failing =
        executor.execute(
            () -> {
              throw new IllegalStateException("seen");
            });
    assertThrows(IllegalStateException.class, failing::await);
    for (int i = 0; i < executor.parallelism(); i++) {
      executor.execute(gate::await);
    }
    assertTrue(executor.execute(() -> {}).cancel());
    gate.open();
    executor.close();
  }

  @Requirement(
      id = "TASK-010",
      text = "Closing from one of the executor's own threads throws IllegalStateException.")
  void closingFromWithinIsRefused(Executor executor) throws Exception {
    CountDownLatch tried = new CountDownLatch(1);
    Execution execution =
        executor.execute(
            () -> {
              try {
                assertThrows(IllegalStateException.class, executor::close);
              } finally {
                tried.countDown();
              }
            });
    // Not awaited before it began, or the caller might run it on a thread of its own.
    Waiting.await(tried);
    execution.await();
    executor.parallelFor(0, 10, 1, (_, _) -> {});
  }

  @Requirement(
      id = "TASK-011",
      text = "Several threads may start and await tasks at the same time.")
  void severalThreadsStartTasks(Executor executor) throws Exception {
    AtomicInteger runs = new AtomicInteger();
    Together.run(
        4,
        _ -> {
          for (int i = 0; i < 100; i++) {
            Execution execution = executor.execute(runs::incrementAndGet);
            if (i % 3 == 0) {
              execution.await();
            }
          }
        });
    executor.execute(() -> {}).await();
    Waiting.until(() -> runs.get() == 400, "not all tasks ran");
  }
}
