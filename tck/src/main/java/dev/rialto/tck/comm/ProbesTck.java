package dev.rialto.tck.comm;

import static dev.rialto.spi.comm.PointToPoint.ANY_SOURCE;
import static dev.rialto.spi.comm.PointToPoint.ANY_TAG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PointToPoint.Message;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.TruncationException;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** Probes: looking at a message before it is received, and taking it out of the queue. */
@Requires(Capability.POINT_TO_POINT)
public final class ProbesTck extends CommunicationTck {
  /** Numbers of elements that libraries send in one go, and after the receiver has answered. */
  private static final long[] LONGS = {1, 1 << 17};

  private static final int WAYS = 5;

  @Requirement(
      id = "PRB-001",
      text = "A probe waits for a message that matches, tells what it is and leaves it there.",
      capability = Capability.PROBE)
  void probesLeaveTheMessage() {
    onPair(
        (comm, memory) -> {
          for (long length : LENGTHS) {
            awaitSignal(comm, last(comm));
            comm.send(memory.pattern(length, length), DType.I8, length, last(comm), 5);
          }
        },
        (comm, memory) -> {
          for (long length : LENGTHS) {
            signal(comm, 0);
            Status wanted = new Status(0, 5, length, false);
            assertEquals(wanted, comm.probe(0, 5));
            assertEquals(wanted, comm.probe(ANY_SOURCE, ANY_TAG));
            assertEquals(Optional.of(wanted), comm.iprobe(0, ANY_TAG));
            MemorySegment buffer = memory.blank(length);
            assertEquals(wanted, comm.receive(buffer, DType.I8, length, 0, 5));
            RankMemory.check(memory.pattern(length, length), buffer, length + " bytes");
          }
        });
  }

  @Requirement(
      id = "PRB-002",
      text = "An iprobe finds nothing where nothing matches, and finds what was sent in the end.",
      capability = Capability.PROBE)
  void iprobeFindsWhatWasSent() {
    onPair(
        (comm, memory) -> {
          awaitSignal(comm, last(comm));
          comm.send(memory.longs(4), DType.I64, 1, last(comm), 5);
        },
        (comm, memory) -> {
          assertEquals(Optional.empty(), comm.iprobe(ANY_SOURCE, ANY_TAG));
          signal(comm, 0);
          assertTrue(within(SOON, () -> comm.iprobe(0, 5).isPresent()), "not found");
          assertEquals(Optional.empty(), comm.iprobe(0, 6));
          assertEquals(Optional.empty(), comm.iprobe(comm.rank(), 5));
          comm.receive(memory.blank(8), DType.I64, 1, 0, 5);
          assertEquals(Optional.empty(), comm.iprobe(0, 5));
        });
  }

  @Requirement(
      id = "PRB-003",
      text = "A probe sees messages in the order of a receive: the first that matches.",
      capability = {Capability.NON_BLOCKING, Capability.PROBE})
  void probesMatchAsReceivesDo() {
    onPair(
        (comm, memory) -> {
          List<Request> sends =
              List.of(
                  comm.isend(memory.longs(1), DType.I64, 1, last(comm), 1),
                  comm.isend(memory.longs(2, 2), DType.I64, 2, last(comm), 2),
                  comm.isend(memory.longs(3, 3, 3), DType.I64, 3, last(comm), 1));
          comm.awaitAll(sends);
        },
        (comm, memory) -> {
          MemorySegment buffer = memory.blank(24);
          assertEquals(new Status(0, 2, 16, false), comm.probe(0, 2));
          assertEquals(new Status(0, 1, 8, false), comm.probe(0, 1));
          assertEquals(new Status(0, 1, 8, false), comm.probe(ANY_SOURCE, ANY_TAG));
          comm.receive(buffer, DType.I64, 3, 0, 1);
          assertEquals(new Status(0, 1, 24, false), comm.probe(0, 1));
          comm.receive(buffer, DType.I64, 3, 0, 1);
          comm.receive(buffer, DType.I64, 3, 0, 2);
        });
  }

  @Requirement(
      id = "PRB-004",
      text =
          "A message that a matched probe took is received through it; no other receive gets it.",
      capability = {Capability.NON_BLOCKING, Capability.MATCHED_PROBE})
  void matchedMessagesCannotBeStolen() {
    onPair(
        (comm, memory) -> {
          for (long length : LENGTHS) {
            Request first = comm.isend(memory.pattern(1, length), DType.I8, length, last(comm), 5);
            Request second = comm.isend(memory.pattern(2, length), DType.I8, length, last(comm), 5);
            comm.awaitAll(List.of(first, second));
          }
        },
        (comm, memory) -> {
          for (long length : LENGTHS) {
            Message taken = comm.matchedProbe(ANY_SOURCE, ANY_TAG);
            assertEquals(new Status(0, 5, length, false), taken.status());
            MemorySegment buffer = memory.blank(length);
            comm.receive(buffer, DType.I8, length, 0, 5);
            RankMemory.check(memory.pattern(2, length), buffer, "the other receive");
            assertEquals(taken.status(), taken.receive(buffer, DType.I8, length));
            RankMemory.check(memory.pattern(1, length), buffer, "the message taken");
          }
        });
  }

  @Requirement(
      id = "PRB-005",
      text = "An imatchedProbe finds nothing where nothing matches, and takes what does.",
      capability = Capability.MATCHED_PROBE)
  void imatchedProbeTakesWhatWasSent() {
    onPair(
        (comm, memory) -> {
          awaitSignal(comm, last(comm));
          comm.send(memory.longs(4), DType.I64, 1, last(comm), 5);
        },
        (comm, memory) -> {
          assertEquals(Optional.empty(), comm.imatchedProbe(ANY_SOURCE, ANY_TAG));
          signal(comm, 0);
          Optional<Message> message = comm.imatchedProbe(0, 5);
          long end = System.nanoTime() + SOON.toNanos();
          while (message.isEmpty() && System.nanoTime() < end) {
            Thread.yield();
            message = comm.imatchedProbe(0, 5);
          }
          assertTrue(message.isPresent(), "not found");
          assertEquals(Optional.empty(), comm.imatchedProbe(0, 5));
          MemorySegment buffer = memory.blank(8);
          message.orElseThrow().receive(buffer, DType.I64, 1);
          RankMemory.check(memory.longs(4), buffer, "the message taken");
        });
  }

  @Requirement(
      id = "PRB-006",
      text = "A matched message is received exactly once; again is refused.",
      capability = Capability.MATCHED_PROBE)
  void matchedMessagesAreReceivedOnce() {
    onPair(
        (comm, memory) -> comm.send(memory.longs(4), DType.I64, 1, last(comm), 5),
        (comm, memory) -> {
          Message message = comm.matchedProbe(0, 5);
          MemorySegment buffer = memory.blank(8);
          message.receive(buffer, DType.I64, 1);
          assertThrows(IllegalStateException.class, () -> message.receive(buffer, DType.I64, 1));
          RankMemory.check(memory.longs(4), buffer, "the message taken");
        });
  }

  @Requirement(
      id = "PRB-007",
      text =
          "A matched message longer than its buffer fails with TruncationException, leaves the"
              + " buffer unchanged and completes the send.",
      capability = Capability.MATCHED_PROBE)
  void matchedMessagesAreTruncatedLikeOthers() {
    onPair(
        (comm, memory) -> {
          for (long length : new long[] {9, 1048593}) {
            comm.send(memory.pattern(1, length), DType.I8, length, last(comm), 5);
          }
        },
        (comm, memory) -> {
          for (long room : new long[] {8, 1048592}) {
            Message message = comm.matchedProbe(0, 5);
            MemorySegment buffer = memory.blank(room);
            assertThrows(TruncationException.class, () -> message.receive(buffer, DType.I8, room));
            RankMemory.check(memory.blank(room), buffer, "buffer of " + room);
          }
        });
  }

  @Requirement(
      id = "PRB-009",
      text =
          "A probe for a tag finds a message of any type, also after messages of other tags; taken"
              + " as another type, that is told and the buffer unchanged.",
      capability = Capability.MATCHED_PROBE)
  void probesFindMessagesOfAnyType() {
    onPair(
        (comm, memory) -> {
          comm.send(memory.longs(1), DType.I64, 1, last(comm), 5);
          for (DType type : DType.values()) {
            comm.send(memory.pattern(2, type, 3), type, 3, last(comm), 6);
            comm.send(memory.pattern(3, type, 2), type, 2, last(comm), 7);
            comm.receive(MemorySegment.NULL, DType.I8, 0, last(comm), 8);
          }
        },
        (comm, memory) -> {
          boolean told = comm.capabilities().contains(Capability.MESSAGE_TYPES);
          for (DType type : DType.values()) {
            assertEquals(type.bytes(3), comm.probe(0, 6).bytes());
            MemorySegment buffer = memory.blank(type, 3);
            comm.receive(buffer, type, 3, 0, 6);
            RankMemory.check(memory.pattern(2, type, 3), buffer, type + " found by a probe");
            Message message = comm.matchedProbe(0, 7);
            assertEquals(type.bytes(2), message.status().bytes());
            DType other = type == DType.F64 ? DType.I64 : DType.F64;
            if (told) {
              MemorySegment wrong = memory.blank(other, 32);
              assertThrows(MismatchException.class, () -> message.receive(wrong, other, 32));
              RankMemory.check(memory.blank(other, 32), wrong, "the buffer of another type");
            } else {
              message.receive(buffer, type, 3);
            }
            comm.send(MemorySegment.NULL, DType.I8, 0, 0, 8);
          }
          comm.receive(memory.blank(8), DType.I64, 1, 0, 5);
        });
  }

  @Requirement(
      id = "PRB-010",
      text =
          "A probe finds the first of several types of messages behind one of another tag; every way"
              + " to receive gets those before it and behind it in their order.",
      capability = {Capability.NON_BLOCKING, Capability.MATCHED_PROBE})
  void probesKeepOrderAcrossTypes() {
    onPair(
        (comm, memory) -> {
          for (long length : LONGS) {
            for (int way = 0; way < WAYS; way++) {
              comm.awaitAll(
                  List.of(
                      comm.isend(memory.pattern(way, length * 8), DType.I64, length, last(comm), 5),
                      comm.isend(memory.pattern(10, 12), DType.F32, 3, last(comm), 6),
                      comm.isend(memory.pattern(20, 8), DType.I32, 2, last(comm), 6),
                      comm.isend(memory.pattern(30, 8), DType.I64, 1, last(comm), 5)));
            }
          }
        },
        (comm, memory) -> {
          for (long length : LONGS) {
            for (int way = 0; way < WAYS; way++) {
              assertEquals(new Status(0, 6, 12, false), comm.probe(0, 6));
              MemorySegment first = memory.blank(length * 8);
              assertEquals(new Status(0, 5, length * 8, false), receive(comm, first, length, way));
              RankMemory.check(memory.pattern(way, length * 8), first, "the first, way " + way);
              MemorySegment buffer = memory.blank(12);
              assertEquals(12, comm.receive(buffer, DType.F32, 3, 0, 6).bytes());
              RankMemory.check(memory.pattern(10, 12), buffer, "the probed one");
              MemorySegment pair = memory.blank(8);
              assertEquals(new Status(0, 6, 8, false), comm.probe(ANY_SOURCE, 6));
              assertEquals(8, comm.receive(pair, DType.I32, 2, 0, 6).bytes());
              RankMemory.check(memory.pattern(20, 8), pair, "the other type");
              comm.receive(pair, DType.I64, 1, 0, ANY_TAG);
              RankMemory.check(memory.pattern(30, 8), pair, "the last");
            }
          }
        });
  }

  private static Status receive(Communicator comm, MemorySegment buffer, long length, int way) {
    return switch (way) {
      case 0 -> comm.receive(buffer, DType.I64, length, 0, 5);
      case 1 -> comm.receive(buffer, DType.I64, length, ANY_SOURCE, ANY_TAG);
      case 2 -> comm.matchedProbe(0, 5).receive(buffer, DType.I64, length);
      case 3 -> {
        Layout layout = Layout.contiguous(DType.I64, length);
        yield comm.ireceive(buffer, layout, 0, 5).await();
      }
      default -> {
        if (!comm.capabilities().contains(Capability.PERSISTENT)) {
          yield comm.ireceive(buffer, DType.I64, length, 0, 5).await();
        }
        try (var request = comm.persistentReceive(buffer, DType.I64, length, 0, 5)) {
          request.start();
          yield request.await();
        }
      }
    };
  }

  @Requirement(
      id = "PRB-008",
      text = "Threads that take messages by matched probe at the same time get each exactly once.",
      capability = {Capability.MATCHED_PROBE, Capability.MULTI_THREADED})
  void threadsShareMessages() {
    int threads = 3;
    int each = 20;
    onPair(
        (comm, memory) -> {
          for (int i = 0; i < threads * each; i++) {
            comm.send(memory.longs(i), DType.I64, 1, last(comm), 5);
          }
        },
        (comm, memory) -> {
          BitSet seen = new BitSet();
          onThreads(
              threads,
              (_, own) -> {
                MemorySegment buffer = own.blank(8);
                for (int i = 0; i < each; i++) {
                  comm.matchedProbe(0, 5).receive(buffer, DType.I64, 1);
                  synchronized (seen) {
                    seen.set((int) buffer.get(ValueLayout.JAVA_LONG, 0));
                  }
                }
              });
          assertEquals(threads * each, seen.cardinality(), "different messages");
        });
  }
}
