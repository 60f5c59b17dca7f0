package dev.rialto.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.rialto.spi.exec.Executor.Execution;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TaskTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void allTasksRunAtOnceWhileTheCallerGoesOn(int parallelism) throws InterruptedException {
    try (var executor = new WorkStealingExecutor(parallelism)) {
      CountDownLatch callerWentOn = new CountDownLatch(1);
      CyclicBarrier together = new CyclicBarrier(parallelism);
      List<Execution> tasks = new ArrayList<>();
      for (int i = 0; i < parallelism; i++) {
        tasks.add(
            executor.execute(
                () -> {
                  await(callerWentOn);
                  await(together);
                }));
      }
      assertThat(tasks).noneMatch(Execution::isDone);
      callerWentOn.countDown();
      tasks.forEach(Execution::await);
      assertThat(tasks).allMatch(Execution::isDone);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(60, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void awaitThrowsWhatTheTaskThrewEachTime() {
    try (var executor = new WorkStealingExecutor(2)) {
      AssertionError failure = new AssertionError("task");
      Execution task =
          executor.execute(
              () -> {
                throw failure;
              });
      assertThatThrownBy(task::await).isSameAs(failure);
      assertThatThrownBy(task::await).isSameAs(failure);
      assertThat(task.isDone()).isTrue();
      assertThat(task.cancel()).isFalse();
    }
  }

  @Test
  void aTaskThatHasNotBegunCanBeCancelled() {
    try (var executor = new WorkStealingExecutor(1)) {
      CountDownLatch began = new CountDownLatch(1);
      CountDownLatch release = new CountDownLatch(1);
      Execution first =
          executor.execute(
              () -> {
                began.countDown();
                await(release);
              });
      AtomicInteger ran = new AtomicInteger();
      Execution second = executor.execute(ran::incrementAndGet);
      await(began);
      assertThat(first.cancel()).isFalse();
      assertThat(second.cancel()).isTrue();
      assertThat(second.cancel()).isTrue();
      assertThat(second.isDone()).isTrue();
      assertThatThrownBy(second::await).isInstanceOf(CancellationException.class);
      release.countDown();
      first.await();
      assertThat(ran).hasValue(0);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void tasksMayAwaitTasksToAnyDepth(int parallelism) {
    try (var executor = new WorkStealingExecutor(parallelism)) {
      AtomicInteger result = new AtomicInteger();
      executor.execute(() -> result.set(fibonacci(executor, 15))).await();
      assertThat(result).hasValue(610);
    }
  }

  private static int fibonacci(WorkStealingExecutor executor, int n) {
    if (n < 2) {
      return n;
    }
    AtomicInteger left = new AtomicInteger();
    Execution task = executor.execute(() -> left.set(fibonacci(executor, n - 1)));
    int right = fibonacci(executor, n - 2);
    task.await();
    return left.get() + right;
  }

  @Test
  void aSleepingTaskLeavesItsThreadToOthersButNotItsStack() {
    try (var executor = new WorkStealingExecutor(2)) {
      for (int round = 0; round < 20; round++) {
        // Both threads sleep: one in 'inner', for 'last' to begin; one in 'outer', for 'inner'. So
        // a
        // third must run 'last', which awaits 'outer': on top of 'outer' it would wait forever.
        CountDownLatch innerBegan = new CountDownLatch(1);
        CountDownLatch outerBegan = new CountDownLatch(1);
        CountDownLatch lastBegan = new CountDownLatch(1);
        Execution inner =
            executor.execute(
                () -> {
                  innerBegan.countDown();
                  await(lastBegan);
                });
        await(innerBegan);
        Execution outer =
            executor.execute(
                () -> {
                  outerBegan.countDown();
                  inner.await();
                });
        await(outerBegan);
        Execution last =
            executor.execute(
                () -> {
                  lastBegan.countDown();
                  outer.await();
                });
        last.await();
        assertThat(outer.isDone()).isTrue();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void loopsAndTasksMayContainOneAnother(int parallelism) {
    long seed = 4711;
    Random random = new Random(seed);
    try (var executor = new WorkStealingExecutor(parallelism)) {
      AtomicLong sum = new AtomicLong();
      long expected = 0;
      List<Execution> tasks = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        int outer = random.nextInt(1, 20);
        int inner = random.nextInt(1, 20);
        expected += (long) outer * inner;
        tasks.add(
            executor.execute(
                () ->
                    executor.parallelFor(
                        0,
                        outer,
                        1,
                        (begin, end) ->
                            executor
                                .execute(
                                    () ->
                                        executor.parallelFor(
                                            0, inner, 1, (b, e) -> sum.incrementAndGet()))
                                .await())));
      }
      tasks.forEach(Execution::await);
      assertThat(sum).as("seed %d", seed).hasValue(expected);
    }
  }

  @Test
  void closeWaitsForTasksAndForThoseTheyStart() {
    AtomicInteger ran = new AtomicInteger();
    AtomicBoolean closing = new AtomicBoolean();
    var executor = new WorkStealingExecutor(2);
    executor.execute(
        () -> {
          while (!closing.get()) {
            Thread.onSpinWait();
          }
          executor.execute(
              () -> executor.parallelFor(0, 10, 1, (begin, end) -> ran.incrementAndGet()));
        });
    closing.set(true);
    executor.close();
    assertThat(ran).hasValue(10);
  }

  @Test
  void closeThrowsTheFailuresNobodyHasSeen() {
    var executor = new WorkStealingExecutor(2);
    Execution seen = failing(executor, "seen");
    assertThatThrownBy(seen::await).hasMessage("seen");
    failing(executor, "first");
    while (executor.execute(() -> {}).isDone()) {
      Thread.onSpinWait();
    }
    failing(executor, "second");
    Throwable thrown = catchThrowable(executor::close);
    List<String> messages = new ArrayList<>(List.of(thrown.getMessage()));
    for (Throwable other : thrown.getSuppressed()) {
      messages.add(other.getMessage());
    }
    assertThat(messages).containsExactlyInAnyOrder("first", "second");
    executor.close();
  }

  private static Execution failing(WorkStealingExecutor executor, String message) {
    return executor.execute(
        () -> {
          throw new IllegalStateException(message);
        });
  }

  @Test
  void closingFromInsideIsRefused() {
    try (var executor = new WorkStealingExecutor(2)) {
      assertThatThrownBy(executor.execute(executor::close)::await)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("inside");
      Runnable close = executor::close;
      assertThatThrownBy(() -> executor.parallelFor(0, 2, 1, (begin, end) -> close.run()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("inside");
    }
  }

  @Test
  void aClosedExecutorRefusesTasks() {
    var executor = new WorkStealingExecutor(1);
    executor.close();
    assertThatThrownBy(() -> executor.execute(() -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void threadsEndWithTheExecutor() throws InterruptedException {
    AtomicReference<Thread> worker = new AtomicReference<>();
    try (var executor = new WorkStealingExecutor(2)) {
      executor.execute(() -> worker.set(Thread.currentThread())).await();
      assertThat(worker.get().isDaemon()).isTrue();
    }
    assertThat(worker.get().isAlive()).isFalse();
  }

  @Test
  void anInterruptedAwaitWaitsOnAndKeepsTheInterrupt() {
    Thread caller = Thread.currentThread();
    try (var executor = new WorkStealingExecutor(2)) {
      Execution task =
          executor.execute(
              () -> {
                while (caller.getState() == Thread.State.RUNNABLE) {
                  Thread.onSpinWait();
                }
              });
      Thread.currentThread().interrupt();
      task.await();
      assertThat(Thread.interrupted()).isTrue();
      assertThat(task.isDone()).isTrue();
    }
  }
}
