package dev.rialto.exchange;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.management.ThreadMXBean;
import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.exchange.plan.Region;
import dev.rialto.exchange.plan.Transpose;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.PeerFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Behaviour of handles: states, misuse, failure, several at once, memory. */
class ExchangeTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** A ring: each rank has three elements and a copy of the next rank's first. */
  private static ExchangePlan ring(Communicator comm) {
    int size = comm.size();
    return ExchangePlan.of(
        "ring",
        comm.rank(),
        size,
        4,
        4,
        List.of(Block.of((comm.rank() + size - 1) % size, Region.contiguous(0, 1))),
        List.of(Block.of((comm.rank() + 1) % size, Region.contiguous(3, 1))),
        Combine.REPLACE);
  }

  private static MemorySegment array(Arena arena, double... values) {
    return arena.allocateFrom(JAVA_DOUBLE, values);
  }

  private interface Body {
    void run(Exchanger exchanger, Exchange ring, Arena arena);
  }

  private static void onRing(int ranks, ExchangeOptions options, Body body) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Arena arena = Arena.ofConfined();
                Exchanger exchanger = Exchanger.on(comm, options)) {
              Exchange ring = exchanger.exchange(ring(comm), DType.F64);
              body.run(exchanger, ring, arena);
            }
          });
    }
  }

  private static void onRing(int ranks, Body body) {
    onRing(ranks, ExchangeOptions.standard(), body);
  }

  @Test
  void statesAreEnforced() {
    onRing(
        2,
        (_, ring, arena) -> {
          MemorySegment x = array(arena, 1, 2, 3, 0);
          assertThatIllegalStateException()
              .isThrownBy(ring::await)
              .withMessageContaining("is not under way; start it first");
          ring.start(x, x);
          assertThat(ring.isStarted()).isTrue();
          assertThatIllegalStateException()
              .isThrownBy(() -> ring.start(x, x))
              .withMessageContaining("under way already; await it first");
          assertThatIllegalStateException()
              .isThrownBy(() -> ring.scheme("point-to-point"))
              .withMessageContaining("await it before choosing another scheme");
          ring.await();
          assertThat(x.getAtIndex(JAVA_DOUBLE, 3)).isEqualTo(1);
          assertThatIllegalStateException().isThrownBy(ring::await);
          ring.close();
          assertThatIllegalStateException()
              .isThrownBy(() -> ring.start(x, x))
              .withMessageContaining("is closed");
        });
  }

  @Test
  void argumentsAreCheckedBeforeAnythingMoves() {
    onRing(
        1,
        (exchanger, ring, arena) -> {
          MemorySegment x = array(arena, 1, 2, 3, 0);
          assertThatExceptionOfType(IndexOutOfBoundsException.class)
              .isThrownBy(() -> ring.start(x.asSlice(8), x))
              .withMessageContaining("input 0 has 24 bytes, but 32 are needed");
          assertThatIllegalArgumentException()
              .isThrownBy(() -> ring.start(MemorySegment.ofArray(new double[4]), x))
              .withMessageContaining("native memory");
          assertThatIllegalArgumentException()
              .isThrownBy(() -> ring.start(x, x.asReadOnly()))
              .withMessageContaining("read-only");
          MemorySegment longer = arena.allocate(40, 8);
          assertThatIllegalArgumentException()
              .isThrownBy(() -> ring.start(longer.asSlice(0, 32), longer.asSlice(8, 32)))
              .withMessageContaining("overlaps");
          assertThatExceptionOfType(UnsupportedOperationException.class)
              .isThrownBy(() -> ring.scheme("all-to-all/fused"))
              .withMessageContaining("move all together");
          assertThatIllegalArgumentException()
              .isThrownBy(() -> ring.scheme("pigeon"))
              .withMessageContaining("those there are: point-to-point, scheduled");
          assertThat(ring.isStarted()).isFalse();
          assertThat(exchanger.exchange(ring.plan(), DType.F64)).isSameAs(ring);
        });
  }

  @Test
  void twoExchangesAreUnderWayAtOnceAndAwaitedInAnyOrder() {
    for (String scheme :
        List.of("point-to-point", "all-to-all", "rma-pull", "rma-push", "shared")) {
      onRing(
          3,
          (exchanger, ring, arena) -> {
            Communicator comm = exchanger.communicator();
            Exchange other = exchanger.exchange(ring(comm), DType.F64).scheme(scheme);
            ring.scheme(scheme);
            MemorySegment x = array(arena, comm.rank(), 0, 0, -1);
            MemorySegment y = array(arena, 10 + comm.rank(), 0, 0, -1);
            for (int run = 0; run < 3; run++) {
              ring.start(x, x);
              other.start(y, y);
              (comm.rank() == 1 ? other : ring).await();
              (comm.rank() == 1 ? ring : other).await();
              int next = (comm.rank() + 1) % 3;
              assertThat(x.getAtIndex(JAVA_DOUBLE, 3)).as(scheme).isEqualTo(next);
              assertThat(y.getAtIndex(JAVA_DOUBLE, 3)).as(scheme).isEqualTo(10 + next);
              x.setAtIndex(JAVA_DOUBLE, 3, -1);
              y.setAtIndex(JAVA_DOUBLE, 3, -1);
            }
          });
    }
  }

  @Test
  void severalArraysTravelInOneMessage() {
    for (Scheme scheme : Matrix.schemes()) {
      onRing(
          2,
          (exchanger, one, arena) -> {
            Communicator comm = exchanger.communicator();
            Exchange ring = exchanger.exchange(one.plan(), DType.F64, 3);
            if (scheme.refusal(one.plan(), DType.F64, comm).isPresent()) {
              return;
            }
            ring.scheme(scheme);
            MemorySegment[] x = new MemorySegment[3];
            for (int i = 0; i < 3; i++) {
              x[i] = array(arena, 10 * i + comm.rank(), 0, 0, -1);
            }
            ring.run(x, x);
            for (int i = 0; i < 3; i++) {
              assertThat(x[i].getAtIndex(JAVA_DOUBLE, 3))
                  .as("%s, array %d", scheme, i)
                  .isEqualTo(10 * i + 1 - comm.rank());
            }
            assertThat(ring.report().messages()).isEqualTo(1);
            assertThat(ring.report().bytes()).isEqualTo(24);
          });
    }
  }

  @Test
  void anArrayIsTransposedInPlaceByEveryScheme() {
    Grid rows = Grid.block(Shape.of(64, 64), 2, 1);
    Grid columns = Grid.block(Shape.of(64, 64), 1, 2).withOrder(1, 0);
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (Arena arena = Arena.ofConfined();
                Exchanger exchanger = Exchanger.on(comm)) {
              Exchange transpose =
                  exchanger.exchange(Transpose.plan(rows, columns, comm.rank()), DType.F64);
              for (Scheme scheme : Schemes.all(transpose.plan(), DType.F64, comm)) {
                MemorySegment x = arena.allocate(64 * 32 * 8, 64);
                for (int i = 0; i < 64 * 32; i++) {
                  x.setAtIndex(JAVA_DOUBLE, i, 64 * 32 * comm.rank() + i);
                }
                transpose.scheme(scheme).run(x, x);
                for (int i = 0; i < 64 * 32; i++) {
                  int column = 32 * comm.rank() + i / 64;
                  assertThat(x.getAtIndex(JAVA_DOUBLE, i))
                      .as("%s, element %d", scheme, i)
                      .isEqualTo(i % 64 * 64 + column);
                }
              }
            }
          });
    }
  }

  @Test
  void aRankThatFailsInFlightFailsTheOthers() {
    for (Scheme scheme : Matrix.schemes()) {
      AtomicInteger told = new AtomicInteger();
      assertThatExceptionOfType(CommunicationException.class)
          .isThrownBy(
              () ->
                  onRing(
                      3,
                      (exchanger, ring, arena) -> {
                        Communicator comm = exchanger.communicator();
                        if (scheme.refusal(ring.plan(), DType.F64, comm).isPresent()) {
                          throw new IllegalStateException("rank 1 is lost");
                        }
                        ring.scheme(scheme);
                        MemorySegment x = array(arena, 1, 2, 3, 0);
                        ring.run(x, x);
                        if (comm.rank() == 1) {
                          throw new IllegalStateException("rank 1 is lost");
                        }
                        try {
                          while (true) {
                            ring.run(x, x);
                          }
                        } catch (PeerFailedException e) {
                          told.incrementAndGet();
                          assertThatIllegalStateException()
                              .isThrownBy(() -> ring.start(x, x))
                              .withMessageContaining("has failed; close it");
                          throw e;
                        }
                      }))
          .as(scheme.toString())
          .withStackTraceContaining("rank 1 is lost");
    }
  }

  @Test
  void plansThatDoNotFitAreRefusedOnAllRanks() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (Exchanger exchanger = Exchanger.on(comm)) {
              int peer = 1 - comm.rank();
              ExchangePlan plan =
                  ExchangePlan.of(
                      "lopsided",
                      comm.rank(),
                      2,
                      4,
                      4,
                      List.of(Block.of(peer, Region.contiguous(0, comm.rank() == 0 ? 3 : 2))),
                      List.of(Block.of(peer, Region.contiguous(0, 2))),
                      Combine.REPLACE);
              assertThatExceptionOfType(MismatchException.class)
                  .isThrownBy(() -> exchanger.exchange(plan, DType.F64))
                  .withMessageContaining(
                      comm.rank() == 1
                          ? "rank 0 sends 3 elements to rank 1, which expects 2"
                          : "rank 1 found a mismatch");
            }
          });
    }
  }

  @Test
  void checksFindMemoryThatIsTouchedInFlight() {
    onRing(
        2,
        ExchangeOptions.standard().withChecks(true),
        (_, ring, arena) -> {
          MemorySegment x = array(arena, 1, 2, 3, 0);
          ring.run(x, x);
          assertThat(x.getAtIndex(JAVA_DOUBLE, 3)).isEqualTo(1);
          ring.start(x, x);
          assertThat(x.getAtIndex(JAVA_DOUBLE, 3)).isNaN();
          x.setAtIndex(JAVA_DOUBLE, 1, 7);
          ring.await();
        });
    for (int element : new int[] {0, 3}) {
      assertThatExceptionOfType(CommunicationException.class)
          .isThrownBy(
              () ->
                  onRing(
                      2,
                      ExchangeOptions.standard().withChecks(true),
                      (_, ring, arena) -> {
                        MemorySegment x = array(arena, 1, 2, 3, 0);
                        ring.start(x, x);
                        x.setAtIndex(JAVA_DOUBLE, element, 7);
                        ring.await();
                      }))
          .withStackTraceContaining("was written between start and await");
    }
  }

  @Test
  void steadyStateAllocatesNothing() {
    Grid grid = Grid.block(Shape.of(32, 32), 2, 1);
    Halo.Stencil stencil = Halo.Stencil.of(2, 1, true, true);
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (Arena arena = Arena.ofConfined();
                Exchanger exchanger = Exchanger.on(comm)) {
              ExchangePlan plan = Halo.stencil(grid, stencil, comm.rank());
              MemorySegment x = arena.allocate(plan.inputCount() * 8, 64);
              for (String scheme :
                  List.of("shared", "point-to-point/fused", "persistent-neighbor")) {
                Exchange halo = exchanger.exchange(plan, DType.F64).scheme(scheme);
                long least = Long.MAX_VALUE;
                // Compiling allocates too; one quiet round is what matters.
                for (int round = 0; round < 50 && least > 0; round++) {
                  long before = THREADS.getCurrentThreadAllocatedBytes();
                  for (int run = 0; run < 200; run++) {
                    halo.run(x, x);
                  }
                  long after = THREADS.getCurrentThreadAllocatedBytes();
                  least = agreed(comm, arena, Math.min(least, (after - before) / 200));
                }
                assertThat(least).as(scheme).isZero();
              }
            }
          });
    }
  }

  /** Returns the largest of the ranks' numbers, so that all repeat as often. */
  private static long agreed(Communicator comm, Arena arena, long mine) {
    MemorySegment most = arena.allocate(8, 8);
    most.set(java.lang.foreign.ValueLayout.JAVA_LONG, 0, mine);
    comm.allReduce(most, most, DType.I64, 1, dev.rialto.spi.data.ReduceOp.MAX);
    return most.get(java.lang.foreign.ValueLayout.JAVA_LONG, 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"point-to-point", "shared", "rma-pull", "all-to-all"})
  void buffersAreCountedAndMayBeTheCallers(String scheme) {
    try (Arena shared = Arena.ofShared()) {
      AtomicInteger asked = new AtomicInteger();
      onRing(
          2,
          ExchangeOptions.standard()
              .withAllocator(
                  bytes -> {
                    asked.incrementAndGet();
                    return shared.allocate(bytes, 64);
                  }),
          (_, ring, arena) -> {
            MemorySegment x = array(arena, 1, 2, 3, 0);
            assertThat(ring.bufferBytes()).isZero();
            ring.scheme(scheme).run(x, x);
            // Elements that lie together need no buffer where the transport reaches them.
            assertThat(ring.bufferBytes() > 0).isEqualTo(!scheme.equals("point-to-point"));
          });
      assertThat(asked.get() > 0)
          .isEqualTo(scheme.equals("all-to-all") || scheme.equals("rma-pull"));
    }
  }

  /**
   * Each rank sends 4 elements that lie together to the next, and 1,000 that do not to the last.
   */
  private static ExchangePlan partlyTogether(int rank) {
    return ExchangePlan.of(
        "partly together",
        rank,
        3,
        2_004,
        1_004,
        List.of(
            Block.of((rank + 1) % 3, Region.contiguous(0, 4)),
            Block.of((rank + 2) % 3, Region.box(Shape.of(1_000), new long[] {2}, 4))),
        List.of(
            Block.of((rank + 2) % 3, Region.contiguous(0, 4)),
            Block.of((rank + 1) % 3, Region.contiguous(4, 1_000))),
        Combine.REPLACE);
  }

  @ParameterizedTest
  @CsvSource({"point-to-point, 8000", "datatype, 0"})
  void onlyMessagesThatArePackedHaveBuffers(String scheme, long bytes) {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            try (Exchanger exchanger = Exchanger.on(comm);
                Arena arena = Arena.ofConfined()) {
              ExchangePlan plan = partlyTogether(comm.rank());
              MemorySegment in = arena.allocate(JAVA_DOUBLE, plan.inputCount());
              MemorySegment out = arena.allocate(JAVA_DOUBLE, plan.outputCount());
              for (int i = 0; i < plan.inputCount(); i++) {
                in.setAtIndex(JAVA_DOUBLE, i, 10_000 * comm.rank() + i);
              }
              Exchange exchange = exchanger.exchange(plan, DType.F64).scheme(scheme);
              exchange.run(in, out);
              assertThat(exchange.bufferBytes()).isEqualTo(bytes);
              for (int i = 0; i < plan.outputCount(); i++) {
                int from = (comm.rank() + (i < 4 ? 2 : 1)) % 3;
                assertThat(out.getAtIndex(JAVA_DOUBLE, i))
                    .isEqualTo(10_000 * from + (i < 4 ? i : 4 + 2 * (i - 4)));
              }
            }
          });
    }
  }

  @Test
  void messagesThatAreReadWhereTheyLieHaveNoSlots() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            Grid rows = Grid.block(Shape.of(256, 256), 2, 1);
            Grid columns = Grid.block(Shape.of(256, 256), 1, 2);
            long message = 8 * 128 * 128;
            try (Exchanger exchanger = Exchanger.on(comm);
                Arena shared = Arena.ofShared();
                Arena confined = Arena.ofConfined()) {
              Exchange exchange =
                  exchanger
                      .exchange(Transpose.plan(rows, columns, comm.rank()), DType.F64)
                      .scheme("shared");
              MemorySegment out = shared.allocate(2 * message, 64);
              exchange.run(shared.allocate(2 * message, 64), out);
              assertThat(exchange.bufferBytes()).isLessThan(message);
              for (int run = 1; run <= 5; run++) {
                MemorySegment in = confined.allocate(2 * message, 64).fill((byte) run);
                exchange.run(in, out);
                assertThat(out.mismatch(in)).isEqualTo(-1);
              }
              assertThat(exchange.bufferBytes()).isBetween(2 * message, 3 * message);
              comm.barrier();
            }
          });
    }
  }

  @Test
  void theRanksOwnBlockHasABufferOnlyWhereItIsPacked() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            Grid rows = Grid.block(Shape.of(16, 16), 2, 1);
            Grid columns = Grid.block(Shape.of(16, 16), 1, 2);
            try (Exchanger exchanger = Exchanger.on(comm);
                Arena arena = Arena.ofConfined()) {
              Exchange exchange =
                  exchanger
                      .exchange(Transpose.plan(rows, columns, comm.rank()), DType.F64)
                      .scheme("datatype");
              MemorySegment x = arena.allocate(8 * 128, 64);
              exchange.run(x, arena.allocate(8 * 128, 64));
              assertThat(exchange.bufferBytes()).isZero();
              exchange.run(x, x);
              assertThat(exchange.bufferBytes()).isGreaterThanOrEqualTo(3 * 8 * 64);
            }
          });
    }
  }

  @Test
  void aPlanExplainsItself() {
    Grid rows = Grid.block(Shape.of(4, 4), 2, 1);
    Grid columns = Grid.block(Shape.of(4, 4), 1, 2).withOrder(1, 0);
    assertThat(Transpose.plan(rows, columns, 0).explain(DType.F64))
        .isEqualTo(
            """
            transpose 4x4 YX to XY, rank 0 of 2: 8 of F64 in, 8 of F64 out, replace
              to   itself: 32 bytes in 4 runs
              to   rank 1: 32 bytes in 4 runs
              from itself: 32 bytes in 2 runs
              from rank 1: 32 bytes in 2 runs
            memory passes: 1 shared, 3 packed\
            """);
  }

  @Test
  void aPlanThatReceivesAnElementTwiceIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                ExchangePlan.of(
                    "twice",
                    0,
                    3,
                    4,
                    4,
                    List.of(),
                    List.of(
                        Block.of(1, Region.contiguous(0, 2)), Block.of(2, Region.indices(1, 3))),
                    Combine.REPLACE))
        .withMessageContaining("rank 0 receives element 1 twice");
  }
}
