package dev.rialto.tck.host;

import static dev.rialto.spi.Capability.EXECUTOR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Tck;
import dev.rialto.tck.reference.Together;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the loops of an {@link Executor} must do: give each index to the body once, pass on what the
 * body throws, nest to any depth, run side by side, and stop when asked. {@link ExecutionTck} is
 * about its tasks.
 */
public abstract class ExecutorTck extends Tck {
  /** Makes an instance; the test engine does so for each requirement. */
  protected ExecutorTck() {}

  @Requirement(
      id = "EXEC-001",
      text = "An executor has a name and the parallelism it was opened with.",
      capability = EXECUTOR)
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
      text = "An executor of less than one thread is refused with IllegalArgumentException.",
      capability = EXECUTOR)
  void parallelismMustBePositive() {
    for (int parallelism : new int[] {0, -1}) {
      assertThrows(
          IllegalArgumentException.class, () -> backend().openExecutor(parallelism).close());
    }
  }

  @Requirement(
      id = "EXEC-003",
      text = "Each index is given to the body exactly once.",
      capability = EXECUTOR)
  void everyIndexOnce() throws Exception {
    Executors.each(
        backend(),
        executor -> {
          for (int count : new int[] {1, 2, 7, 64, 1000, 100_003}) {
            for (long grain : new long[] {1, 3, 64, count, count + 1L, Long.MAX_VALUE}) {
              // A chunk for each of many indices takes long and shows nothing new.
              if (count / grain <= 2000) {
                everyIndexOnce(executor, -count / 3, count, grain);
              }
            }
          }
        });
  }

  private static void everyIndexOnce(Executor executor, long begin, int count, long grain) {
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

  @Requirement(
      id = "EXEC-004",
      text = "The range is cut into chunks of at least one and at most grain indices.",
      capability = EXECUTOR)
  void chunksAreAtMostAGrain() throws Exception {
    Executors.each(
        backend(),
        executor -> {
          for (long grain : new long[] {1, 10, 333}) {
            AtomicLong smallest = new AtomicLong(Long.MAX_VALUE);
            AtomicLong largest = new AtomicLong();
            executor.parallelFor(
                0,
                1000,
                grain,
                (from, to) -> {
                  smallest.accumulateAndGet(to - from, Math::min);
                  largest.accumulateAndGet(to - from, Math::max);
                });
            assertTrue(smallest.get() >= 1, () -> "a chunk of " + smallest + " indices");
            assertTrue(largest.get() <= grain, () -> largest + " indices with grain " + grain);
          }
        });
  }

  @Requirement(id = "EXEC-005", text = "An empty range calls nothing.", capability = EXECUTOR)
  void emptyRangeCallsNothing() throws Exception {
    Executors.each(
        backend(),
        executor -> {
          AtomicInteger calls = new AtomicInteger();
          for (long at : new long[] {0, 5, -5, Long.MAX_VALUE, Long.MIN_VALUE}) {
            executor.parallelFor(at, at, 1, (_, _) -> calls.incrementAndGet());
            executor.parallelFor(at, at, (_, _) -> calls.incrementAndGet());
          }
          assertEquals(0, calls.get());
        });
  }

  @Requirement(
      id = "EXEC-006",
      text =
          "A loop whose end lies before its begin, with a grain below 1 or of more than 2^63-1"
              + " indices is refused with IllegalArgumentException.",
      capability = EXECUTOR)
  void wrongRangesAreRefused() throws Exception {
    Executors.each(
        backend(),
        executor -> {
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
                () ->
                    executor.parallelFor(
                        loop[0], loop[1], loop[2], new Cancellation(), (_, _) -> {}));
          }
        });
  }

  @Requirement(
      id = "EXEC-007",
      text = "Ranges may lie anywhere and have up to 2^63-1 indices.",
      capability = EXECUTOR)
  void hugeRanges() throws Exception {
    Executors.each(
        backend(),
        executor -> {
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
        });
  }

  @Requirement(
      id = "EXEC-008",
      text = "A loop without a grain gives each index to the body exactly once.",
      capability = EXECUTOR)
  void everyIndexOnceWithoutGrain() throws Exception {
    Executors.each(
        backend(),
        executor -> {
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
        });
  }

  @Requirement(
      id = "EXEC-009",
      text = "What chunks wrote is visible to the caller afterwards, and to the next loop.",
      capability = EXECUTOR)
  void writesAreVisible() throws Exception {
    Executors.each(
        backend(),
        executor -> {
          int[] values = new int[512];
          for (int round = 1; round <= 200; round++) {
            executor.parallelFor(
                0,
                values.length,
                32,
                (from, to) -> {
                  for (int i = (int) from; i < to; i++) {
                    values[i] += values[(i + 256) % 512] < 0 ? 2 : 1;
                  }
                });
            for (int value : values) {
              assertEquals(round, value, "a value after as many loops");
            }
          }
        });
  }

  @Requirement(
      id = "EXEC-010",
      text = "As many chunks run at the same time as the parallelism says, and not more.",
      capability = EXECUTOR)
  void chunksRunAtTheSameTime() throws Exception {
    Executors.each(
        backend(),
        executor -> {
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
        });
  }

  @Requirement(
      id = "EXEC-011",
      text = "If a chunk throws, its exception is thrown to the caller as it is.",
      capability = EXECUTOR)
  void failuresArePassedOnAsTheyAre() throws Exception {
    Executors.each(
        backend(),
        executor -> {
          List<Throwable> failures =
              List.of(new IllegalStateException("wrong"), new AssertionError("an error"));
          for (Throwable failure : failures) {
            for (int bad : new int[] {0, 57, 99}) {
              Throwable thrown =
                  assertThrows(
                      Throwable.class,
                      () ->
                          executor.parallelFor(
                              0,
                              100,
                              1,
                              (from, _) -> {
                                if (from == bad && failure instanceof RuntimeException e) {
                                  throw e;
                                } else if (from == bad) {
                                  throw (Error) failure;
                                }
                              }));
              assertSame(failure, thrown);
            }
          }
        });
  }

  @Requirement(
      id = "EXEC-012",
      text = "The exceptions of other chunks are suppressed in the one that is thrown.",
      capability = EXECUTOR)
  void otherFailuresAreSuppressed() throws Exception {
    try (Executor executor = backend().openExecutor(2)) {
      CyclicBarrier both = new CyclicBarrier(2);
      RuntimeException thrown =
          assertThrows(
              RuntimeException.class,
              () ->
                  executor.parallelFor(
                      0,
                      2,
                      1,
                      (from, _) -> {
                        Waiting.meet(both);
                        throw new IllegalStateException("chunk " + from);
                      }));
      assertEquals(1, thrown.getSuppressed().length, "suppressed exceptions");
      assertEquals(
          Set.of("chunk 0", "chunk 1"),
          Set.of(
              String.valueOf(thrown.getMessage()),
              String.valueOf(thrown.getSuppressed()[0].getMessage())));
    }
  }

  @Requirement(
      id = "EXEC-013",
      text = "If a chunk throws, chunks not yet begun are skipped.",
      capability = EXECUTOR)
  void chunksAfterAFailureAreSkipped() throws Exception {
    Executors.each(
        backend(),
        executor -> {
          AtomicInteger begun = new AtomicInteger();
          assertThrows(
              IllegalStateException.class,
              () ->
                  executor.parallelFor(
                      0,
                      1_000_000,
                      1,
                      (_, _) -> {
                        begun.incrementAndGet();
                        throw new IllegalStateException("at once");
                      }));
          assertTrue(
              begun.get() <= executor.parallelism(),
              () -> begun + " chunks began although each threw");
        });
  }

  @Requirement(
      id = "EXEC-014",
      text = "A failure is thrown once the chunks that were running have ended.",
      capability = EXECUTOR)
  void failuresWaitForRunningChunks() throws Exception {
    try (Executor executor = backend().openExecutor(4)) {
      for (int round = 0; round < 20; round++) {
        CyclicBarrier all = new CyclicBarrier(4);
        AtomicInteger running = new AtomicInteger(4);
        assertThrows(
            IllegalStateException.class,
            () ->
                executor.parallelFor(
                    0,
                    4,
                    1,
                    (from, _) -> {
                      Waiting.meet(all);
                      if (from == 2) {
                        running.decrementAndGet();
                        throw new IllegalStateException("early");
                      }
                      Thread.yield();
                      Waiting.moment();
                      running.decrementAndGet();
                    }));
        assertEquals(0, running.get(), "chunks that still ran when the failure was thrown");
      }
    }
  }

  @Requirement(
      id = "EXEC-015",
      text = "After a failed loop the executor works as before.",
      capability = EXECUTOR)
  void worksAfterAFailure() throws Exception {
    Executors.each(
        backend(),
        executor -> {
          for (int i = 0; i < 50; i++) {
            assertThrows(
                ArithmeticException.class,
                () ->
                    executor.parallelFor(
                        0,
                        10,
                        1,
                        (_, _) -> {
                          throw new ArithmeticException();
                        }));
            everyIndexOnce(executor, 0, 100, 7);
          }
        });
  }

  @Requirement(
      id = "EXEC-016",
      text = "Loops may start loops on the same executor to any depth.",
      capability = EXECUTOR)
  void loopsNest() throws Exception {
    Executors.each(
        backend(),
        executor -> {
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
        });
  }

  private static void nest(Executor executor, int depth, AtomicLong leaves) {
    if (depth == 0) {
      leaves.incrementAndGet();
    } else {
      executor.parallelFor(0, 4, 1, (_, _) -> nest(executor, depth - 1, leaves));
    }
  }

  @Requirement(
      id = "EXEC-017",
      text = "A failure in a nested loop comes out of the outermost one as it is.",
      capability = EXECUTOR)
  void nestedFailuresComeOut() throws Exception {
    Executors.each(
        backend(),
        executor -> {
          RuntimeException failure = new RuntimeException("innermost");
          RuntimeException thrown =
              assertThrows(
                  RuntimeException.class,
                  () ->
                      executor.parallelFor(
                          0,
                          4,
                          1,
                          (outer, _) ->
                              executor.parallelFor(
                                  0,
                                  4,
                                  1,
                                  (inner, _) -> {
                                    if (outer == 1 && inner == 3) {
                                      throw failure;
                                    }
                                  })));
          assertSame(failure, thrown);
        });
  }

  @Requirement(
      id = "EXEC-018",
      text = "Loops of several threads run side by side.",
      capability = EXECUTOR)
  void loopsRunSideBySide() throws Exception {
    Executors.each(
        backend(),
        executor -> {
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
        });
  }

  @Requirement(
      id = "EXEC-019",
      text = "A failure in the loop of one thread does not touch that of another.",
      capability = EXECUTOR)
  void failuresStayInTheirLoop() throws Exception {
    Executors.each(
        backend(),
        executor ->
            Together.run(
                4,
                thread -> {
                  for (int i = 0; i < 20; i++) {
                    if (thread % 2 == 0) {
                      everyIndexOnce(executor, 0, 300, 3);
                    } else {
                      RuntimeException mine = new RuntimeException("of thread " + thread);
                      assertSame(
                          mine,
                          assertThrows(
                              RuntimeException.class,
                              () ->
                                  executor.parallelFor(
                                      0,
                                      30,
                                      1,
                                      (_, _) -> {
                                        throw mine;
                                      })));
                    }
                  }
                }));
  }

  @Requirement(
      id = "EXEC-020",
      text =
          "A loop that is cancelled before it begins runs nothing and throws"
              + " CancellationException.",
      capability = EXECUTOR)
  void cancelledLoopRunsNothing() throws Exception {
    Executors.each(
        backend(),
        executor -> {
          Cancellation cancellation = new Cancellation();
          cancellation.cancel();
          AtomicInteger calls = new AtomicInteger();
          assertThrows(
              CancellationException.class,
              () ->
                  executor.parallelFor(0, 10, 1, cancellation, (_, _) -> calls.incrementAndGet()));
          assertEquals(0, calls.get());
        });
  }

  @Requirement(
      id = "EXEC-021",
      text =
          "Chunks not begun when a loop is cancelled are skipped, and CancellationException is"
              + " thrown when none is running.",
      capability = EXECUTOR)
  void cancellingSkipsTheRest() throws Exception {
    Executors.each(
        backend(),
        executor -> {
          Cancellation cancellation = new Cancellation();
          AtomicInteger begun = new AtomicInteger();
          AtomicInteger running = new AtomicInteger();
          assertThrows(
              CancellationException.class,
              () ->
                  executor.parallelFor(
                      0,
                      10_000,
                      1,
                      cancellation,
                      (_, _) -> {
                        running.incrementAndGet();
                        cancellation.cancel();
                        if (begun.incrementAndGet() <= executor.parallelism()) {
                          Waiting.moment();
                        }
                        running.decrementAndGet();
                      }));
          assertEquals(0, running.get(), "chunks that ran when the cancellation was told");
          assertTrue(begun.get() <= executor.parallelism(), () -> begun + " chunks began");
        });
  }

  @Requirement(
      id = "EXEC-022",
      text = "A loop that could be cancelled but is not gives each index to the body once.",
      capability = EXECUTOR)
  void uncancelledLoopIsWhole() throws Exception {
    Executors.each(
        backend(),
        executor -> {
          AtomicLong sum = new AtomicLong();
          executor.parallelFor(
              0, 1000, 7, new Cancellation(), (from, to) -> sum.addAndGet(to - from));
          assertEquals(1000, sum.get());
        });
  }

  @Requirement(
      id = "EXEC-023",
      text =
          "A closed executor refuses loops and tasks with IllegalStateException, and closing it"
              + " again does nothing.",
      capability = EXECUTOR)
  void closedExecutorRefuses() throws Exception {
    Executors.each(
        backend(),
        executor -> {
          executor.close();
          assertThrows(
              IllegalStateException.class, () -> executor.parallelFor(0, 10, 1, (_, _) -> {}));
          assertThrows(
              IllegalStateException.class,
              () -> executor.parallelFor(0, 10, 1, new Cancellation(), (_, _) -> {}));
          assertThrows(IllegalStateException.class, () -> executor.execute(() -> {}));
          executor.close();
        });
  }

  @Requirement(
      id = "EXEC-024",
      text = "Closing ends the executor's threads.",
      capability = EXECUTOR)
  void closingEndsTheThreads() throws Exception {
    Set<Thread> workers = ConcurrentHashMap.newKeySet();
    Executors.each(
        backend(),
        executor -> {
          CyclicBarrier all = new CyclicBarrier(executor.parallelism());
          executor.parallelFor(
              0,
              executor.parallelism(),
              1,
              (_, _) -> {
                workers.add(Thread.currentThread());
                Waiting.meet(all);
              });
          executor.execute(() -> workers.add(Thread.currentThread())).await();
        });
    workers.remove(Thread.currentThread());
    assertFalse(workers.isEmpty(), "no thread but the caller's did anything");
    for (Thread worker : workers) {
      assertTrue(worker.join(Duration.ofSeconds(5)), () -> worker + " goes on");
    }
  }
}
