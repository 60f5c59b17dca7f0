package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.Tck;
import dev.rialto.tck.reference.Together;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requirements on the loops of an {@link Executor} when a chunk throws or the loop is cancelled:
 * pass the failure on as it is, skip what has not begun, and return when nothing runs.
 */
@Requires(Capability.EXECUTOR)
public final class LoopFailuresTck extends Tck {
  @Requirement(
      id = "EXEC-011",
      text = "If a chunk throws, its exception is thrown to the caller as it is.")
  void failuresArePassedOnAsTheyAre(Executor executor) throws Exception {
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
  }

  @Requirement(
      id = "EXEC-012",
      text = "The exceptions of other chunks are suppressed in the one that is thrown.")
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

  @Requirement(id = "EXEC-013", text = "If a chunk throws, chunks not yet begun are skipped.")
  void chunksAfterAFailureAreSkipped(Executor executor) throws Exception {
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
        begun.get() <= executor.parallelism(), () -> begun + " chunks began although each threw");
  }

  @Requirement(
      id = "EXEC-014",
      text = "A failure is thrown once the chunks that were running have ended.")
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
      id = "EXEC-017",
      text = "A failure in a nested loop comes out of the outermost one as it is.")
  void nestedFailuresComeOut(Executor executor) throws Exception {
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
  }

  @Requirement(
      id = "EXEC-019",
      text = "A failure in the loop of one thread does not touch that of another.")
  void failuresStayInTheirLoop(Executor executor) throws Exception {
    Together.run(
        4,
        thread -> {
          for (int i = 0; i < 20; i++) {
            if (thread % 2 == 0) {
              ExecutorTck.everyIndexOnce(executor, 0, 300, 3);
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
        });
  }

  @Requirement(
      id = "EXEC-020",
      text =
          "A loop that is cancelled before it begins runs nothing and throws"
              + " CancellationException.")
  void cancelledLoopRunsNothing(Executor executor) throws Exception {
    Cancellation cancellation = new Cancellation();
    cancellation.cancel();
    AtomicInteger calls = new AtomicInteger();
    assertThrows(
        CancellationException.class,
        () -> executor.parallelFor(0, 10, 1, cancellation, (_, _) -> calls.incrementAndGet()));
    assertEquals(0, calls.get());
  }

  @Requirement(
      id = "EXEC-021",
      text =
          "Chunks not begun when a loop is cancelled are skipped, and CancellationException is"
              + " thrown when none is running.")
  void cancellingSkipsTheRest(Executor executor) throws Exception {
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
  }
}
