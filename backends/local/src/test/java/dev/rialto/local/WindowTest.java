package dev.rialto.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.rialto.local.world.LocalCommunicator;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.comm.Window.LockMode;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.DeadlockException;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.PeerFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WindowTest {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private static MemorySegment longs(long... values) {
    return MemorySegment.ofArray(values);
  }

  private static void run(int ranks, World.RankBody body) {
    try (World world = World.local(ranks)) {
      world.run(body);
    }
  }

  @ParameterizedTest(name = "{0} ranks")
  @ValueSource(ints = {1, 2, 5})
  void putsAndGetsBetweenFencesReachAllRanks(int ranks) {
    run(
        ranks,
        comm -> {
          int right = (comm.rank() + 1) % ranks;
          try (Window window = comm.allocateWindow(16)) {
            assertThat(window.bytesOf(right)).isEqualTo(16);
            assertThat(window.memory().address() % 64).isZero();
            assertThat(window.memory().get(LONG, 8)).isZero();
            window.fence();
            for (int round = 0; round < 200; round++) {
              window.put(longs(100L * round + comm.rank()), DType.I64, 1, right, 8);
              window.fence();
              int left = (comm.rank() + ranks - 1) % ranks;
              assertThat(window.memory().get(LONG, 8)).isEqualTo(100L * round + left);
              long[] got = new long[1];
              window.get(MemorySegment.ofArray(got), DType.I64, 1, right, 8);
              assertThat(got[0]).isEqualTo(100L * round + comm.rank());
              window.fence();
            }
          }
        });
  }

  @Test
  void memoryOfAnyKindAndSizeCanBeOpened() {
    run(
        3,
        comm -> {
          try (Arena arena = Arena.ofShared()) {
            MemorySegment memory =
                switch (comm.rank()) {
                  case 0 -> MemorySegment.NULL;
                  case 1 -> MemorySegment.ofArray(new byte[24]).asSlice(3, 16);
                  default -> arena.allocate(40);
                };
            try (Window window = comm.window(memory)) {
              window.fence();
              if (comm.rank() == 0) {
                window.put(longs(5), DType.I64, 1, 1, 8);
                window.accumulate(longs(7), DType.I64, 1, 2, 32, ReduceOp.SUM);
                assertThatThrownBy(() -> window.put(longs(1), DType.I64, 1, 0, 0))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContaining("8 bytes at offset 0")
                    .hasMessageContaining("0 bytes");
                assertThatThrownBy(() -> window.put(longs(1, 2), DType.I64, 2, 1, 8))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContaining("put of 16 bytes at offset 8")
                    .hasMessageContaining("rank 1, which has 16 bytes");
                assertThatThrownBy(() -> window.get(longs(1), DType.I64, 1, 2, -8))
                    .isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> window.get(longs(1), DType.I64, 1, 2, 4))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("offset 4");
                assertThatThrownBy(() -> window.segmentOf(1))
                    .isInstanceOf(UnsupportedOperationException.class);
              }
              window.fence();
              if (comm.rank() == 1) {
                assertThat(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 8)).isEqualTo(5);
              } else if (comm.rank() == 2) {
                assertThat(memory.get(LONG, 32)).isEqualTo(7);
              }
            }
          }
        });
  }

  @Test
  void readOnlyMemoryCanOnlyBeRead() {
    run(
        2,
        comm -> {
          try (Window window = comm.window(longs(3, 4).asReadOnly())) {
            window.fence();
            long[] got = new long[2];
            window.get(MemorySegment.ofArray(got), DType.I64, 2, 1 - comm.rank(), 0);
            assertThat(got).containsExactly(3, 4);
            assertThatThrownBy(() -> window.put(longs(1), DType.I64, 1, 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("read-only");
            window.fetchAndOp(
                MemorySegment.NULL, MemorySegment.ofArray(got), DType.I64, 0, 8, ReduceOp.NO_OP);
            assertThat(got[0]).isEqualTo(4);
            window.fence();
          }
        });
  }

  @Test
  void stridedAndIndexedElementsMoveWithoutPacking() {
    Layout column = Layout.strided(DType.I64, Shape.of(3), new long[] {4}, 1);
    Layout listed = Layout.indexed(DType.I64, new long[] {5, 0, 2}, 1);
    run(
        2,
        comm -> {
          try (Window window = comm.allocateWindow(8 * 16)) {
            int peer = 1 - comm.rank();
            window.fence();
            window.put(longs(7, -1, 9, -1, -1, 8), listed, peer, 8, column);
            window.fence();
            assertThat(window.memory().toArray(LONG))
                .containsExactly(0, 0, 8, 0, 0, 0, 7, 0, 0, 0, 9, 0, 0, 0, 0, 0);
            long[] got = new long[6];
            window.get(MemorySegment.ofArray(got), listed, peer, 8, column);
            assertThat(got).containsExactly(7, 0, 9, 0, 0, 8);
            assertThatThrownBy(
                    () -> window.put(longs(1), Layout.contiguous(DType.I64, 1), peer, 0, column))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 I64 and 3 I64");
            assertThatThrownBy(() -> window.get(longs(got), listed, peer, 8 * 8, column))
                .isInstanceOf(IndexOutOfBoundsException.class);
            window.fence();
          }
        });
  }

  @ParameterizedTest(name = "{0} ranks")
  @ValueSource(ints = {2, 4, 8})
  void fetchedTicketsAreAllDifferent(int ranks) {
    int each = 2000;
    long[][] tickets = new long[ranks][each];
    run(
        ranks,
        comm -> {
          try (Window window = comm.allocateWindow(comm.rank() == 0 ? 8 : 0)) {
            window.lockAll();
            MemorySegment ticket = longs(0);
            MemorySegment one = longs(1);
            for (int i = 0; i < each; i++) {
              window.fetchAndOp(one, ticket, DType.I64, 0, 0, ReduceOp.SUM);
              tickets[comm.rank()][i] = ticket.get(LONG, 0);
            }
            window.flushAll();
            window.unlockAll();
          }
        });
    long[] all = Arrays.stream(tickets).flatMapToLong(Arrays::stream).sorted().toArray();
    for (int i = 0; i < all.length; i++) {
      assertThat(all[i]).isEqualTo(i);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = DType.class,
      names = {"I8", "I32", "I64"})
  void compareAndSwapMakesALock(DType type) {
    run(
        3,
        comm -> {
          // The first element is the lock, the last one what it guards, read and written plainly.
          try (Window window = comm.allocateWindow(comm.rank() == 1 ? 16 : 0)) {
            window.lockAll();
            MemorySegment free = longs(0);
            MemorySegment taken = longs(-1);
            MemorySegment found = longs(0);
            MemorySegment counter = longs(0);
            for (int i = 0; i < 300; i++) {
              do {
                found.set(LONG, 0, 0);
                window.compareAndSwap(taken, free, found, type, 1, 0);
              } while (found.get(LONG, 0) != 0);
              window.get(counter, DType.I64, 1, 1, 8);
              counter.set(LONG, 0, counter.get(LONG, 0) + 1);
              window.put(counter, DType.I64, 1, 1, 8);
              window.flush(1);
              window.compareAndSwap(free, taken, found, type, 1, 0);
            }
            window.unlockAll();
            comm.barrier();
            if (comm.rank() == 1) {
              assertThat(window.memory().get(LONG, 8)).isEqualTo(900);
            }
            assertThatThrownBy(() -> window.compareAndSwap(free, free, found, DType.F64, 1, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("F64");
          }
        });
  }

  /** Small integers are exact in every type, so the sum of all accumulates is known. */
  @ParameterizedTest
  @EnumSource(
      value = DType.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"I16", "U8", "U16", "U32", "U64"})
  void accumulatesOfAllRanksAreAtomicForEveryType(DType type) {
    int ranks = 4;
    int count = 700;
    int rounds = type.size() <= 2 ? 16 : 200;
    run(
        ranks,
        comm -> {
          try (Window window = comm.allocateWindow(type.bytes(count))) {
            MemorySegment ones = SmallNumbers.all(type, count, 1);
            window.fence();
            for (int i = 0; i < rounds; i++) {
              window.accumulate(ones, type, count, (comm.rank() + i) % ranks, 0, ReduceOp.SUM);
            }
            window.fence();
            assertThat(window.memory().mismatch(SmallNumbers.all(type, count, rounds)))
                .isEqualTo(-1);
            window.fence();
            MemorySegment before = SmallNumbers.all(type, count, 0);
            if (comm.rank() == 0) {
              window.getAccumulate(ones, before, type, count, 2, 0, ReduceOp.REPLACE);
              assertThat(before.mismatch(SmallNumbers.all(type, count, rounds))).isEqualTo(-1);
            }
            window.fence();
            if (comm.rank() == 2) {
              assertThat(window.memory().mismatch(ones)).isEqualTo(-1);
            }
          }
        });
  }

  @Test
  void usersOperatorsAccumulateInTheOrderOfTheOrigin() {
    run(
        2,
        comm -> {
          // x -> 3 x + 1, then x -> 2 x + 5.
          try (Window window = comm.window(MemorySegment.ofArray(new double[] {3, 1}))) {
            window.fence();
            if (comm.rank() == 0) {
              MemorySegment then = MemorySegment.ofArray(new double[] {2, 5});
              window.accumulate(then, DType.C128, 1, 1, 0, RandomCollective.COMPOSE);
            }
            window.fence();
            if (comm.rank() == 1) {
              assertThat(window.memory().toArray(ValueLayout.JAVA_DOUBLE)).containsExactly(6, 7);
            }
          }
        });
  }

  @ParameterizedTest(name = "{0} ranks")
  @ValueSource(ints = {2, 4, 8})
  void exclusiveLocksExcludeAndSharedOnesShare(int ranks) {
    run(
        ranks,
        comm -> {
          try (Window window = comm.allocateWindow(16)) {
            MemorySegment value = longs(0, 0);
            for (int i = 0; i < 200; i++) {
              if (i % 4 == 3) {
                window.lock(0, LockMode.SHARED);
                window.get(value, DType.I64, 2, 0, 0);
                assertThat(value.getAtIndex(LONG, 0)).isEqualTo(value.getAtIndex(LONG, 1));
                window.unlock(0);
              } else {
                window.lock(0, LockMode.EXCLUSIVE);
                window.get(value, DType.I64, 2, 0, 0);
                value.setAtIndex(LONG, 0, value.getAtIndex(LONG, 0) + 1);
                window.put(value, DType.I64, 1, 0, 0);
                value.setAtIndex(LONG, 1, value.getAtIndex(LONG, 1) + 1);
                window.put(value, DType.I64, 2, 0, 0);
                window.flush(0);
                window.unlock(0);
              }
            }
            comm.barrier();
            if (comm.rank() == 0) {
              assertThat(window.memory().get(LONG, 8)).isEqualTo(150L * ranks);
            }
          }
        });
  }

  @Test
  void postAndStartMakePairsWaitForEachOther() {
    run(
        3,
        comm -> {
          try (Window window = comm.allocateWindow(24)) {
            for (int round = 1; round <= 100; round++) {
              int left = (comm.rank() + 2) % 3;
              int right = (comm.rank() + 1) % 3;
              window.post(left, right);
              window.start(left, right);
              window.put(longs(round), DType.I64, 1, left, 8L * comm.rank());
              window.put(longs(round), DType.I64, 1, right, 8L * comm.rank());
              window.complete();
              window.await();
              assertThat(window.memory().getAtIndex(LONG, left)).isEqualTo(round);
              assertThat(window.memory().getAtIndex(LONG, right)).isEqualTo(round);
            }
          }
        });
  }

  @Test
  void sharedMemoryIsTheSameForAll() {
    run(
        3,
        comm -> {
          try (Window window = comm.sharedWindow(8L * (comm.rank() + 1))) {
            window.memory().set(LONG, 0, comm.rank() + 10);
            window.fence();
            for (int rank = 0; rank < 3; rank++) {
              assertThat(window.segmentOf(rank).byteSize()).isEqualTo(8L * (rank + 1));
              assertThat(window.segmentOf(rank).get(LONG, 0)).isEqualTo(rank + 10);
            }
            window.fence();
          }
        });
  }

  @Test
  void dynamicWindowsReachWhatIsAttached() {
    run(
        2,
        comm -> {
          try (Arena arena = Arena.ofShared();
              Window window = comm.dynamicWindow()) {
            MemorySegment memory = arena.allocate(16, 8);
            window.attach(memory);
            assertThat(window.bytesOf(0)).isEqualTo(Long.MAX_VALUE);
            assertThat(window.memory().byteSize()).isZero();
            assertThatThrownBy(() -> window.attach(memory.asSlice(8)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("overlap");
            assertThatThrownBy(() -> window.attach(longs(1)))
                .isInstanceOf(IllegalArgumentException.class);
            long[] addresses = new long[2];
            comm.allGather(longs(memory.address()), MemorySegment.ofArray(addresses), DType.I64, 1);
            int peer = 1 - comm.rank();
            window.fence();
            window.put(longs(comm.rank() + 5), DType.I64, 1, peer, addresses[peer] + 8);
            assertThatThrownBy(
                    () -> window.put(longs(0, 0), DType.I64, 2, peer, addresses[peer] + 8))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("attach");
            window.fence();
            assertThat(memory.get(LONG, 8)).isEqualTo(peer + 5);
            window.detach(memory);
            window.fence();
            assertThatThrownBy(() -> window.put(longs(0), DType.I64, 1, peer, addresses[peer]))
                .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> window.detach(memory))
                .isInstanceOf(IllegalArgumentException.class);
            window.fence();
          }
        });
  }

  /** Calls that are wrong in the state of a window that was only made, and what they are told. */
  @Test
  void whatIsCalledOutsideItsEpochIsRefused() {
    run(
        2,
        comm -> {
          try (Window window = comm.allocateWindow(16)) {
            refused(() -> window.put(longs(1), DType.I64, 1, 1, 0), "put to rank 1", "fence, lock");
            refused(() -> window.unlock(1), "unlock(1)", "lock that target first");
            refused(window::unlockAll, "unlockAll", "lockAll first");
            refused(window::complete, "complete", "start first");
            refused(window::await, "await", "post first");
            refused(() -> window.flush(0), "flush", "lock epoch");
            window.lock(0, LockMode.SHARED);
            window.lock(1, LockMode.SHARED);
            refused(() -> window.lock(0, LockMode.SHARED), "lock(0", "unlock that target first");
            refused(window::fence, "fence on window", "a lock epoch");
            refused(window::lockAll, "lockAll", "a lock epoch");
            refused(() -> window.post(0), "post", "a lock epoch");
            refused(() -> window.start(0), "start", "a lock epoch");
            window.unlock(0);
            refused(
                () -> window.put(longs(1), DType.I64, 1, 0, 0), "put to rank 0", "a lock epoch");
            window.unlock(1);
            window.fence();
            // A fence epoch without accesses may be left, one with accesses only by a fence.
            window.lockAll();
            window.unlockAll();
            refused(() -> window.put(longs(1), DType.I64, 1, 1, 0), "put to rank 1", "no epoch");
            window.fence();
            window.put(longs(1), DType.I64, 1, 1, 0);
            refused(() -> window.lock(0, LockMode.SHARED), "lock on window", "a fence epoch");
            window.fence();
            window.post();
            window.start();
            refused(() -> window.put(longs(1), DType.I64, 1, 1, 0), "rank 1", "post epoch");
            refused(() -> window.post(0), "post", "post epoch");
            window.complete();
            window.await();
          }
        });
  }

  private static void refused(Runnable call, String what, String state) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(what)
        .hasMessageContaining(state);
  }

  @Test
  void closingInAnEpochIsToldAndClosesAllTheSame() {
    run(
        2,
        comm -> {
          Window window = comm.allocateWindow(16);
          if (comm.rank() == 0) {
            window.lock(1, LockMode.EXCLUSIVE);
            refused(window::close, "close on window", "a lock epoch");
          } else {
            window.close();
          }
          window.close();
          refused(window::fence, "fence", "closed");
          refused(window::memory, "memory", "closed");
        });
  }

  @Test
  void fencesOfDifferentWindowsAreTold() {
    run(
        2,
        comm -> {
          try (Window one = comm.allocateWindow(8);
              Window other = comm.allocateWindow(8)) {
            assertThatThrownBy(() -> (comm.rank() == 0 ? one : other).fence())
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("called fence of window");
          }
        });
  }

  private static void waitForLock(Window window) {
    window.lock(0, LockMode.SHARED);
  }

  static Stream<Consumer<Window>> waits() {
    return Stream.of(
        Window::fence,
        WindowTest::waitForLock,
        window -> window.start(0),
        window -> {
          window.post(0);
          window.await();
        },
        Window::close);
  }

  @ParameterizedTest
  @MethodSource("waits")
  void aRankThatFailsEndsTheWaitOfTheOthers(Consumer<Window> wait) {
    assertThatThrownBy(
            () ->
                run(
                    3,
                    comm -> {
                      Window window = comm.allocateWindow(8);
                      if (comm.rank() == 0) {
                        window.lock(0, LockMode.EXCLUSIVE);
                      }
                      comm.barrier();
                      if (comm.rank() == 0) {
                        Watched.untilOthersWait(comm);
                        throw new IllegalStateException("broken");
                      }
                      assertThat(catchThrowable(() -> wait.accept(window)))
                          .isInstanceOf(PeerFailedException.class)
                          .hasRootCauseMessage("broken");
                    }))
        .isInstanceOf(CommunicationException.class)
        .hasRootCauseMessage("broken")
        .satisfies(thrown -> assertThat(thrown.getSuppressed()).isEmpty());
  }

  /** A rank that fails closes its window and frees the memory others are writing to. */
  @Test
  void memoryOfAFailingRankIsNotTouchedWhileItIsFreed() {
    for (int round = 0; round < 30; round++) {
      int delay = round * 20;
      assertThatThrownBy(
              () ->
                  run(
                      3,
                      comm -> {
                        try (Arena arena = Arena.ofShared();
                            Window window = comm.window(arena.allocate(4 << 20, 64))) {
                          MemorySegment data = arena.allocate(4 << 20, 64);
                          window.lockAll();
                          if (comm.rank() == 0) {
                            Watched.spin(1000L * delay);
                            throw new IllegalStateException("broken");
                          }
                          while (true) {
                            window.put(data, DType.I8, 4 << 20, 0, 0);
                            ((LocalCommunicator) comm).member().checkOpen();
                          }
                        }
                      }))
          .isInstanceOf(CommunicationException.class);
    }
  }

  @Test
  void locksThatWaitForEachOtherAreADeadlock() {
    System.setProperty("rialto.local.deadlock.millis", "40");
    try {
      assertThatThrownBy(
              () ->
                  run(
                      2,
                      comm -> {
                        Window window = comm.allocateWindow(8);
                        window.lock(comm.rank(), LockMode.EXCLUSIVE);
                        comm.barrier();
                        window.lock(1 - comm.rank(), LockMode.EXCLUSIVE);
                      }))
          .rootCause()
          .isInstanceOf(DeadlockException.class)
          .hasMessageContaining("rank 0 waits for EXCLUSIVE lock of rank 1 in window")
          .hasMessageContaining("rank 1 waits for EXCLUSIVE lock of rank 0 in window");
    } finally {
      System.clearProperty("rialto.local.deadlock.millis");
    }
  }

  @Test
  void aCommunicatorIsNotClosedOverItsWindows() {
    run(
        2,
        comm -> {
          Communicator own = comm.dup();
          Window window = own.allocateWindow(8);
          assertThatThrownBy(own::close)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("window");
          assertThat(window.bytesOf(0)).isEqualTo(8);
        });
  }
}
