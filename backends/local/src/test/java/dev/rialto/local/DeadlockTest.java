package dev.rialto.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.DeadlockException;
import dev.rialto.spi.error.TimeoutException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When ranks are told that they wait for one another, and when not. */
class DeadlockTest {
  private static final String GRACE = "rialto.local.deadlock.millis";

  /** As often as a rank looks in twice the time after which it would see a deadlock. */
  private static final int LOOKS = 60;

  private static final MemorySegment NOTHING = MemorySegment.NULL;

  @BeforeAll
  static void loseNoTime() {
    System.setProperty(GRACE, "40");
  }

  @AfterAll
  static void restore() {
    System.clearProperty(GRACE);
  }

  @Test
  void twoReceivesThatWaitForEachOtherAreExplained() {
    try (World world = World.local(2)) {
      Throwable thrown =
          catchThrowable(
              () ->
                  world.run(
                      comm ->
                          assertThatThrownBy(
                                  () -> comm.receive(NOTHING, DType.I8, 0, 1 - comm.rank(), 7))
                              .isInstanceOf(DeadlockException.class)));
      assertThat(thrown)
          .hasCauseInstanceOf(DeadlockException.class)
          .hasMessageContaining("rank 0 waits for receive from rank 1, tag 7 on local/world")
          .hasMessageContaining("rank 1 waits for receive from rank 0, tag 7 on local/world")
          .hasMessageContaining("DeadlockTest.java")
          .hasNoSuppressedExceptions();
    }
  }

  @Test
  void ranksInDifferentOperationsAreExplainedAndFinishedOnesNamed() {
    try (World world = World.local(4)) {
      Throwable thrown =
          catchThrowable(
              () ->
                  world.run(
                      comm -> {
                        MemorySegment memory = MemorySegment.ofArray(new byte[1000]);
                        switch (comm.rank()) {
                          case 0 -> comm.send(memory, DType.I8, 1000, 1, 3);
                          case 1 -> comm.probe(0, 4);
                          case 2 -> comm.receive(memory, DType.I8, 1, PointToPoint.ANY_SOURCE, -1);
                          default -> {}
                        }
                      }));
      assertThat(thrown)
          .hasMessageContaining("rank 0 waits for send of 1000 bytes to rank 1, tag 3")
          .hasMessageContaining("rank 1 waits for probe for a message from rank 0, tag 4")
          .hasMessageContaining("rank 2 waits for receive from any rank, any tag")
          .hasMessageContaining("rank 3 has finished");
    }
  }

  @Test
  void aRankAloneCanDeadlockWithItself() {
    try (World world = World.local(1)) {
      assertThatThrownBy(() -> world.run(comm -> comm.receive(NOTHING, DType.I8, 0, 0, 0)))
          .hasCauseInstanceOf(DeadlockException.class);
    }
  }

  @Test
  void aRankThatComputesIsNoDeadlock() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            if (comm.rank() == 0) {
              Watched.untilPolled(comm, 1, LOOKS);
              comm.send(NOTHING, DType.I8, 0, 1, 0);
            } else {
              comm.receive(NOTHING, DType.I8, 0, 0, 0);
            }
          });
    }
  }

  @Test
  void aWaitWithALimitIsNoDeadlock() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            if (comm.rank() == 0) {
              try (Request request = comm.ireceive(NOTHING, DType.I8, 0, 1, 1)) {
                assertThatThrownBy(() -> request.await(Duration.ofMillis(200)))
                    .isInstanceOf(TimeoutException.class);
              }
              comm.send(NOTHING, DType.I8, 0, 1, 0);
            } else {
              comm.receive(NOTHING, DType.I8, 0, 0, 0);
            }
          });
    }
  }

  @Test
  void aTaskInTheCommonPoolMayComeToTheRescue() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            if (comm.rank() == 0) {
              var _ =
                  CompletableFuture.runAsync(
                      () -> {
                        Watched.untilPolled(comm, 1, LOOKS);
                        comm.send(NOTHING, DType.I8, 0, 1, 0);
                        comm.send(NOTHING, DType.I8, 0, 0, 0);
                      });
            }
            comm.receive(NOTHING, DType.I8, 0, 0, 0);
          });
    }
  }

  static List<ThreadFactory> kindsOfThreads() {
    return List.of(Thread.ofPlatform().factory(), Thread.ofVirtual().factory());
  }

  @ParameterizedTest
  @MethodSource("kindsOfThreads")
  void aThreadThatHasEndedHidesNoDeadlock(ThreadFactory threads) {
    try (World world = World.local(3)) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        Thread thread = threads.newThread(() -> {});
                        thread.start();
                        thread.join();
                        comm.receive(NOTHING, DType.I8, 0, (comm.rank() + 1) % 3, 0);
                      }))
          .hasCauseInstanceOf(DeadlockException.class)
          .hasMessageContaining("rank 2 waits for receive from rank 0");
    }
  }

  @Test
  void idleWorkersOfAPoolHideNoDeadlock() {
    try (World world = World.local(2)) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        try (ExecutorService fixed = Executors.newFixedThreadPool(2);
                            ExecutorService cached = Executors.newCachedThreadPool();
                            ExecutorService stealing = Executors.newWorkStealingPool(2)) {
                          for (ExecutorService each : List.of(fixed, cached, stealing)) {
                            each.submit(() -> {}).get();
                          }
                          comm.receive(NOTHING, DType.I8, 0, 1 - comm.rank(), 0);
                        }
                      }))
          .hasCauseInstanceOf(DeadlockException.class);
    }
  }

  @Test
  void aCleanerHidesNoDeadlock() {
    try (World world = World.local(2)) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        Cleaner cleaner = Cleaner.create();
                        try {
                          comm.receive(NOTHING, DType.I8, 0, 1 - comm.rank(), 0);
                        } finally {
                          Reference.reachabilityFence(cleaner);
                        }
                      }))
          .hasCauseInstanceOf(DeadlockException.class);
    }
  }

  @ParameterizedTest
  @MethodSource("kindsOfThreads")
  void aThreadThatWaitsTooIsPartOfTheDeadlock(ThreadFactory threads) {
    try (World world = World.local(2)) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        Thread thread =
                            threads.newThread(
                                () ->
                                    assertThatThrownBy(
                                            () ->
                                                comm.receive(
                                                    NOTHING, DType.I8, 0, 1 - comm.rank(), 1))
                                        .isInstanceOf(DeadlockException.class));
                        thread.setName("second of rank " + comm.rank());
                        thread.start();
                        try {
                          comm.receive(NOTHING, DType.I8, 0, 1 - comm.rank(), 0);
                        } finally {
                          thread.join();
                        }
                      }))
          .hasCauseInstanceOf(DeadlockException.class)
          .hasMessageContaining("second of rank 1 waits for receive from rank 0, tag 1");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aRankThatAwaitsTheEndOfAThreadThatWaitsIsPartOfTheDeadlock(int joining) {
    try (World world = World.local(2)) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        int other = 1 - comm.rank();
                        if (comm.rank() >= joining) {
                          comm.receive(NOTHING, DType.I8, 0, other, 0);
                        }
                        Thread thread =
                            new Thread(
                                () ->
                                    assertThatThrownBy(
                                            () -> comm.receive(NOTHING, DType.I8, 0, other, 1))
                                        .isInstanceOf(DeadlockException.class),
                                "second of rank " + comm.rank());
                        thread.start();
                        thread.join();
                      }))
          .hasCauseInstanceOf(DeadlockException.class)
          .hasMessageContaining("rank 0 waits for the end of thread second of rank 0")
          .hasMessageContaining("second of rank 0 waits for receive from rank 1, tag 1");
    }
  }

  @Test
  void aRankThatAwaitsTheEndOfAThreadThatComputesIsNoDeadlock() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            if (comm.rank() == 0) {
              Thread waits = new Thread(() -> comm.receive(NOTHING, DType.I8, 0, 1, 1));
              Thread computes = new Thread(() -> Watched.untilPolled(comm, 1, LOOKS));
              waits.start();
              computes.start();
              computes.join();
              comm.send(NOTHING, DType.I8, 0, 1, 0);
              waits.join();
            } else {
              comm.receive(NOTHING, DType.I8, 0, 0, 0);
              comm.send(NOTHING, DType.I8, 0, 0, 1);
            }
          });
    }
  }

  @ParameterizedTest
  @MethodSource("kindsOfThreads")
  void aThreadThatWaitsForItsTimeMayComeToTheRescue(ThreadFactory threads) {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            if (comm.rank() == 0) {
              threads
                  .newThread(
                      () -> {
                        Watched.untilPolled(comm, 1, LOOKS);
                        comm.send(NOTHING, DType.I8, 0, 1, 0);
                        comm.send(NOTHING, DType.I8, 0, 0, 0);
                      })
                  .start();
            }
            comm.receive(NOTHING, DType.I8, 0, 0, 0);
          });
    }
  }

  @Test
  void aTaskThatIsDueLaterMayComeToTheRescue() {
    try (World world = World.local(2);
        ScheduledExecutorService later = Executors.newScheduledThreadPool(1)) {
      world.run(
          comm -> {
            if (comm.rank() == 0) {
              var _ =
                  later.schedule(
                      () -> {
                        comm.send(NOTHING, DType.I8, 0, 1, 0);
                        comm.send(NOTHING, DType.I8, 0, 0, 0);
                      },
                      200,
                      TimeUnit.MILLISECONDS);
            }
            comm.receive(NOTHING, DType.I8, 0, 0, 0);
          });
    }
  }
}
