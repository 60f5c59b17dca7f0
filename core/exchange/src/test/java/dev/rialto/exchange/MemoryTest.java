package dev.rialto.exchange;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.rialto.exchange.kernel.HostKernels;
import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Region;
import dev.rialto.exchange.plan.Transpose;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.PeerFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrays that are freed, shared among threads, confined, or the same address as others before. */
class MemoryTest {
  /** Messages of half a megabyte, which ranks of one process read from the sender's array. */
  private static final int SIDE = 512;

  private static final long BYTES = 8L * SIDE * SIDE / 2;

  private static ExchangePlan transpose(Communicator comm) {
    Shape shape = Shape.of(SIDE, SIDE);
    return Transpose.plan(
        Grid.block(shape, 2, 1), Grid.block(shape, 1, 2).withOrder(1, 0), comm.rank());
  }

  private interface Body {
    void run(Exchanger exchanger, Exchange transpose) throws Exception;
  }

  private static void onTwoRanks(Body body) {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (Exchanger exchanger = Exchanger.on(comm)) {
              body.run(exchanger, exchanger.exchange(transpose(comm), DType.F64));
            }
          });
    }
  }

  private static MemorySegment input(Arena arena, int rank) {
    MemorySegment array = arena.allocate(BYTES, 64);
    for (long i = 0; i < BYTES / 8; i++) {
      array.setAtIndex(JAVA_DOUBLE, i, (double) (rank * (BYTES / 8) + i));
    }
    return array;
  }

  private static void assertTransposed(MemorySegment array, int rank, String what) {
    for (int column = 0; column < SIDE / 2; column += 17) {
      for (int row = 0; row < SIDE; row += 13) {
        assertThat(array.getAtIndex(JAVA_DOUBLE, (long) column * SIDE + row))
            .as("%s, row %d", what, row)
            .isEqualTo((double) row * SIDE + column + rank * (SIDE / 2.0));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"confined", "shared", "auto"})
  void arraysOfEveryKindOfArenaAreMoved(String kind) {
    Supplier<Arena> arenas =
        switch (kind) {
          case "confined" -> Arena::ofConfined;
          case "shared" -> Arena::ofShared;
          default -> Arena::ofAuto;
        };
    onTwoRanks(
        (exchanger, transpose) -> {
          Arena arena = arenas.get();
          int rank = exchanger.communicator().rank();
          for (Scheme scheme : Schemes.all(transpose.plan(), DType.F64, exchanger.communicator())) {
            MemorySegment out = arena.allocate(BYTES, 64);
            transpose.scheme(scheme).run(input(arena, rank), out);
            assertTransposed(out, rank, scheme.toString());
          }
          if (!kind.equals("auto")) {
            arena.close();
          }
        });
  }

  @Test
  void anAddressThatComesBackInAnotherArenaIsOtherMemory() {
    onTwoRanks(
        (exchanger, transpose) -> {
          int rank = exchanger.communicator().rank();
          for (Scheme scheme : Schemes.all(transpose.plan(), DType.F64, exchanger.communicator())) {
            transpose.scheme(scheme);
            for (int run = 0; run < 3; run++) {
              try (Arena arena = Arena.ofShared()) {
                MemorySegment out = arena.allocate(BYTES, 64);
                transpose.run(input(arena, rank), out);
                assertTransposed(out, rank, scheme.toString());
              }
            }
          }
        });
  }

  @Test
  void memoryThatIsFreedInBetweenIsRefused() {
    for (String scheme : new String[] {"shared", "point-to-point", "rma-pull", "all-to-all"}) {
      assertThatExceptionOfType(CommunicationException.class)
          .isThrownBy(
              () ->
                  onTwoRanks(
                      (exchanger, transpose) -> {
                        Arena arena = Arena.ofShared();
                        MemorySegment in = arena.allocate(BYTES, 64);
                        MemorySegment out = arena.allocate(BYTES, 64);
                        transpose.scheme(scheme).run(in, out);
                        transpose.start(in, out);
                        arena.close();
                        transpose.await();
                      }))
          .as(scheme)
          .withStackTraceContaining("since the start; keep its arena open until the await");
    }
  }

  @Test
  void aPeerThatReadsAnArrayIsToldThatItWasFreed() {
    AtomicReference<Throwable> told = new AtomicReference<>();
    assertThatExceptionOfType(CommunicationException.class)
        .isThrownBy(
            () ->
                onTwoRanks(
                    (exchanger, transpose) -> {
                      int rank = exchanger.communicator().rank();
                      Arena arena = Arena.ofShared();
                      MemorySegment in = arena.allocate(BYTES, 64);
                      MemorySegment out = arena.allocate(BYTES, 64);
                      transpose.scheme("shared").start(in, out);
                      if (rank == 1) {
                        arena.close();
                      }
                      exchanger.communicator().barrier();
                      try {
                        transpose.await();
                      } catch (PeerFailedException e) {
                        told.set(e);
                        throw e;
                      }
                    }));
    assertThat(told.get()).hasMessageContaining("rank 1");
  }

  /** Each of two ranks sends the first half of its array, and receives the second. */
  private static ExchangePlan halves(Communicator comm, long count) {
    int peer = 1 - comm.rank();
    return ExchangePlan.of(
        "halves",
        comm.rank(),
        2,
        2 * count,
        2 * count,
        List.of(Block.of(peer, Region.contiguous(0, count))),
        List.of(Block.of(peer, Region.contiguous(count, count))),
        Combine.REPLACE);
  }

  @ParameterizedTest
  @ValueSource(longs = {100, 100_000})
  void closingAnArenaWhilePiecesAreCopiedFailsTheRun(long count) throws InterruptedException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment[] arrays = {arena.allocate(16 * count, 64), arena.allocate(16 * count, 64)};
      CountDownLatch running = new CountDownLatch(2);
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Arena closed = Arena.ofShared();
      MemorySegment lost = closed.allocate(16 * count, 64);
      Thread ranks =
          Thread.ofPlatform()
              .start(
                  () ->
                      failure.set(
                          catchThrowable(
                              () ->
                                  onTwoRanks(
                                      (exchanger, _) -> {
                                        Communicator comm = exchanger.communicator();
                                        MemorySegment array = comm.rank() == 0 ? arrays[0] : lost;
                                        Exchange exchange =
                                            exchanger
                                                .exchange(halves(comm, count), DType.F64)
                                                .scheme("shared");
                                        long end = System.nanoTime() + 20_000_000_000L;
                                        do {
                                          exchange.run(array, array);
                                          running.countDown();
                                        } while (System.nanoTime() < end);
                                      }))));
      running.await();
      closed.close();
      ranks.join();
      assertThat(failure.get())
          .isInstanceOf(CommunicationException.class)
          .hasStackTraceContaining("closed");
    }
  }

  @Test
  void aPeerThatCopiesAPieceIsToldThatItWasFreed() {
    AtomicReference<Throwable> told = new AtomicReference<>();
    assertThatExceptionOfType(CommunicationException.class)
        .isThrownBy(
            () ->
                onTwoRanks(
                    (exchanger, _) -> {
                      Communicator comm = exchanger.communicator();
                      Exchange exchange =
                          exchanger.exchange(halves(comm, 100_000), DType.F64).scheme("shared");
                      Arena arena = Arena.ofShared();
                      MemorySegment array = arena.allocate(1_600_000, 64);
                      exchange.start(array, array);
                      if (comm.rank() == 1) {
                        arena.close();
                      }
                      comm.barrier();
                      try {
                        exchange.await();
                      } catch (PeerFailedException e) {
                        told.set(e);
                        throw e;
                      }
                    }));
    assertThat(told.get()).hasMessageContaining("rank 1 has freed the array that it sends");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shared", "point-to-point", "rma-push"})
  void arraysAreKeptWhileARunLasts(String scheme) {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            Arena arena = Arena.ofShared();
            List<Throwable> refused = new ArrayList<>();
            try (Exchanger exchanger =
                Exchanger.on(comm, HookedKernels.options(() -> closeElsewhere(arena, refused)))) {
              Exchange transpose = exchanger.exchange(transpose(comm), DType.F64).scheme(scheme);
              MemorySegment out = arena.allocate(BYTES, 64);
              transpose.run(input(arena, comm.rank()), out);
              assertThat(refused)
                  .isNotEmpty()
                  .allSatisfy(e -> assertThat(e).isInstanceOf(IllegalStateException.class));
              assertTransposed(out, comm.rank(), scheme);
            }
            arena.close();
          });
    }
  }

  /** Tries to close an arena on another thread, and notes what that throws. */
  private static void closeElsewhere(Arena arena, List<Throwable> refused) {
    try {
      Thread.ofPlatform().start(() -> refused.add(catchThrowable(arena::close))).join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void outputsThatOverlapOneAnotherAreRefused() {
    onTwoRanks(
        (exchanger, transpose) -> {
          Exchange two = exchanger.exchange(transpose.plan(), DType.F64, 2);
          Arena arena = Arena.ofAuto();
          MemorySegment a = arena.allocate(BYTES, 64);
          MemorySegment b = arena.allocate(BYTES, 64);
          MemorySegment c = arena.allocate(BYTES + 8, 64);
          assertThatIllegalArgumentException()
              .isThrownBy(
                  () ->
                      two.run(
                          new MemorySegment[] {a, b},
                          new MemorySegment[] {c.asSlice(0, BYTES), c.asSlice(8, BYTES)}))
              .withMessageContaining("output 0 overlaps output 1");
        });
  }

  @Test
  void closingWhatIsUnderWayIsRefusedAndClosesNothing() {
    onTwoRanks(
        (exchanger, transpose) -> {
          Arena arena = Arena.ofAuto();
          MemorySegment out = arena.allocate(BYTES, 64);
          int rank = exchanger.communicator().rank();
          transpose.start(input(arena, rank), out);
          assertThatIllegalStateException()
              .isThrownBy(transpose::close)
              .withMessageContaining("is under way; await it before closing it");
          assertThatIllegalStateException()
              .isThrownBy(exchanger::close)
              .withMessageContaining("is under way; await it before closing it");
          transpose.await();
          assertTransposed(out, rank, "after a refused close");
        });
  }

  @Test
  void aClosedExchangeIsMadeAnew() {
    onTwoRanks(
        (exchanger, transpose) -> {
          Arena arena = Arena.ofAuto();
          int rank = exchanger.communicator().rank();
          transpose.run(input(arena, rank), arena.allocate(BYTES, 64));
          transpose.close();
          Exchange again = exchanger.exchange(transpose.plan(), DType.F64);
          assertThat(again).isNotSameAs(transpose);
          MemorySegment out = arena.allocate(BYTES, 64);
          again.run(input(arena, rank), out);
          assertTransposed(out, rank, "made anew");
        });
  }

  @Test
  void exchangersOfOneFamilyShareRanksAndEnds() {
    onTwoRanks(
        (exchanger, transpose) -> {
          Arena arena = Arena.ofAuto();
          int rank = exchanger.communicator().rank();
          Exchanger other = exchanger.with(HostKernels.serial());
          assertThat(other.communicator()).isSameAs(exchanger.communicator());
          Exchange there = other.exchange(transpose.plan(), DType.F64);
          assertThat(there).isNotSameAs(transpose);
          MemorySegment first = arena.allocate(BYTES, 64);
          MemorySegment second = arena.allocate(BYTES, 64);
          transpose.start(input(arena, rank), first);
          there.start(input(arena, rank), second);
          transpose.await();
          there.await();
          assertTransposed(first, rank, "by the first");
          assertTransposed(second, rank, "by the other");
          other.close();
          assertThatIllegalStateException()
              .isThrownBy(() -> other.exchange(transpose.plan(), DType.F64))
              .withMessageContaining("closed");
          transpose.run(input(arena, rank), second);
          assertTransposed(second, rank, "after the other was closed");
          Exchanger last = exchanger.with(HostKernels.serial());
          last.exchange(transpose.plan(), DType.F64).run(input(arena, rank), second);
          exchanger.close();
          assertThatIllegalStateException()
              .isThrownBy(() -> last.exchange(transpose.plan(), DType.F64))
              .withMessageContaining("closed");
        });
  }

  @Test
  void aFailureOfOneExchangerIsOneOfAllThatShareItsRanks() {
    onTwoRanks(
        (exchanger, transpose) -> {
          Exchanger other = exchanger.with(HostKernels.serial());
          other.fail(new IllegalStateException("given up"));
          assertThatIllegalStateException()
              .isThrownBy(() -> exchanger.exchange(transpose.plan(), DType.F64, 2))
              .withMessageContaining("failed");
          assertThatIllegalStateException()
              .isThrownBy(() -> transpose.run(MemorySegment.NULL, MemorySegment.NULL));
        });
  }
}
