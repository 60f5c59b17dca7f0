package dev.rialto.local.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.rialto.local.Watched;
import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.PeerFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A world of threads: how it runs, fails and ends. */
class LocalWorldTest {
  private static final long LONG = 1 << 20;

  @Test
  void runsEachBodyOnItsRanksThreadAgainAndAgain() {
    try (World world = World.local(3)) {
      List<String> names = world.call(comm -> Thread.currentThread().getName());
      assertThat(names).containsExactly("rialto-rank-0", "rialto-rank-1", "rialto-rank-2");
      for (int i = 0; i < 100; i++) {
        int round = i;
        assertThat(world.call(comm -> comm.rank() * round)).containsExactly(0, round, 2 * round);
      }
    }
  }

  @Test
  void aBodyMayReturnNull() {
    try (World world = World.local(2)) {
      assertThat(world.<Object>call(comm -> null)).containsExactly(null, null);
    }
  }

  @Test
  void openedWithoutANumberOfRanksItHasOne() {
    try (World world = Backends.get("local").openWorld(0)) {
      assertThat(world.size()).isEqualTo(1);
    }
    assertThatThrownBy(() -> Backends.get("local").openWorld(-1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void moreRanksThanMemoryCanHoldAreRefused() {
    assertThatThrownBy(() -> World.local(10_000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("give at most 1024");
  }

  @Test
  void worldsNest() {
    try (World outer = World.local(2)) {
      List<List<Integer>> results =
          outer.call(
              comm -> {
                comm.barrier();
                try (World inner = World.local(3)) {
                  return inner.call(
                      within -> {
                        within.barrier();
                        return 10 * comm.rank() + within.rank();
                      });
                }
              });
      assertThat(results).containsExactly(List.of(0, 1, 2), List.of(10, 11, 12));
    }
  }

  static List<Throwable> everyKindOfFailure() {
    return List.of(
        new IllegalArgumentException("boom"),
        new Exception("boom"),
        new AssertionError("boom"),
        new StackOverflowError("boom"),
        new OutOfMemoryError("boom"),
        new Throwable("boom"));
  }

  @ParameterizedTest
  @MethodSource("everyKindOfFailure")
  void aRankThatThrowsFailsAllOthersWhateverTheyWaitFor(Throwable failure) {
    List<Throwable> seen = new ArrayList<>();
    try (World world = World.local(4)) {
      Throwable thrown =
          catchThrowable(
              () ->
                  world.run(
                      comm -> {
                        if (comm.rank() == 1) {
                          Watched.untilOthersWait(comm);
                          throwUnchecked(failure);
                        }
                        Throwable told = catchThrowable(() -> waitForNothing(comm));
                        synchronized (seen) {
                          seen.add(told);
                        }
                      }));
      assertThat(thrown)
          .isInstanceOf(CommunicationException.class)
          .hasCause(failure)
          .hasMessageContaining("rank 1")
          .hasMessageContaining("boom")
          .hasNoSuppressedExceptions();
      assertThat(seen)
          .hasSize(3)
          .allSatisfy(
              told ->
                  assertThat(told)
                      .isInstanceOf(PeerFailedException.class)
                      .hasCause(failure)
                      .hasMessageContaining("rank 1 failed"));
      assertThatIllegalStateException()
          .isThrownBy(() -> world.run(comm -> {}))
          .withMessageContaining("failed")
          .withCause(failure);
    }
  }

  /** Bodies may throw exceptions only, but what is not declared can be thrown all the same. */
  private static void throwUnchecked(Throwable failure) {
    LocalWorldTest.<RuntimeException>throwAs(failure);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> void throwAs(Throwable failure) throws T {
    throw (T) failure;
  }

  /** Each rank waits in another kind of operation that rank 1 would have to take part in. */
  private static void waitForNothing(Communicator comm) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(LONG);
      switch (comm.rank()) {
        case 0 -> comm.receive(buffer, DType.I8, LONG, 1, 0);
        case 2 -> comm.send(buffer, DType.I8, LONG, 1, 0);
        default -> comm.probe(PointToPoint.ANY_SOURCE, 5);
      }
    }
  }

  @Test
  void whatOtherRanksThrowForReasonsOfTheirOwnIsSuppressed() {
    RuntimeException own = new IllegalStateException("own");
    try (World world = World.local(3)) {
      Throwable thrown =
          catchThrowable(
              () ->
                  world.run(
                      comm -> {
                        switch (comm.rank()) {
                          case 0 -> throw new IllegalStateException("first");
                          case 1 -> {
                            assertThatThrownBy(comm::barrier)
                                .isInstanceOf(PeerFailedException.class);
                            throw own;
                          }
                          default -> {
                            try {
                              comm.barrier();
                            } catch (PeerFailedException e) {
                              throw new IllegalStateException("consequence", e);
                            }
                          }
                        }
                      }));
      assertThat(thrown).hasRootCauseMessage("first");
      assertThat(thrown.getSuppressed()).containsExactly(own);
    }
  }

  @Test
  void abortEndsEveryOperationWithTheReason() {
    try (World world = World.local(2)) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        if (comm.rank() == 0) {
                          comm.abort("no convergence");
                        }
                        assertThatThrownBy(comm::barrier)
                            .isInstanceOf(PeerFailedException.class)
                            .hasMessageContaining("no convergence");
                        assertThatThrownBy(() -> comm.iprobe(0, 0))
                            .isInstanceOf(PeerFailedException.class);
                      }))
          .isInstanceOf(CommunicationException.class)
          .hasMessageContaining("no convergence");
    }
  }

  @Test
  void aWaitForARankThatHasFinishedFails() {
    for (int source : new int[] {1, PointToPoint.ANY_SOURCE}) {
      try (World world = World.local(2)) {
        assertThatThrownBy(
                () ->
                    world.run(
                        comm -> {
                          if (comm.rank() == 0) {
                            comm.receive(MemorySegment.NULL, DType.I8, 0, source, 0);
                          }
                        }))
            .hasCauseInstanceOf(PeerFailedException.class)
            .hasMessageContaining("rank 1 has finished");
      }
    }
  }

  @Test
  void aRequestThatIsOnlyTestedLearnsThatItsPeerHasFinished() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            if (comm.rank() == 0) {
              try (Arena arena = Arena.ofConfined();
                  Request request = comm.isend(arena.allocate(LONG), DType.I8, LONG, 1, 0)) {
                while (!request.test()) {
                  Thread.onSpinWait();
                }
                assertThatThrownBy(request::await).isInstanceOf(PeerFailedException.class);
                assertThat(request.test()).isTrue();
                assertThatThrownBy(request::await).isInstanceOf(PeerFailedException.class);
              }
            }
          });
    }
  }

  @Test
  void whatAFinishedRankSentBeforeIsStillReceived() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            MemorySegment one = MemorySegment.ofArray(new long[] {42});
            if (comm.rank() == 1) {
              comm.send(one, DType.I64, 1, 0, 0);
            } else {
              Watched.untilFinished(comm, 1);
              one.fill((byte) 0);
              comm.receive(one, DType.I64, 1, 1, 0);
              assertThat(one.toArray(ValueLayout.JAVA_LONG)).containsExactly(42);
            }
          });
    }
  }

  @Test
  void requestsLeftBehindAreTakenBackWhenTheBodyReturns() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            if (comm.rank() == 1) {
              try (Arena arena = Arena.ofConfined()) {
                var _ = comm.isend(arena.allocate(LONG), DType.I8, LONG, 0, 0);
                var _ = comm.ireceive(arena.allocate(LONG), DType.I8, LONG, 0, 0);
              }
            } else {
              Watched.untilFinished(comm, 1);
              MemorySegment memory = MemorySegment.ofArray(new byte[(int) LONG]);
              assertThatThrownBy(() -> comm.receive(memory, DType.I8, LONG, 1, 0))
                  .isInstanceOf(PeerFailedException.class)
                  .hasMessageContaining("has finished");
              assertThatThrownBy(() -> comm.send(memory, DType.I8, LONG, 1, 0, SendMode.STANDARD))
                  .isInstanceOf(PeerFailedException.class);
            }
          });
    }
  }

  @Test
  void aCommunicatorIsForTheBodyOfItsRank() {
    try (World world = World.local(1)) {
      AtomicReference<Communicator> kept = new AtomicReference<>();
      world.run(kept::set);
      assertThatIllegalStateException()
          .isThrownBy(() -> kept.get().barrier())
          .withMessageContaining("returned");
      world.run(comm -> kept.get().barrier());
    }
  }

  @Test
  void anInterruptOfTheCallerEndsTheWorld() {
    try (World world = World.local(2)) {
      Thread caller = Thread.currentThread();
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        if (comm.rank() == 0) {
                          caller.interrupt();
                          comm.receive(MemorySegment.NULL, DType.I8, 0, 1, 0);
                        } else {
                          new CountDownLatch(1).await();
                        }
                      }))
          .isInstanceOf(CommunicationException.class)
          .hasMessageContaining("interrupted");
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void aRunningOrClosedWorldCannotBeRunOrClosedFromWithin() {
    World world = World.local(1);
    world.run(
        comm -> {
          assertThatIllegalStateException().isThrownBy(() -> world.run(other -> {}));
          assertThatIllegalStateException().isThrownBy(world::close);
        });
    world.close();
    world.close();
    assertThatIllegalStateException().isThrownBy(() -> world.run(comm -> {}));
  }

  @Test
  void closingEndsTheRanksThreads() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    try (World world = World.local(1)) {
      world.run(comm -> threads.add(Thread.currentThread()));
    }
    threads.getFirst().join(10_000);
    assertThat(threads.getFirst().isAlive()).isFalse();
  }

  @Test
  void aStackOverflowInTheMidstOfMessagesFailsTheWorld() {
    try (World world = World.local(2)) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        MemorySegment memory = MemorySegment.ofArray(new byte[200]);
                        if (comm.rank() == 0) {
                          descend(depth(0) - 200, comm, memory);
                        } else {
                          while (true) {
                            comm.receive(memory, DType.I8, 200, 0, 0);
                          }
                        }
                      }))
          .isInstanceOf(CommunicationException.class);
    }
  }

  @SuppressWarnings("InfiniteRecursion")
  private static int depth(int reached) {
    try {
      return depth(reached + 1);
    } catch (StackOverflowError e) {
      return reached;
    }
  }

  /** Descends to where the stack is almost used up, then sends at every further step. */
  @SuppressWarnings("InfiniteRecursion")
  private static void descend(int quietly, Communicator comm, MemorySegment memory) {
    if (quietly <= 0) {
      comm.send(memory, DType.I8, 200, 1, 0);
    }
    descend(quietly - 1, comm, memory);
  }
}
