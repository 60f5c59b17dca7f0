package dev.rialto.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.DeadlockException;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.error.TimeoutException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CollectiveFailuresTest {
  private static final int LARGE = 100_000;

  /** One rank's call. */
  interface Call {
    void on(Communicator comm, MemorySegment send, MemorySegment receive);
  }

  private static void call(Communicator comm, Call call) {
    call.on(
        comm, MemorySegment.ofArray(new double[LARGE]), MemorySegment.ofArray(new double[LARGE]));
  }

  private static long[] each(long count) {
    return new long[] {count, count, count};
  }

  private static final long[] STARTS = {0, 10, 20};

  /** Pairs of calls that three ranks must not make together, and what the message says of them. */
  static Map<String, Call[]> disagreements() {
    Map<String, Call[]> pairs = new TreeMap<>();
    pairs.put(
        "called barrier",
        new Call[] {
          (comm, s, r) -> comm.allReduce(s, r, DType.F64, 1, ReduceOp.SUM),
          (comm, s, r) -> comm.barrier()
        });
    pairs.put(
        "rank 1 called broadcast of 4 F64 with root 1",
        new Call[] {
          (comm, s, r) -> comm.broadcast(s, DType.F64, 4, 0),
          (comm, s, r) -> comm.broadcast(s, DType.F64, 4, 1)
        });
    pairs.put(
        "rank 1 called allGather of 4 F32",
        new Call[] {
          (comm, s, r) -> comm.allGather(s, r, DType.F64, 4),
          (comm, s, r) -> comm.allGather(s, r, DType.F32, 4)
        });
    pairs.put(
        "rank 1 called allReduce of 30000 F64 by SUM",
        new Call[] {
          (comm, s, r) -> comm.allReduce(s, r, DType.F64, 4, ReduceOp.SUM),
          (comm, s, r) -> comm.allReduce(s, r, DType.F64, 30_000, ReduceOp.SUM)
        });
    pairs.put(
        "ranks 0, 2 called scan of 30000 F64 by MAX",
        new Call[] {
          (comm, s, r) -> comm.scan(s, r, DType.F64, 30_000, ReduceOp.MAX),
          (comm, s, r) -> comm.scan(s, r, DType.F64, 30_000, ReduceOp.MIN)
        });
    pairs.put(
        "rank 1 called allReduce of 4 C128 by other",
        new Call[] {
          (comm, s, r) -> comm.allReduce(s, r, DType.C128, 4, RandomCollective.COMPOSE),
          (comm, s, r) ->
              comm.allReduce(
                  s, r, DType.C128, 4, ReduceOp.user("other", true, (a, b, type, count) -> {}))
        });
    pairs.put(
        "rank 1 called reduceScatter of [3, 3, 4] F64 by SUM",
        new Call[] {
          (comm, s, r) -> comm.reduceScatter(s, r, DType.F64, new long[] {4, 3, 3}, ReduceOp.SUM),
          (comm, s, r) -> comm.reduceScatter(s, r, DType.F64, new long[] {3, 3, 4}, ReduceOp.SUM)
        });
    pairs.put(
        "gatherV: rank 1 sends 5 elements to rank 0, which receives 4",
        new Call[] {
          (comm, s, r) -> comm.gatherV(s, 4, r, each(4), STARTS, DType.F64, 0),
          (comm, s, r) -> comm.gatherV(s, 5, r, each(4), STARTS, DType.F64, 0)
        });
    pairs.put(
        "scatterV: rank 0 sends 4 elements to rank 1, which receives 5",
        new Call[] {
          (comm, s, r) -> comm.scatterV(s, each(4), STARTS, r, 4, DType.F64, 0),
          (comm, s, r) -> comm.scatterV(s, each(4), STARTS, r, 5, DType.F64, 0)
        });
    pairs.put(
        "allGatherV: rank 1 sends 5 elements to rank",
        new Call[] {
          (comm, s, r) -> comm.allGatherV(s, 4, r, each(4), STARTS, DType.F64),
          (comm, s, r) -> comm.allGatherV(s, 5, r, each(4), STARTS, DType.F64)
        });
    pairs.put(
        "allToAllV: rank 1 sends 5 elements to rank",
        new Call[] {
          (comm, s, r) -> comm.allToAllV(s, each(4), STARTS, r, each(4), STARTS, DType.F64),
          (comm, s, r) -> comm.allToAllV(s, each(5), STARTS, r, each(4), STARTS, DType.F64)
        });
    return pairs;
  }

  static Stream<String> disagreementNames() {
    return disagreements().keySet().stream();
  }

  @ParameterizedTest
  @MethodSource("disagreementNames")
  void allRanksLearnThatTheyDisagree(String message) {
    Call[] calls = disagreements().get(message);
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            for (int i = 0; i < 40; i++) {
              assertThatThrownBy(() -> call(comm, calls[comm.rank() == 1 ? 1 : 0]))
                  .isInstanceOf(MismatchException.class)
                  .hasMessageContaining(message)
                  .hasMessageContaining("rank " + comm.rank() + " of 3 in local/world");
              // What follows is not affected.
              int[] sum = new int[1];
              comm.allReduce(
                  MemorySegment.ofArray(new int[] {1}),
                  MemorySegment.ofArray(sum),
                  DType.I32,
                  1,
                  ReduceOp.SUM);
              assertThat(sum[0]).isEqualTo(3);
            }
          });
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, LARGE / 2})
  void whatAnOperatorThrowsFailsTheReductionOnAllRanks(long count) {
    ReduceOp broken =
        ReduceOp.user(
            "broken",
            true,
            (left, right, type, many) -> {
              throw new ArithmeticException("no sum today");
            });
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            assertThatThrownBy(
                    () -> call(comm, (c, s, r) -> c.allReduce(s, r, DType.C128, count, broken)))
                .isInstanceOf(CommunicationException.class)
                .hasMessageContaining("by broken failed on rank")
                .hasCauseInstanceOf(ArithmeticException.class);
            Request request =
                comm.start(
                    new Collective.Scan(
                        MemorySegment.ofArray(new double[LARGE]),
                        MemorySegment.ofArray(new double[LARGE]),
                        DType.C128,
                        count,
                        broken));
            Throwable thrown = catchThrowable(request::await);
            assertThat(thrown).hasRootCauseMessage("no sum today");
            assertThat(request.test()).isTrue();
            assertThat(catchThrowable(request::await)).isSameAs(thrown);
            comm.barrier();
          });
    }
  }

  static Stream<Call> blockingCalls() {
    return Stream.of(
        (comm, s, r) -> comm.barrier(),
        (comm, s, r) -> comm.broadcast(s, DType.F64, LARGE, 0),
        (comm, s, r) -> comm.gather(s, r, DType.F64, 1000, 0),
        (comm, s, r) -> comm.allToAll(s, r, DType.F64, 1000),
        (comm, s, r) -> comm.allReduce(s, r, DType.F64, 1, ReduceOp.SUM),
        (comm, s, r) -> comm.allReduce(s, r, DType.F64, LARGE, ReduceOp.SUM),
        (comm, s, r) -> comm.exscan(s, r, DType.F64, LARGE, ReduceOp.SUM),
        (comm, s, r) -> comm.topology(new int[0], new int[0]).close(),
        (comm, s, r) -> comm.allocateWindow(8).close(),
        (comm, s, r) -> comm.dup().close());
  }

  @ParameterizedTest
  @MethodSource("blockingCalls")
  void aRankThatFailsEndsTheWaitOfTheOthers(Call call) {
    try (World world = World.local(3)) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        if (comm.rank() == 1) {
                          Watched.untilOthersWait(comm);
                          throw new IllegalStateException("rank 1 is broken");
                        }
                        Throwable thrown = catchThrowable(() -> call(comm, call));
                        assertThat(thrown)
                            .isInstanceOf(PeerFailedException.class)
                            .hasRootCauseMessage("rank 1 is broken");
                      }))
          .isInstanceOf(CommunicationException.class)
          .hasRootCauseMessage("rank 1 is broken")
          .satisfies(thrown -> assertThat(thrown.getSuppressed()).isEmpty());
    }
  }

  /** A rank that fails frees its memory; a rank that is copying from it must not notice. */
  @Test
  void memoryOfAFailingRankIsNotTouchedWhileItIsFreed() {
    for (int round = 0; round < 30; round++) {
      int delay = round * 20;
      try (World world = World.local(4)) {
        assertThatThrownBy(
                () ->
                    world.run(
                        comm -> {
                          if (comm.rank() == 3) {
                            Watched.spin(1000L * delay);
                            throw new IllegalStateException("broken");
                          }
                          Communicator three = comm;
                          try (Arena arena = Arena.ofConfined()) {
                            MemorySegment send = arena.allocate(8L << 20, 64);
                            MemorySegment receive = arena.allocate(8L << 20, 64);
                            three.allReduce(send, receive, DType.F64, 1 << 20, ReduceOp.SUM);
                          }
                        }))
            .isInstanceOf(CommunicationException.class);
      }
    }
  }

  @Test
  void aRankThatIsFinishedIsNotWaitedFor() {
    try (World world = World.local(2)) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        if (comm.rank() == 0) {
                          comm.barrier();
                        }
                      }))
          .rootCause()
          .isInstanceOf(PeerFailedException.class)
          .hasMessageContaining("rank 1 has finished")
          .hasMessageContaining("barrier");
    }
  }

  @Test
  void whatABodyBeganAndLeftIsNotTouched() {
    try (World world = World.local(2)) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        MemorySegment send = MemorySegment.ofArray(new double[LARGE]);
                        MemorySegment receive = MemorySegment.ofArray(new double[LARGE]);
                        // Had both begun before one left, the operation could have taken place.
                        if (comm.rank() == 0) {
                          Watched.untilFinished(comm, 1);
                        }
                        Request request =
                            comm.start(
                                new Collective.AllReduce(
                                    send, receive, DType.F64, LARGE, ReduceOp.SUM));
                        if (comm.rank() == 0) {
                          request.await();
                        }
                      }))
          .rootCause()
          .isInstanceOf(PeerFailedException.class)
          .hasMessageContaining("allReduce");
    }
  }

  @Test
  void ranksThatWaitInDifferentPlacesAreToldWhere() {
    System.setProperty("rialto.local.deadlock.millis", "40");
    try (World world = World.local(2)) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        if (comm.rank() == 0) {
                          comm.barrier();
                        } else {
                          comm.receive(MemorySegment.NULL, DType.I8, 0, 0, 7);
                        }
                      }))
          .rootCause()
          .isInstanceOf(DeadlockException.class)
          .hasMessageContaining("rank 0 waits for barrier on local/world, still without rank 1")
          .hasMessageContaining("CollectiveFailuresTest.java");
    } finally {
      System.clearProperty("rialto.local.deadlock.millis");
    }
  }

  @Test
  void aTimeLimitLeavesTheOperationPending() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            if (comm.rank() == 0) {
              Request barrier = comm.start(new Collective.Barrier());
              assertThat(barrier.test()).isFalse();
              assertThat(barrier.cancel()).isFalse();
              assertThatThrownBy(() -> barrier.await(Duration.ofMillis(5)))
                  .isInstanceOf(TimeoutException.class)
                  .hasMessageContaining("barrier");
              comm.send(MemorySegment.NULL, DType.I8, 0, 1, 0);
              barrier.await(Duration.ofDays(100_000));
            } else {
              comm.receive(MemorySegment.NULL, DType.I8, 0, 0, 0);
              comm.start(new Collective.Barrier()).close();
            }
          });
    }
  }

  @Test
  void persistentCollectivesAreStartedAgainAndAgain() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            int[] send = new int[3];
            int[] receive = new int[3];
            PersistentRequest exchange =
                comm.prepare(
                    new Collective.AllToAll(
                        MemorySegment.ofArray(send), MemorySegment.ofArray(receive), DType.I32, 1));
            assertThat(exchange.test()).isTrue();
            for (int round = 0; round < 100; round++) {
              for (int to = 0; to < 3; to++) {
                send[to] = 100 * round + 10 * comm.rank() + to;
              }
              exchange.start();
              assertThatThrownBy(exchange::start)
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("active");
              exchange.await();
              int mine = 100 * round + comm.rank();
              assertThat(receive).containsExactly(mine, mine + 10, mine + 20);
            }
            exchange.close();
            assertThatThrownBy(exchange::start).hasMessageContaining("closed");
          });
    }
  }

  @Test
  void overlappingBuffersAreRefused() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            MemorySegment memory = MemorySegment.ofArray(new double[8]);
            MemorySegment shifted = memory.asSlice(8);
            assertThatThrownBy(() -> comm.allReduce(memory, shifted, DType.F64, 4, ReduceOp.SUM))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("overlap");
            assertThatThrownBy(() -> comm.allToAll(memory, memory, DType.F64, 4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("overlap");
            comm.allReduce(memory, memory, DType.F64, 8, ReduceOp.SUM);
          });
    }
  }

  @Test
  void aCommunicatorIsNotClosedOverPendingCollectives() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            Communicator own = comm.dup();
            Request barrier = own.start(new Collective.Barrier());
            if (comm.rank() == 0) {
              assertThatThrownBy(own::close)
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("barrier");
              comm.barrier();
            } else {
              comm.barrier();
              barrier.await();
              own.close();
            }
          });
    }
  }
}
