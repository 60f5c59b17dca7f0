package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.Tck;
import dev.rialto.tck.reference.Together;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Requirements on the loops of an {@link Executor} besides giving each index to the body once,
 * which {@code HGE-006} checks: refuse wrong ranges, nest to any depth, run side by side. It has
 * replaced the requirements whose numbers are left out here. {@link LoopFailuresTck} is about loops
 * that fail or are cancelled, {@link ExecutionTck} about tasks.
 */
@Requires(Capability.EXECUTOR)
public final class ExecutorTck extends Tck {
  @Requirement(
      id = "EXEC-001",
      text = "An executor has a name and the parallelism it was opened with.")
  void parallelismIsAsAskedFor() throws Exception {
    for (int parallelism : new int[] {1, 2, 3, 8}) {
      try (Executor executor = backend().openExecutor(parallelism)) {
        assertEquals(parallelism, executor.parallelism());
        assertFalse(executor.name().isBlank(), "the name is empty");
      }
    }
  }

  @Requirement(
      id = "EXEC-002",
      text = "An executor of less than one thread is refused with IllegalArgumentException.")
  void parallelismMustBePositive() {
    for (int parallelism : new int[] {0, -1}) {
      assertThrows(
          IllegalArgumentException.class, () -> backend().openExecutor(parallelism).close());
    }
  }

  @Requirement(id = "EXEC-005", text = "An empty range calls nothing.")
  void emptyRangeCallsNothing(Executor executor) throws Exception {
    AtomicInteger calls = new AtomicInteger();
    for (long at : new long[] {0, 5, -5, Long.MAX_VALUE, Long.MIN_VALUE}) {
      executor.parallelFor(at, at, 1, (_, _) -> calls.incrementAndGet());
      executor.parallelFor(at, at, (_, _) -> calls.incrementAndGet());
    }
    assertEquals(0, calls.get());
  }

  @Requirement(
      id = "EXEC-006",
      text =
          "A loop whose end lies before its begin, with a grain below 1 or of more than 2^63-1"
              + " indices is refused with IllegalArgumentException.")
  void wrongRangesAreRefused(Executor executor) throws Exception {
    long[][] wrong = {
      {1, 0, 1},
      {0, 10, 0},
      {0, 10, -1},
      {0, 0, 0},
      {-2, Long.MAX_VALUE, 1},
      {Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE}
    };
    for (long[] loop : wrong) {
      assertThrows(
          IllegalArgumentException.class,
          () -> executor.parallelFor(loop[0], loop[1], loop[2], (_, _) -> {}),
          () -> loop[0] + " to " + loop[1] + " with grain " + loop[2]);
      assertThrows(
          IllegalArgumentException.class,
          () -> executor.parallelFor(loop[0], loop[1], loop[2], new Cancellation(), (_, _) -> {}));
    }
  }

  @Requirement(id = "EXEC-007", text = "Ranges may lie anywhere and have up to 2^63-1 indices.")
  void hugeRanges(Executor executor) throws Exception {
    long[][] loops = {
      {0, Long.MAX_VALUE, Long.MAX_VALUE / 5},
      {Long.MIN_VALUE, -1, Long.MAX_VALUE / 3},
      {-5, Long.MAX_VALUE - 5, Long.MAX_VALUE},
      {Long.MAX_VALUE - 5, Long.MAX_VALUE, 2},
      {Long.MIN_VALUE, Long.MIN_VALUE + 5, 2}
    };
    for (long[] loop : loops) {
      AtomicLong indices = new AtomicLong();
      executor.parallelFor(
          loop[0],
          loop[1],
          loop[2],
          (from, to) -> {
            assertTrue(loop[0] <= from && from < to && to <= loop[1]);
            indices.addAndGet(to - from);
          });
      assertEquals(loop[1] - loop[0], indices.get());
    }
  }

  @Requirement(
      id = "EXEC-008",
      text = "A loop without a grain gives each index to the body exactly once.")
  void everyIndexOnceWithoutGrain(Executor executor) throws Exception {
    for (int count : new int[] {1, 10, 1001}) {
      AtomicIntegerArray visits = new AtomicIntegerArray(count);
      executor.parallelFor(
          0,
          count,
          (from, to) -> {
            for (long i = from; i < to; i++) {
              visits.incrementAndGet((int) i);
            }
          });
      for (int i = 0; i < count; i++) {
        assertEquals(1, visits.get(i), "visits of index " + i + " of " + count);
      }
    }
  }

  @Requirement(
      id = "EXEC-010",
      text = "As many chunks run at the same time as the parallelism says, and not more.")
  void chunksRunAtTheSameTime(Executor executor) throws Exception {
    int parallelism = executor.parallelism();
    CyclicBarrier all = new CyclicBarrier(parallelism);
    executor.parallelFor(0, parallelism, 1, (_, _) -> Waiting.meet(all));
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    executor.parallelFor(
        0,
        500,
        1,
        (_, _) -> {
          most.accumulateAndGet(running.incrementAndGet(), Math::max);
          Thread.yield();
          running.decrementAndGet();
        });
    assertTrue(most.get() <= parallelism, () -> most + " ran at once of " + parallelism);
  }

  @Requirement(id = "EXEC-016", text = "Loops may start loops on the same executor to any depth.")
  void loopsNest(Executor executor) throws Exception {
    int parallelism = executor.parallelism();
    AtomicLong leaves = new AtomicLong();
    // All threads are in the middle of a chunk when they start the next loops.
    CyclicBarrier all = new CyclicBarrier(parallelism);
    executor.parallelFor(
        0,
        parallelism,
        1,
        (_, _) -> {
          Waiting.meet(all);
          nest(executor, 4, leaves);
        });
    assertEquals(parallelism * 256L, leaves.get());
  }

  private static void nest(Executor executor, int depth, AtomicLong leaves) {
    if (depth == 0) {
      leaves.incrementAndGet();
    } else {
      executor.parallelFor(0, 4, 1, (_, _) -> nest(executor, depth - 1, leaves));
    }
  }

  @Requirement(id = "EXEC-018", text = "Loops of several threads run side by side.")
  void loopsRunSideBySide(Executor executor) throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    // Each loop waits for the other in its middle.
    Together.run(2, _ -> executor.parallelFor(0, 1, 1, (_, _) -> Waiting.meet(both)));
    Together.run(
        4,
        thread -> {
          for (int i = 0; i < 20; i++) {
            everyIndexOnce(executor, thread, 500, 10 + thread);
          }
        });
  }

  @Requirement(
      id = "EXEC-023",
      text =
          "A closed executor refuses loops and tasks with IllegalStateException, and closing it"
              + " again does nothing.")
  void closedExecutorRefuses(Executor executor) throws Exception {
    executor.close();
    assertThrows(IllegalStateException.class, () -> executor.parallelFor(0, 10, 1, (_, _) -> {}));
    assertThrows(
        IllegalStateException.class,
        () -> executor.parallelFor(0, 10, 1, new Cancellation(), (_, _) -> {}));
    assertThrows(IllegalStateException.class, () -> executor.execute(() -> {}));
    executor.close();
  }

  @Requirement(id = "EXEC-024", text = "Closing ends the executor's threads.")
  void closingEndsTheThreads() throws Exception {
    Set<Thread> workers = ConcurrentHashMap.newKeySet();
    for (int parallelism : Given.PARALLELISM) {
      try (Executor executor = backend().openExecutor(parallelism)) {
        CyclicBarrier all = new CyclicBarrier(parallelism);
        executor.parallelFor(
            0,
            parallelism,
            1,
            (_, _) -> {
              workers.add(Thread.currentThread());
              Waiting.meet(all);
            });
        executor.execute(() -> workers.add(Thread.currentThread())).await();
      }
    }
    workers.remove(Thread.currentThread());
    assertFalse(workers.isEmpty(), "no thread but the caller's did anything");
    for (Thread worker : workers) {
      assertTrue(worker.join(Duration.ofSeconds(5)), () -> worker + " goes on");
    }
  }

  static void everyIndexOnce(Executor executor, long begin, int count, long grain) {
    AtomicIntegerArray visits = new AtomicIntegerArray(count);
    executor.parallelFor(
        begin,
        begin + count,
        grain,
        (from, to) -> {
          for (long i = from; i < to; i++) {
            visits.incrementAndGet((int) (i - begin));
          }
        });
    for (int i = 0; i < count; i++) {
      assertEquals(
          1, visits.get(i), "visits of index " + i + " of " + count + " with grain " + grain);
    }
  }
}
