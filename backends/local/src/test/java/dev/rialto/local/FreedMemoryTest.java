package dev.rialto.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.rialto.local.message.Ring;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.PeerFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that is freed too early ends its operation with an exception on all sides. */
class FreedMemoryTest {
  private static final MemorySegment NOTHING = MemorySegment.NULL;

  private static void run(int ranks, World.RankBody body) {
    try (World world = World.local(ranks)) {
      world.run(body);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {200, 20_000, 4 << 20})
  void memoryThatIsFreedWhileItIsSentIsToldToBothSides(long bytes) {
    run(
        2,
        comm -> {
          if (comm.rank() == 0) {
            Arena arena = Arena.ofShared();
            Request send = comm.isend(arena.allocate(bytes), DType.I8, bytes, 1, 7);
            arena.close();
            comm.barrier();
            assertThatThrownBy(send::await)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("rank 0 of 2")
                .hasMessageContaining("send of " + bytes + " bytes to rank 1, tag 7")
                .hasMessageContaining("keep its arena open");
          } else {
            comm.barrier();
            try (Arena arena = Arena.ofConfined()) {
              MemorySegment memory = arena.allocate(bytes);
              assertThatThrownBy(() -> comm.receive(memory, DType.I8, bytes, 0, 7))
                  .isInstanceOf(PeerFailedException.class)
                  .hasMessageContaining("rank 0 freed the memory");
            }
          }
          comm.barrier();
        });
  }

  @ParameterizedTest
  @ValueSource(longs = {8, 200, 20_000, 4 << 20})
  void memoryThatIsFreedWhileItIsReceivedIntoIsToldToBothSides(long bytes) {
    run(
        2,
        comm -> {
          if (comm.rank() == 0) {
            Arena arena = Arena.ofShared();
            Request receive = comm.ireceive(arena.allocate(bytes), DType.I8, bytes, 1, 7);
            arena.close();
            comm.barrier();
            assertThatThrownBy(receive::await)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("receive from rank 1, tag 7")
                .hasMessageContaining("keep its arena open");
          } else {
            comm.barrier();
            try (Arena arena = Arena.ofConfined()) {
              MemorySegment memory = arena.allocate(bytes);
              Throwable told = catchThrowable(() -> comm.send(memory, DType.I8, bytes, 0, 7));
              if (bytes > Ring.INLINE) {
                assertThat(told)
                    .isInstanceOf(PeerFailedException.class)
                    .hasMessageContaining("rank 0 freed the memory");
              }
            }
          }
          comm.barrier();
        });
  }

  @Test
  void memoryOfAShortMessageThatWaitsForRoomMayNotBeFreed() {
    CountDownLatch freed = new CountDownLatch(1);
    run(
        2,
        comm -> {
          if (comm.rank() == 0) {
            Arena arena = Arena.ofShared();
            MemorySegment memory = arena.allocate(8);
            for (int i = 0; i < Ring.SLOTS; i++) {
              comm.send(memory, DType.I8, 8, 1, 0);
            }
            Request queued = comm.isend(memory, DType.I8, 8, 1, 0);
            assertThat(queued.test()).isFalse();
            arena.close();
            freed.countDown();
            assertThatThrownBy(queued::await).isInstanceOf(IllegalStateException.class);
          } else {
            freed.await();
            MemorySegment memory = MemorySegment.ofArray(new byte[8]);
            for (int i = 0; i < Ring.SLOTS; i++) {
              comm.receive(memory, DType.I8, 8, 0, 0);
            }
            assertThatThrownBy(() -> comm.receive(memory, DType.I8, 8, 0, 0))
                .isInstanceOf(PeerFailedException.class);
          }
        });
  }

  @Test
  void memoryOfALayoutMayNotBeFreed() {
    Layout odd = Layout.strided(DType.F64, Shape.of(1000), new long[] {2}, 0);
    run(
        2,
        comm -> {
          if (comm.rank() == 0) {
            Arena arena = Arena.ofShared();
            Request send = comm.isend(arena.allocate(16_000), odd, 1, 0);
            arena.close();
            comm.barrier();
            assertThatThrownBy(send::await).isInstanceOf(IllegalStateException.class);
          } else {
            comm.barrier();
            try (Arena arena = Arena.ofConfined();
                Request receive = comm.ireceive(arena.allocate(16_000), odd, 0, 0)) {
              assertThatThrownBy(receive::await).isInstanceOf(PeerFailedException.class);
            }
          }
          comm.barrier();
        });
  }

  @Test
  void memoryOfAPersistentRequestMayNotBeFreed() {
    run(
        2,
        comm -> {
          int peer = 1 - comm.rank();
          Arena arena = Arena.ofShared();
          MemorySegment memory = arena.allocate(1 << 20);
          try (PersistentRequest each =
              comm.rank() == 0
                  ? comm.persistentSend(memory, DType.I8, 1 << 20, peer, 0, SendMode.STANDARD)
                  : comm.persistentReceive(memory, DType.I8, 1 << 20, peer, 0)) {
            each.start();
            each.await();
            if (comm.rank() == 0) {
              arena.close();
            }
            comm.barrier();
            each.start();
            assertThatThrownBy(each::await)
                .isInstanceOf(
                    comm.rank() == 0 ? IllegalStateException.class : PeerFailedException.class);
          }
        });
  }

  /** A collective that is begun on memory for sending and receiving. */
  interface Begin {
    Request on(Communicator comm, MemorySegment send, MemorySegment receive);
  }

  static List<Begin> collectives() {
    long many = 50_000;
    return List.of(
        (comm, send, receive) ->
            comm.start(new Collective.AllReduce(send, receive, DType.F64, many, ReduceOp.SUM)),
        (comm, send, receive) -> comm.start(new Collective.Broadcast(receive, DType.F64, many, 0)),
        (comm, send, receive) ->
            comm.start(new Collective.AllGather(send, receive, DType.F64, many / 3)),
        (comm, send, receive) ->
            comm.start(new Collective.AllToAll(send, receive, DType.F64, many / 3)),
        (comm, send, receive) ->
            comm.start(new Collective.Gather(send, receive, DType.F64, many / 3, 2)));
  }

  @ParameterizedTest
  @MethodSource("collectives")
  void memoryOfACollectiveMayNotBeFreed(Begin begin) {
    run(
        3,
        comm -> {
          try (Arena whole = Arena.ofShared()) {
            Arena freed = Arena.ofShared();
            Arena mine = comm.rank() == 1 ? freed : whole;
            // A barrier that rank 0 does not join yet keeps the collective from taking place.
            Request first = comm.rank() == 0 ? null : comm.start(new Collective.Barrier());
            Request request =
                comm.rank() == 0
                    ? null
                    : begin.on(comm, mine.allocate(400_000), mine.allocate(400_000));
            if (comm.rank() == 1) {
              freed.close();
            }
            if (comm.rank() == 0) {
              comm.receive(NOTHING, DType.I8, 0, 1, 0);
              first = comm.start(new Collective.Barrier());
              request = begin.on(comm, mine.allocate(400_000), mine.allocate(400_000));
            } else if (comm.rank() == 1) {
              comm.send(NOTHING, DType.I8, 0, 0, 0);
            }
            first.await();
            Throwable told = catchThrowable(request::await);
            if (comm.rank() == 1) {
              assertThat(told)
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("was freed before that was complete");
            } else if (told != null) {
              assertThat(told)
                  .isInstanceOf(PeerFailedException.class)
                  .hasMessageContaining("on rank 1 the memory");
            }
            comm.barrier();
          }
        });
  }

  @Test
  void confinedMemoryWorksInOperationsThatOutlastTheirCall() {
    Layout odd = Layout.strided(DType.I64, Shape.of(500), new long[] {2}, 1);
    run(
        2,
        comm -> {
          int peer = 1 - comm.rank();
          try (Arena arena = Arena.ofConfined()) {
            for (int count : new int[] {3, 1000, 300_000}) {
              MemorySegment out = longs(arena, count, comm.rank());
              MemorySegment in = arena.allocate(8L * count);
              Request receive = comm.ireceive(in, DType.I64, count, peer, 0);
              Request send = comm.isend(out, DType.I64, count, peer, 0);
              comm.awaitAll(List.of(receive, send));
              assertThat(in.mismatch(longs(arena, count, peer))).isEqualTo(-1);
              Request sum =
                  comm.start(new Collective.AllReduce(out, in, DType.I64, count, ReduceOp.SUM));
              sum.await();
              assertThat(in.getAtIndex(ValueLayout.JAVA_LONG, count - 1)).isEqualTo(2L * count - 1);
            }
            MemorySegment gaps = arena.allocate(8 * 1000).fill((byte) -1);
            Request receive = comm.ireceive(gaps, odd, peer, 1);
            Request send = comm.isend(longs(arena, 1000, comm.rank()), odd, peer, 1);
            comm.awaitAll(List.of(send, receive));
            assertThat(gaps.getAtIndex(ValueLayout.JAVA_LONG, 998)).isEqualTo(-1);
            assertThat(gaps.getAtIndex(ValueLayout.JAVA_LONG, 999)).isEqualTo(999 + peer);
            long[] counts = {1, 1};
            long[] starts = {0, 2};
            MemorySegment blocks = arena.allocate(24).fill((byte) -1);
            comm.start(
                    new Collective.AllGatherV(
                        longs(arena, 1, comm.rank()), 1, blocks, counts, starts, DType.I64))
                .await();
            assertThat(blocks.toArray(ValueLayout.JAVA_LONG)).containsExactly(0, -1, 1);
          }
        });
  }

  private static MemorySegment longs(Arena arena, int count, int first) {
    MemorySegment memory = arena.allocate(8L * count);
    for (int i = 0; i < count; i++) {
      memory.setAtIndex(ValueLayout.JAVA_LONG, i, first + i);
    }
    return memory;
  }

  @Test
  void confinedMemoryThatWasFreedIsNotReceivedInto() {
    run(
        2,
        comm -> {
          MemorySegment data = MemorySegment.ofArray(new byte[100_000]);
          Arena arena = Arena.ofConfined();
          Request receive =
              comm.ireceive(arena.allocate(100_000), DType.I8, 100_000, 1 - comm.rank(), 0);
          Request sum =
              comm.start(
                  new Collective.AllReduce(
                      data, arena.allocate(100_000), DType.I8, 100_000, ReduceOp.MAX));
          arena.close();
          comm.isend(data, DType.I8, 100_000, 1 - comm.rank(), 0).await();
          assertThatThrownBy(receive::await)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("keep its arena open");
          assertThatThrownBy(sum::await)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("keep its arena open");
        });
  }

  @Test
  void memoryOfAWindowMayNotBeFreed() {
    run(
        2,
        comm -> {
          Arena arena = Arena.ofShared();
          Window window = comm.window(arena.allocate(1 << 16));
          MemorySegment origin = MemorySegment.ofArray(new long[1 << 13]);
          MemorySegment other = MemorySegment.ofArray(new long[1 << 13]);
          Layout odd = Layout.strided(DType.I64, Shape.of(50), new long[] {2}, 0);
          window.lockAll();
          comm.barrier();
          if (comm.rank() == 0) {
            arena.close();
          }
          comm.barrier();
          if (comm.rank() == 1) {
            for (Runnable each :
                List.<Runnable>of(
                    () -> window.put(origin, DType.I64, 1, 0, 0),
                    () -> window.put(origin, DType.I64, 1 << 13, 0, 0),
                    () -> window.get(origin, DType.I64, 1 << 13, 0, 0),
                    () -> window.put(origin, odd, 0, 0, odd),
                    () -> window.accumulate(origin, DType.I64, 1000, 0, 0, ReduceOp.SUM),
                    () -> window.accumulate(origin, DType.I64, 1000, 0, 0, ReduceOp.REPLACE),
                    () -> window.fetchAndOp(origin, other, DType.I64, 0, 0, ReduceOp.SUM),
                    () -> window.compareAndSwap(origin, origin, other, DType.I64, 0, 0))) {
              assertThatThrownBy(each::run)
                  .isInstanceOf(PeerFailedException.class)
                  .hasMessageContaining("to rank 0, which freed its memory of window");
            }
          }
          comm.barrier();
          window.unlockAll();
          if (comm.rank() == 0) {
            assertThatThrownBy(window::fence)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("rank 0 of 2")
                .hasMessageContaining("was freed");
          }
          window.close();
        });
  }

  @Test
  void aWindowIsNotMadeOfConfinedMemory() {
    run(
        1,
        comm -> {
          try (Arena arena = Arena.ofConfined();
              Window window = comm.dynamicWindow()) {
            MemorySegment memory = arena.allocate(8);
            assertThatThrownBy(() -> comm.window(memory))
                .isInstanceOf(WrongThreadException.class)
                .hasMessageContaining("Arena.ofShared()");
            assertThatThrownBy(() -> window.attach(memory))
                .isInstanceOf(WrongThreadException.class);
          }
        });
  }

  /** A call that blocks on two ranks; what it is given may be freed by another thread meanwhile. */
  interface Blocking {
    void on(Communicator comm, MemorySegment out, MemorySegment in);
  }

  static List<Blocking> blockingCalls() {
    long bytes = 1 << 20;
    return List.of(
        (comm, out, in) -> {
          if (comm.rank() == 0) {
            comm.send(out, DType.I8, bytes, 1, 0);
          } else {
            comm.receive(in, DType.I8, bytes, 0, 0);
          }
        },
        (comm, out, in) -> comm.allReduce(out, in, DType.F64, bytes / 8, ReduceOp.SUM),
        (comm, out, in) -> comm.allReduce(out, in, DType.F64, 4, ReduceOp.SUM),
        (comm, out, in) -> comm.allToAll(out, in, DType.I8, bytes / 2),
        (comm, out, in) -> {
          try (Window window = comm.allocateWindow(bytes)) {
            window.fence();
            window.accumulate(out, DType.F64, bytes / 8, 1 - comm.rank(), 0, ReduceOp.SUM);
            window.put(out, DType.I8, bytes, 1 - comm.rank(), 0);
            window.fence();
          }
        });
  }

  @ParameterizedTest
  @MethodSource("blockingCalls")
  void aCloseThatRacesWithACallFailsOneOfThem(Blocking call) {
    Random random = new Random(5);
    for (int round = 0; round < 60; round++) {
      int closer = random.nextInt(2);
      int delay = random.nextInt(3000);
      Callable<Void> racing =
          () -> {
            run(
                2,
                comm -> {
                  Arena arena = Arena.ofShared();
                  MemorySegment out = arena.allocate(1 << 20, 64);
                  MemorySegment in = arena.allocate(1 << 20, 64);
                  Thread closing =
                      Thread.ofPlatform()
                          .unstarted(
                              () -> {
                                for (int i = 0; i < delay; i++) {
                                  Thread.onSpinWait();
                                }
                                while (arena.scope().isAlive()) {
                                  // The JDK refuses it while a loop of Rialto holds the memory.
                                  var _ = catchThrowable(arena::close);
                                }
                              });
                  comm.barrier();
                  try {
                    if (comm.rank() == closer) {
                      closing.start();
                    }
                    call.on(comm, out, in);
                  } finally {
                    closing.join();
                  }
                });
            return null;
          };
      Throwable thrown = catchThrowable(racing::call);
      if (thrown != null) {
        assertThat(thrown).isInstanceOf(CommunicationException.class);
        // The call of the rank that closes may be over when its peer misses the memory.
        assertThat(thrown.getCause())
            .isInstanceOfAny(IllegalStateException.class, PeerFailedException.class);
      }
    }
  }
}
