package dev.rialto.local;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.rialto.local.message.Ring;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.TimeoutException;
import dev.rialto.spi.error.TruncationException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Properties of messages that go through rings and one shared memory. */
class MessagesTest {
  /** Shorter and longer than a slot, and so long that both sides copy. */
  private static final long[] LENGTHS = {8, 1000, 200_000};

  @FunctionalInterface
  private interface Body {
    void run(Communicator comm, Arena arena) throws Exception;
  }

  private static void run(int ranks, Body body) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Arena arena = Arena.ofConfined()) {
              body.run(comm, arena);
            }
          });
    }
  }

  private static MemorySegment number(Arena arena, long value) {
    return arena.allocateFrom(ValueLayout.JAVA_LONG, value);
  }

  private static long receive(Communicator comm, Arena arena, int source, int tag) {
    MemorySegment buffer = arena.allocate(8, 8);
    comm.receive(buffer, DType.I64, 1, source, tag);
    return buffer.get(ValueLayout.JAVA_LONG, 0);
  }

  @Test
  void sendsThatFindTheRingFullKeepTheirOrder() {
    run(
        2,
        (comm, arena) -> {
          int messages = 10 * Ring.SLOTS;
          if (comm.rank() == 0) {
            List<Request> requests = new ArrayList<>();
            for (int i = 0; i < messages; i++) {
              SendMode mode = i % 7 == 0 ? SendMode.SYNCHRONOUS : SendMode.STANDARD;
              requests.add(comm.isend(number(arena, i), DType.I64, 1, 1, 0, mode));
            }
            comm.send(number(arena, messages), DType.I64, 1, 1, 0);
            comm.awaitAll(requests);
          } else {
            for (int i = 0; i <= messages; i++) {
              assertThat(receive(comm, arena, 0, 0)).isEqualTo(i);
            }
          }
        });
  }

  @Test
  void aRankThatWaitsForSomethingElseMakesRoomForItsSenders() {
    run(
        2,
        (comm, arena) -> {
          int messages = 10 * Ring.SLOTS;
          for (int i = 0; comm.rank() == 0 && i < messages; i++) {
            comm.send(number(arena, i), DType.I64, 1, 1, 0);
          }
          comm.barrier();
          for (int i = 0; comm.rank() == 1 && i < messages; i++) {
            assertThat(receive(comm, arena, 0, 0)).isEqualTo(i);
          }
        });
  }

  @Test
  void aPostedReceiveIsServedWhateverItsRankWaitsFor() {
    run(
        2,
        (comm, arena) -> {
          for (long length : LENGTHS) {
            MemorySegment buffer = arena.allocate(length);
            if (comm.rank() == 0) {
              Request request = comm.ireceive(buffer, DType.I8, length, 1, 0);
              comm.barrier();
              assertThat(request.test()).isTrue();
            } else {
              comm.send(buffer, DType.I8, length, 0, 0, SendMode.SYNCHRONOUS);
              comm.barrier();
            }
          }
        });
  }

  @Test
  void aMessageTooLongFailsItsReceiveAlone() {
    run(
        2,
        (comm, arena) -> {
          for (long length : LENGTHS) {
            MemorySegment buffer = arena.allocate(length).fill((byte) (1 + comm.rank()));
            if (comm.rank() == 0) {
              comm.send(buffer, DType.I8, length, 1, 3);
              comm.send(buffer, DType.I8, length, 1, 3);
            } else {
              assertThatThrownBy(() -> comm.receive(buffer, DType.I8, length - 1, 0, 3))
                  .isInstanceOf(TruncationException.class)
                  .hasMessageContaining("message of " + length + " bytes from rank 0 with tag 3")
                  .hasMessageContaining("rank 1 of 2");
              assertThat(buffer.toArray(ValueLayout.JAVA_BYTE)).containsOnly(2);
              assertThat(comm.receive(buffer, DType.I8, length, 0, 3).bytes()).isEqualTo(length);
              assertThat(buffer.toArray(ValueLayout.JAVA_BYTE)).containsOnly(1);
            }
          }
        });
  }

  @Test
  void aCancelledSendIsNeverReceivedAndMayBeStartedAgain() {
    run(
        2,
        (comm, arena) -> {
          for (long length : LENGTHS) {
            if (comm.rank() == 0) {
              MemorySegment buffer = arena.allocate(length);
              try (PersistentRequest request =
                  comm.persistentSend(buffer, DType.I8, length, 1, 0, SendMode.SYNCHRONOUS)) {
                for (int i = 0; i < 3; i++) {
                  request.start();
                  assertThat(request.cancel()).isTrue();
                  assertThat(request.await()).isEqualTo(Status.CANCELLED);
                }
                buffer.fill((byte) 9);
                comm.barrier();
                request.start();
                assertThat(request.await()).isEqualTo(Status.EMPTY);
              }
            } else {
              comm.barrier();
              MemorySegment buffer = arena.allocate(length);
              comm.receive(buffer, DType.I8, length, 0, 0);
              assertThat(buffer.toArray(ValueLayout.JAVA_BYTE)).containsOnly(9);
            }
            comm.barrier();
            assertThat(comm.iprobe(PointToPoint.ANY_SOURCE, PointToPoint.ANY_TAG)).isEmpty();
            comm.barrier();
          }
        });
  }

  @Test
  void aSendThatIsQueuedCanBeCancelled() {
    CountDownLatch queued = new CountDownLatch(1);
    run(
        2,
        (comm, arena) -> {
          if (comm.rank() == 0) {
            List<Request> requests = new ArrayList<>();
            for (int i = 0; i < Ring.SLOTS + 3; i++) {
              requests.add(comm.isend(number(arena, i), DType.I64, 1, 1, 0));
            }
            assertThat(requests.get(Ring.SLOTS + 1).cancel()).isTrue();
            queued.countDown();
            comm.send(number(arena, -1), DType.I64, 1, 1, 1);
            comm.awaitAll(requests);
          } else {
            queued.await();
            assertThat(receive(comm, arena, 0, 1)).isEqualTo(-1);
            for (int i = 0; i < Ring.SLOTS + 3; i++) {
              if (i != Ring.SLOTS + 1) {
                assertThat(receive(comm, arena, 0, 0)).isEqualTo(i);
              }
            }
          }
        });
  }

  @Test
  void wildcardReceivesGetTheMessagesOfEachSenderInOrder() {
    int each = 2000;
    run(
        5,
        (comm, arena) -> {
          if (comm.rank() > 0) {
            MemorySegment buffer = arena.allocate(LENGTHS[1], 8);
            for (int i = 0; i < each; i++) {
              buffer.set(ValueLayout.JAVA_LONG, 0, i);
              long bytes = i % 3 == 0 ? LENGTHS[1] : 8;
              comm.send(buffer, DType.I8, bytes, 0, i % 5);
            }
            return;
          }
          long[] next = new long[comm.size()];
          MemorySegment buffer = arena.allocate(LENGTHS[1], 8);
          for (int i = 0; i < 4 * each; i++) {
            Status status =
                comm.receive(
                    buffer, DType.I8, LENGTHS[1], PointToPoint.ANY_SOURCE, PointToPoint.ANY_TAG);
            long value = buffer.get(ValueLayout.JAVA_LONG, 0);
            assertThat(value).isEqualTo(next[status.source()]++);
            assertThat(status.tag()).isEqualTo((int) (value % 5));
          }
        });
  }

  @Test
  void severalThreadsOfEachRankSendAndReceiveAtOnce() {
    int threads = 4;
    int rounds = 300;
    run(
        3,
        (comm, arena) -> {
          try (ExecutorService pool = Executors.newFixedThreadPool(2 * threads)) {
            List<Future<Long>> sums = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
              int tag = t % 2;
              sums.add(pool.submit(() -> sendAll(comm, tag, rounds)));
              sums.add(pool.submit(() -> receiveAll(comm, tag, rounds)));
            }
            long sum = 0;
            for (Future<Long> each : sums) {
              sum += get(each);
            }
            long left = (comm.rank() + 2L) % 3;
            assertThat(sum).isEqualTo(threads * (rounds * (rounds - 1L) / 2 + rounds * left * 7));
          }
        });
  }

  private static long sendAll(Communicator comm, int tag, int rounds) {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment buffer = own.allocate(LENGTHS[2], 8);
      for (int i = 0; i < rounds; i++) {
        buffer.set(ValueLayout.JAVA_LONG, 0, i + 7L * comm.rank());
        long bytes = LENGTHS[i % 10 == 0 ? i % 3 : 0];
        comm.send(buffer, DType.I8, bytes, (comm.rank() + 1) % 3, tag);
      }
      return 0;
    }
  }

  private static long receiveAll(Communicator comm, int tag, int rounds) {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment buffer = own.allocate(LENGTHS[2], 8);
      long sum = 0;
      for (int i = 0; i < rounds; i++) {
        comm.receive(buffer, DType.I8, LENGTHS[2], PointToPoint.ANY_SOURCE, tag);
        sum += buffer.get(ValueLayout.JAVA_LONG, 0);
      }
      return sum;
    }
  }

  private static long get(Future<Long> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    }
  }

  @Test
  void messagesAllocateNothingInSteadyState() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    run(
        2,
        (comm, arena) -> {
          int peer = 1 - comm.rank();
          for (long length : LENGTHS) {
            MemorySegment out = arena.allocate(length);
            MemorySegment in = arena.allocate(length);
            try (PersistentRequest send =
                    comm.persistentSend(out, DType.I8, length, peer, 1, SendMode.STANDARD);
                PersistentRequest receive = comm.persistentReceive(in, DType.I8, length, peer, 1)) {
              Runnable round =
                  () -> {
                    if (comm.rank() == 0) {
                      comm.send(out, DType.I8, length, peer, 0);
                      comm.receive(in, DType.I8, length, peer, 0);
                    } else {
                      comm.receive(in, DType.I8, length, peer, PointToPoint.ANY_TAG);
                      comm.send(out, DType.I8, length, peer, 0);
                    }
                    comm.sendReceive(out, length, peer, 2, in, length, peer, 2, DType.I8);
                    receive.start();
                    send.start();
                    receive.await();
                    send.await();
                  };
              MemorySegment most = arena.allocate(JAVA_LONG);
              for (int batch = 0;
                  batch < 20 && (batch == 0 || most.get(JAVA_LONG, 0) >= 50);
                  batch++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 50; i++) {
                  round.run();
                }
                most.set(JAVA_LONG, 0, threads.getCurrentThreadAllocatedBytes() - before);
                comm.allReduce(most, most, DType.I64, 1, ReduceOp.MAX);
              }
              assertThat(most.get(JAVA_LONG, 0))
                  .as("bytes for 50 rounds of %s bytes", length)
                  .isLessThan(50);
            }
          }
        });
  }

  @Test
  void memoryThatTheCallerMayNotUseIsRefusedBeforeAnythingMoves() {
    MemorySegment closed;
    try (Arena arena = Arena.ofShared()) {
      closed = arena.allocate(LENGTHS[1]);
    }
    run(
        1,
        (comm, arena) -> {
          assertThatIllegalStateException()
              .isThrownBy(() -> comm.isend(closed, DType.I8, LENGTHS[1], 0, 0))
              .withMessageContaining("closed");
          assertThatIllegalStateException()
              .isThrownBy(() -> comm.receive(closed, DType.I8, 8, 0, 0));
          Thread other =
              Thread.ofPlatform()
                  .start(
                      () ->
                          assertThatThrownBy(() -> comm.isend(arena.allocate(8), DType.I8, 8, 0, 0))
                              .isInstanceOf(WrongThreadException.class));
          other.join();
        });
  }

  @Test
  void aWaitThatTimesOutLeavesTheRequestPending() {
    run(
        2,
        (comm, arena) -> {
          MemorySegment buffer = arena.allocate(LENGTHS[2]);
          if (comm.rank() == 0) {
            Request request = comm.isend(buffer, DType.I8, LENGTHS[2], 1, 0);
            assertThatThrownBy(() -> request.await(Duration.ofMillis(20)))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("send of 200000 bytes to rank 1, tag 0");
            assertThatThrownBy(() -> request.await(Duration.ZERO))
                .isInstanceOf(TimeoutException.class);
            comm.barrier();
            request.await(Duration.ofDays(1000_000));
          } else {
            comm.barrier();
            comm.receive(buffer, DType.I8, LENGTHS[2], 0, 0);
          }
        });
  }

  @Test
  void anInterruptedRankStopsWaiting() {
    run(
        1,
        (comm, arena) -> {
          Request request = comm.ireceive(arena.allocate(8), DType.I8, 8, 0, 0);
          Thread.currentThread().interrupt();
          assertThatThrownBy(request::await)
              .isInstanceOf(CommunicationException.class)
              .hasMessageContaining("interrupted while waiting for receive from rank 0");
          assertThat(Thread.interrupted()).isTrue();
          comm.send(arena.allocate(8), DType.I8, 8, 0, 0);
          assertThat(request.await().bytes()).isEqualTo(8);
        });
  }

  @Test
  void awaitAnySleepsUntilOneIsComplete() {
    run(
        2,
        (comm, arena) -> {
          if (comm.rank() == 0) {
            List<Request> requests =
                List.of(
                    comm.ireceive(arena.allocate(8), DType.I8, 8, 1, 0),
                    comm.ireceive(arena.allocate(8), DType.I8, 8, 1, 1));
            assertThat(comm.awaitAny(requests)).isEqualTo(1);
            assertThat(requests.get(0).cancel()).isTrue();
          } else {
            Watched.untilOthersWait(comm);
            comm.send(arena.allocate(8), DType.I8, 8, 0, 1);
          }
        });
  }

  /**
   * A sender that waits looks again and again whether it can help with the copy; it must not see
   * its new message together with the receive of the one before.
   */
  @Test
  void aSenderHelpsToFillTheReceiveThatTookTheMessage() {
    int messages = 20_000;
    long words = 5_000;
    run(
        2,
        (comm, arena) -> {
          MemorySegment buffer = arena.allocate(JAVA_LONG, words);
          if (comm.rank() == 0) {
            for (int i = 1; i <= messages; i++) {
              buffer.setAtIndex(JAVA_LONG, words - 1, i);
              comm.send(buffer, DType.I64, words, 1, 0);
            }
            return;
          }
          MemorySegment other = arena.allocate(JAVA_LONG, words);
          try (PersistentRequest kept = comm.persistentReceive(other, DType.I64, words, 0, 0)) {
            for (int i = 1; i <= messages; i += 2) {
              comm.receive(buffer, DType.I64, words, 0, 0);
              assertThat(buffer.getAtIndex(JAVA_LONG, words - 1)).isEqualTo(i);
              kept.start();
              kept.await();
              assertThat(other.getAtIndex(JAVA_LONG, words - 1)).isEqualTo(i + 1);
            }
          }
        });
  }
}
