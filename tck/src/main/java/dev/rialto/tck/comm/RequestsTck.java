package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.TimeoutException;
import dev.rialto.spi.error.TruncationException;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** Requests: how operations that were begun complete, are waited for and taken back. */
@Requires({Capability.POINT_TO_POINT, Capability.NON_BLOCKING})
public final class RequestsTck extends CommunicationTck {
  @Requirement(
      id = "REQ-001",
      text = "Requests complete whatever the order in which they are awaited.")
  void requestsMayBeAwaitedInAnyOrder(Communicator comm, RankMemory memory) {
    List<Runnable> checks = new ArrayList<>();
    List<Request> sends = new ArrayList<>();
    for (int peer = 0; peer < comm.size(); peer++) {
      for (int tag = 0; tag < 4; tag++) {
        int source = peer;
        long length = LENGTHS[(tag * 4 + peer) % (LENGTHS.length - 1)];
        long out = LENGTHS[(tag * 4 + comm.rank()) % (LENGTHS.length - 1)];
        MemorySegment buffer = memory.blank(out);
        Request receive = comm.ireceive(buffer, DType.I8, out, peer, tag);
        Status wanted = new Status(peer, tag, out, false);
        long key = RankMemory.key(peer, comm.rank(), tag);
        checks.add(
            () -> {
              assertEquals(wanted, receive.await());
              RankMemory.check(memory.pattern(key, out), buffer, "from " + source);
              receive.close();
            });
        MemorySegment message = memory.pattern(RankMemory.key(comm.rank(), peer, tag), length);
        sends.add(comm.isend(message, DType.I8, length, peer, tag));
      }
    }
    Random random = random();
    Collections.shuffle(sends, random);
    Collections.shuffle(checks, random);
    checks.forEach(Runnable::run);
    comm.awaitAll(sends);
    sends.forEach(Request::close);
  }

  @Requirement(
      id = "REQ-002",
      text = "Calling test again and again suffices for completion, of sends and of receives.",
      ranks = 2)
  void testingMakesProgress(Communicator comm, RankMemory memory) {
    int peer = comm.size() - 1 - comm.rank();
    long length = peer == comm.rank() ? 0 : 1048593;
    MemorySegment buffer = memory.blank(length);
    MemorySegment message = memory.pattern(comm.rank(), length);
    Request receive = comm.ireceive(buffer, DType.I8, length, peer, 1);
    Request send = comm.isend(message, DType.I8, length, peer, 1);
    BooleanSupplier complete =
        () -> {
          boolean received = receive.test();
          return send.test() && received;
        };
    assertTrue(within(SOON, complete), "not complete after " + SOON);
    assertTrue(receive.test() && send.test(), "test did not stay true");
    RankMemory.check(memory.pattern(peer, length), buffer, "from " + peer);
  }

  @Requirement(
      id = "REQ-003",
      text = "Once complete, test stays true and await returns the same status again.")
  void completionIsRemembered() {
    onPair(
        (comm, memory) -> {
          Request send = comm.isend(memory.longs(5), DType.I64, 1, last(comm), 1);
          for (int i = 0; i < 3; i++) {
            assertEquals(Status.EMPTY, send.await());
            assertEquals(Status.EMPTY, send.await(Duration.ZERO));
            assertTrue(send.test());
          }
        },
        (comm, memory) -> {
          Request receive = comm.ireceive(memory.blank(16), DType.I64, 2, 0, 1);
          for (int i = 0; i < 3; i++) {
            assertEquals(new Status(0, 1, 8, false), receive.await());
            assertEquals(new Status(0, 1, 8, false), receive.await(Duration.ZERO));
            assertTrue(receive.test());
          }
        });
  }

  @Requirement(
      id = "REQ-004",
      text = "A failed request is complete, and each await throws its failure.")
  void failureIsRemembered() {
    onPair(
        (comm, memory) -> {
          for (long length : new long[] {9, 1048593}) {
            comm.send(memory.pattern(1, length), DType.I8, length, last(comm), 1);
          }
        },
        (comm, memory) -> {
          for (long length : new long[] {8, 1048592}) {
            MemorySegment buffer = memory.blank(length);
            Request receive = comm.ireceive(buffer, DType.I8, length, 0, 1);
            assertThrows(TruncationException.class, receive::await);
            assertTrue(receive.test());
            assertThrows(TruncationException.class, receive::await);
            assertThrows(TruncationException.class, () -> receive.await(SOON));
            checkTruncated(memory, buffer, "buffer of " + length);
            receive.close();
          }
        });
  }

  @Requirement(
      id = "REQ-005",
      text = "An await that is over its limit throws TimeoutException and the request is pending.")
  void timedOutRequestsStayPending() {
    onPair(
        (comm, memory) -> {
          awaitSignal(comm, last(comm));
          comm.send(memory.longs(6), DType.I64, 1, last(comm), 1);
        },
        (comm, memory) -> {
          MemorySegment buffer = memory.blank(8);
          Request receive = comm.ireceive(buffer, DType.I64, 1, 0, 1);
          assertThrows(TimeoutException.class, () -> receive.await(Duration.ZERO));
          long begun = System.nanoTime();
          assertThrows(TimeoutException.class, () -> receive.await(A_WHILE));
          Duration waited = Duration.ofNanos(System.nanoTime() - begun);
          assertTrue(
              waited.compareTo(A_WHILE) >= 0 && waited.compareTo(SOON) < 0,
              () -> "waited " + waited + " for " + A_WHILE);
          assertFalse(receive.test());
          signal(comm, 0);
          assertEquals(new Status(0, 1, 8, false), receive.await(SOON));
          RankMemory.check(memory.longs(6), buffer, "after the timeout");
        });
  }

  @Requirement(
      id = "REQ-006",
      text = "An awaitAll throws the first failure of the list, others suppressed, all complete.")
  void awaitAllCollectsFailures() {
    onPair(
        (comm, memory) -> {
          for (int tag : new int[] {3, 2, 1, 0}) {
            comm.send(memory.pattern(1, 8), DType.I8, 8, last(comm), tag);
          }
        },
        (comm, memory) -> {
          List<Request> receives = new ArrayList<>();
          for (int tag = 0; tag < 4; tag++) {
            long room = tag % 2 == 0 ? 8 : tag;
            receives.add(comm.ireceive(memory.blank(8), DType.I8, room, 0, tag));
          }
          CommunicationException failure =
              assertThrows(TruncationException.class, () -> comm.awaitAll(receives));
          assertEquals(
              failure.getMessage(),
              assertThrows(TruncationException.class, () -> receives.get(1).await()).getMessage());
          assertEquals(1, failure.getSuppressed().length, "suppressed failures");
          assertTrue(receives.stream().allMatch(Request::test), "not all are complete");
        });
  }

  @Requirement(
      id = "REQ-007",
      text = "An awaitAny returns the index of a request that is complete; of none it is refused.")
  void awaitAnyFindsTheCompleteOne() {
    onPair(
        (comm, memory) -> {
          for (int tag : new int[] {2, 0, 3, 1}) {
            awaitSignal(comm, last(comm));
            comm.send(memory.longs(tag), DType.I64, 1, last(comm), tag);
          }
        },
        (comm, memory) -> {
          List<Request> receives = new ArrayList<>();
          List<Integer> tags = new ArrayList<>(List.of(0, 1, 2, 3));
          for (int tag : tags) {
            receives.add(comm.ireceive(memory.blank(8), DType.I64, 1, 0, tag));
          }
          for (Integer tag : new Integer[] {2, 0, 3, 1}) {
            signal(comm, 0);
            int index = comm.awaitAny(receives);
            assertEquals(tag, tags.remove(/* index */ index));
            assertEquals(new Status(0, tag, 8, false), receives.remove(index).await(Duration.ZERO));
          }
          assertThrows(IllegalArgumentException.class, () -> comm.awaitAny(receives));
        });
  }

  @Requirement(
      id = "REQ-008",
      text = "A send is complete only when its buffer has been read, and then it may be reused.")
  void completedSendsHaveReadTheirBuffer() {
    onPair(
        (comm, memory) -> {
          for (long length : LENGTHS) {
            MemorySegment buffer = memory.pattern(length, length);
            Request send = comm.isend(buffer, DType.I8, length, last(comm), 1);
            if (length % 2 == 0) {
              send.await();
            } else {
              assertTrue(within(SOON, send::test), "not complete after " + SOON);
            }
            buffer.fill((byte) 0);
            send.close();
            signal(comm, last(comm));
          }
        },
        (comm, memory) -> {
          for (long length : LENGTHS) {
            MemorySegment buffer = memory.blank(length);
            Thread.sleep(1);
            comm.receive(buffer, DType.I8, length, 0, 1);
            RankMemory.check(memory.pattern(length, length), buffer, length + " bytes");
            awaitSignal(comm, 0);
          }
        });
  }

  @Requirement(
      id = "REQ-009",
      text = "Closing a pending send awaits it; closing a request again does nothing.")
  void closingASendAwaitsIt() {
    onPair(
        (comm, memory) -> {
          for (long length : LENGTHS) {
            MemorySegment buffer = memory.pattern(length, length);
            Request send = comm.isend(buffer, DType.I8, length, last(comm), 1);
            send.close();
            buffer.fill((byte) 0);
            send.close();
            signal(comm, last(comm));
          }
        },
        (comm, memory) -> {
          for (long length : LENGTHS) {
            MemorySegment buffer = memory.blank(length);
            Thread.sleep(1);
            Request receive = comm.ireceive(buffer, DType.I8, length, 0, 1);
            receive.await();
            receive.close();
            receive.close();
            RankMemory.check(memory.pattern(length, length), buffer, length + " bytes");
            awaitSignal(comm, 0);
          }
        });
  }

  @Requirement(
      id = "REQ-010",
      text =
          "A cancelled receive is complete with the cancelled status, leaves its buffer, and"
              + " takes no message.",
      capability = Capability.CANCEL)
  void cancelledReceivesTakeNothing() {
    onPair(
        (comm, memory) -> {
          awaitSignal(comm, last(comm));
          comm.send(memory.longs(8), DType.I64, 1, last(comm), 1);
        },
        (comm, memory) -> {
          MemorySegment untouched = memory.blank(8);
          Request receive = comm.ireceive(untouched, DType.I64, 1, 0, 1);
          assertTrue(receive.cancel(), "nothing was sent, yet cancel is false");
          assertTrue(receive.test());
          assertEquals(Status.CANCELLED, receive.await());
          assertEquals(Status.CANCELLED, receive.await());
          signal(comm, 0);
          MemorySegment buffer = memory.blank(8);
          comm.receive(buffer, DType.I64, 1, 0, 1);
          RankMemory.check(memory.longs(8), buffer, "the later receive");
          RankMemory.check(memory.blank(8), untouched, "the cancelled receive");
          receive.close();
        });
  }

  @Requirement(
      id = "REQ-011",
      text = "A receive that is complete cannot be cancelled and keeps its status.",
      capability = Capability.CANCEL)
  void completeReceivesCannotBeCancelled() {
    onPair(
        (comm, memory) -> comm.send(memory.longs(9), DType.I64, 1, last(comm), 1),
        (comm, memory) -> {
          Request receive = comm.ireceive(memory.blank(8), DType.I64, 1, 0, 1);
          receive.await();
          assertFalse(receive.cancel(), "a complete receive was cancelled");
          assertEquals(new Status(0, 1, 8, false), receive.await());
        });
  }

  @Requirement(
      id = "REQ-012",
      text = "When cancelling races with a message, the message is received once, here or later.",
      capability = Capability.CANCEL)
  void cancellingLosesNoMessage() {
    int rounds = 60;
    onPair(
        (comm, memory) -> {
          for (int round = 0; round < rounds; round++) {
            long length = LENGTHS[round % (LENGTHS.length - 1)];
            comm.send(memory.pattern(round, length), DType.I8, length, last(comm), 1);
            awaitSignal(comm, last(comm));
          }
        },
        (comm, memory) -> {
          for (int round = 0; round < rounds; round++) {
            long length = LENGTHS[round % (LENGTHS.length - 1)];
            MemorySegment buffer = memory.blank(length);
            Request receive = comm.ireceive(buffer, DType.I8, length, 0, 1);
            boolean cancelled = receive.cancel();
            Status status = receive.await();
            assertEquals(cancelled, status.cancelled());
            if (cancelled) {
              RankMemory.check(memory.blank(length), buffer, "the cancelled receive");
              status = comm.receive(buffer, DType.I8, length, 0, 1);
            }
            assertEquals(new Status(0, 1, length, false), status);
            RankMemory.check(memory.pattern(round, length), buffer, "round " + round);
            receive.close();
            signal(comm, 0);
          }
        });
  }

  @Requirement(
      id = "REQ-013",
      text = "Closing a pending receive cancels it: the message goes to another receive.",
      capability = Capability.CANCEL)
  void closingAReceiveCancelsIt() {
    onPair(
        (comm, memory) -> {
          awaitSignal(comm, last(comm));
          comm.send(memory.longs(10), DType.I64, 1, last(comm), 1);
        },
        (comm, memory) -> {
          MemorySegment untouched = memory.blank(8);
          comm.ireceive(untouched, DType.I64, 1, PointToPoint.ANY_SOURCE, 1).close();
          signal(comm, 0);
          MemorySegment buffer = memory.blank(8);
          comm.receive(buffer, DType.I64, 1, 0, 1);
          RankMemory.check(memory.longs(10), buffer, "the later receive");
          RankMemory.check(memory.blank(8), untouched, "the closed receive");
        });
  }
}
