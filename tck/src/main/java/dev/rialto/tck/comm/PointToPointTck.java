package dev.rialto.tck.comm;

import static dev.rialto.spi.comm.PointToPoint.ANY_SOURCE;
import static dev.rialto.spi.comm.PointToPoint.ANY_TAG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.TruncationException;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.generated.traffic.Way;
import dev.rialto.tck.reference.RankMemory;
import dev.rialto.tck.run.NotRun;
import dev.rialto.text.Machine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.function.Executable;

/** Messages: that they arrive, whatever their length and place, and what becomes of the buffers. */
@Requires(Capability.POINT_TO_POINT)
public final class PointToPointTck extends CommunicationTck {
  @Requirement(
      id = "P2P-001",
      text =
          "A message of any type and length arrives unchanged, with a status that names its"
              + " source, tag and length.")
  void everyTypeAndLengthArrives() {
    scripts(2, Integer.MAX_VALUE, script -> script.toNext(Way.IN_TURN, 1));
  }

  @Requirement(id = "P2P-002", text = "Every rank can send to every other rank.", ranks = 2)
  void everyPairOfRanksCanTalk(Communicator comm, RankMemory memory) {
    for (int from = 0; from < comm.size(); from++) {
      for (int to = 0; to < comm.size(); to++) {
        MemorySegment message = memory.longs(from, to);
        if (from != to && comm.rank() == from) {
          comm.send(message, DType.I64, 2, to, to);
        } else if (from != to && comm.rank() == to) {
          MemorySegment buffer = memory.blank(16);
          comm.receive(buffer, DType.I64, 2, from, to);
          RankMemory.check(message, buffer, "from " + from);
        }
      }
    }
  }

  @Requirement(id = "P2P-003", text = "A rank may send to itself.")
  void selfSendArrives() {
    scripts(script -> script.toNext(Way.RING, 0));
  }

  @Requirement(
      id = "P2P-004",
      text =
          "A rank may send to itself by a non-blocking send or receive, whichever is begun first.",
      capability = Capability.NON_BLOCKING)
  void nonBlockingSelfSendArrives() {
    scripts(script -> script.toNext(Way.UNEXPECTED, 0).toNext(Way.POSTED, 0));
  }

  @Requirement(
      id = "P2P-005",
      text = "A message of no elements is sent and received in its turn, also from and into NULL.")
  void emptyMessagesTakePlace() {
    onPair(
        (comm, memory) -> {
          int to = comm.size() - 1;
          comm.send(MemorySegment.NULL, DType.I64, 0, to, 1);
          comm.send(memory.longs(11), DType.I64, 1, to, 1);
          comm.send(memory.longs(12), DType.I64, 0, to, 1);
        },
        (comm, memory) -> {
          MemorySegment buffer = memory.longs(7);
          assertEquals(new Status(0, 1, 0, false), comm.receive(buffer, DType.I64, 1, 0, 1));
          RankMemory.check(memory.longs(7), buffer, "after the empty message");
          assertEquals(8, comm.receive(buffer, DType.I64, 1, 0, 1).bytes());
          RankMemory.check(memory.longs(11), buffer, "the message between");
          assertEquals(0, comm.receive(MemorySegment.NULL, DType.I64, 0, 0, 1).bytes());
        });
  }

  @Requirement(
      id = "P2P-006",
      text = "A receive takes a message shorter than its count and leaves the rest of its buffer.")
  void shorterMessagesLeaveTheRest() {
    onPair(
        (comm, memory) -> {
          for (long length : LENGTHS) {
            comm.send(memory.pattern(length, length), DType.I8, length, last(comm), 1);
          }
        },
        (comm, memory) -> {
          for (long length : LENGTHS) {
            MemorySegment wanted = memory.blank(length + 100);
            wanted.copyFrom(memory.pattern(length, length));
            MemorySegment buffer = memory.blank(length + 100);
            assertEquals(length, comm.receive(buffer, DType.I8, length + 99, 0, 1).bytes());
            RankMemory.check(wanted, buffer, length + " bytes into " + (length + 99));
          }
        });
  }

  @Requirement(
      id = "P2P-007",
      text =
          "A message longer than a receive fails it with TruncationException, completes the send"
              + " and, where declared, leaves the buffer unchanged.")
  void longerMessagesFailTheReceive() {
    onPair(
        (comm, memory) -> {
          for (long length : LENGTHS) {
            comm.send(memory.pattern(1, length + 8), DType.I8, length + 8, last(comm), 1);
            comm.send(memory.longs(length), DType.I64, 1, last(comm), 1);
          }
        },
        (comm, memory) -> {
          for (long length : LENGTHS) {
            MemorySegment buffer = memory.blank(length + 8);
            assertThrows(
                TruncationException.class, () -> comm.receive(buffer, DType.I8, length, 0, 1));
            checkTruncated(memory, buffer, "buffer of " + length);
            MemorySegment next = memory.blank(8);
            assertEquals(8, comm.receive(next, DType.I64, 1, 0, 1).bytes());
            RankMemory.check(memory.longs(length), next, "the next message");
          }
        });
  }

  @Requirement(
      id = "P2P-016",
      text = "A message that is too long leaves the buffer of its receive unchanged.",
      capability = Capability.INTACT_TRUNCATION)
  void longerMessagesLeaveTheBuffer() {
    onPair(
        (comm, memory) -> {
          for (long length : LENGTHS) {
            comm.send(memory.pattern(1, length + 8), DType.I8, length + 8, last(comm), 1);
          }
        },
        (comm, memory) -> {
          for (long length : LENGTHS) {
            MemorySegment buffer = memory.blank(length + 8);
            assertThrows(
                TruncationException.class, () -> comm.receive(buffer, DType.I8, length, 0, 1));
            RankMemory.check(memory.blank(length + 8), buffer, "buffer of " + length);
          }
        });
  }

  @Requirement(
      id = "P2P-008",
      text = "A sendReceive whose received message is too long fails, and its send is complete.")
  void truncatedSendReceiveStillSends(Communicator comm, RankMemory memory) {
    int next = next(comm);
    int previous = previous(comm);
    MemorySegment message = memory.pattern(3, 24);
    MemorySegment buffer = memory.blank(24);
    assertThrows(
        TruncationException.class,
        () -> comm.sendReceive(message, 3, next, 1, buffer, 2, previous, 1, DType.I64));
    checkTruncated(memory, buffer, "buffer");
    comm.sendReceive(message, 3, next, 1, buffer, 3, previous, 1, DType.I64);
    RankMemory.check(message, buffer, "the next message");
  }

  @Requirement(
      id = "P2P-009",
      text = "Bytes are not converted: sent and received as I8, they are the bits of any type.")
  void bitsAreNotConverted() {
    onPair(
        (comm, memory) -> {
          for (DType type : DType.values()) {
            comm.send(memory.pattern(5, type, 9), DType.I8, type.bytes(9), last(comm), 1);
            comm.send(memory.pattern(6, type, 9), type, 9, last(comm), 1);
          }
        },
        (comm, memory) -> {
          for (DType type : DType.values()) {
            MemorySegment buffer = memory.blank(type, 9);
            assertEquals(9, comm.receive(buffer, DType.I8, type.bytes(9), 0, 1).count(type));
            RankMemory.check(memory.pattern(5, type, 9), buffer, type + " as bytes");
            assertEquals(9, comm.receive(buffer, type, 9, 0, 1).count(type));
            RankMemory.check(memory.pattern(6, type, 9), buffer, type + " after bytes");
          }
        });
  }

  @Requirement(
      id = "P2P-017",
      text = "A message received as another type is told, in both types' names, and then over.",
      capability = Capability.MESSAGE_TYPES)
  void typesOfMessagesAreTold() {
    DType[][] pairs = {
      {DType.F64, DType.I64},
      {DType.I32, DType.F32},
      {DType.BF16, DType.F16},
      {DType.C64, DType.F64}
    };
    long[] lengths = {1, 20, 1000, 40_000};
    onPair(
        (comm, memory) -> {
          for (DType[] types : pairs) {
            for (long length : lengths) {
              comm.send(memory.pattern(5, types[0], length), types[0], length, last(comm), 1);
            }
          }
        },
        (comm, memory) -> {
          for (DType[] types : pairs) {
            for (long length : lengths) {
              MemorySegment buffer = memory.blank(types[1], length);
              MismatchException told =
                  assertThrows(
                      MismatchException.class,
                      () -> comm.receive(buffer, types[1], length, 0, 1),
                      () -> length + " " + types[0] + " as " + types[1]);
              String words = String.valueOf(told.getMessage());
              assertTrue(words.contains(types[0] + " from rank 0"), words);
              assertTrue(words.contains(types[1].toString()), words);
              RankMemory.check(memory.blank(types[1], length), buffer, "the buffer");
            }
          }
        });
  }

  @Requirement(
      id = "P2P-018",
      text =
          "So are messages of other types by every form of receiving, and receives of one type"
              + " pass by messages of another that come later.",
      capability = Capability.MESSAGE_TYPES)
  void everyFormOfReceivingTellsTypes() {
    long length = 50_000;
    onPair(
        (comm, memory) -> {
          MemorySegment numbers = memory.pattern(5, DType.F64, length);
          for (int form = 0; form < 4; form++) {
            comm.send(numbers, DType.F64, length, last(comm), 1);
          }
          Request late = comm.isend(numbers, DType.F64, length, last(comm), 2);
          comm.send(memory.longs(7), DType.I64, 1, last(comm), 2);
          late.await();
        },
        (comm, memory) -> {
          MemorySegment buffer = memory.blank(DType.I64, length);
          told(() -> comm.receive(buffer, DType.I64, length, 0, ANY_TAG));
          told(() -> comm.receive(buffer, DType.I8, 8 * length, ANY_SOURCE, 1));
          Layout layout = Layout.contiguous(DType.C64, length);
          told(() -> comm.ireceive(buffer, layout, 0, 1).await());
          Request polled = comm.ireceive(buffer, DType.U64, length, 0, 1);
          told(
              () -> {
                while (!polled.test()) {
                  Thread.onSpinWait();
                }
                polled.await();
              });
          comm.receive(buffer, DType.F64, length, 0, 2);
          RankMemory.check(memory.pattern(5, DType.F64, length), buffer, "the earlier message");
          assertEquals(8, comm.receive(buffer, DType.I64, 1, 0, 2).bytes());
        });
  }

  private static void told(Executable receive) {
    MismatchException told = assertThrows(MismatchException.class, receive);
    String words = String.valueOf(told.getMessage());
    assertTrue(words.contains("F64 from rank 0 with tag 1"), words);
  }

  @Requirement(
      id = "P2P-010",
      text = "Tags go from 0 to maxTag, which is at least 32767 and the same on all ranks.")
  void everyTagUpToTheLargestWorks() {
    onPair(
        (comm, memory) -> {
          comm.send(memory.longs(comm.maxTag()), DType.I64, 1, last(comm), 0);
          comm.send(MemorySegment.NULL, DType.I8, 0, comm.size() - 1, comm.maxTag());
        },
        (comm, memory) -> {
          assertTrue(comm.maxTag() >= 32767, () -> "maxTag is " + comm.maxTag());
          MemorySegment buffer = memory.blank(8);
          assertEquals(0, comm.receive(buffer, DType.I64, 1, 0, 0).tag());
          RankMemory.check(memory.longs(comm.maxTag()), buffer, "maxTag of the other rank");
          int tag = comm.maxTag();
          assertEquals(tag, comm.receive(MemorySegment.NULL, DType.I8, 0, 0, tag).tag());
        });
  }

  @Requirement(
      id = "P2P-011",
      text = "Ranks that sendReceive in a ring, in either direction, do not wait for each other.")
  void sendReceiveGoesRoundARing(Communicator comm) throws Exception {
    script(comm, 0, script -> script.toNext(Way.RING, 1).toNext(Way.RING, comm.size() - 1));
  }

  @Requirement(
      id = "P2P-012",
      text = "When a send returns its buffer may be reused; the message is not changed by that.")
  void sentBuffersMayBeReused() {
    onPair(
        (comm, memory) -> {
          for (long length : LENGTHS) {
            MemorySegment buffer = memory.pattern(length, length);
            comm.send(buffer, DType.I8, length, last(comm), 1);
            buffer.fill((byte) 0);
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
      id = "P2P-013",
      text = "Send and receive buffers may be on the Java heap, at either end or both.",
      capability = Capability.HEAP_BUFFERS)
  void heapBuffersWork() {
    onPair(
        (comm, memory) -> {
          for (long length : LENGTHS) {
            MemorySegment message = onHeap(memory.pattern(length, length));
            comm.send(message, DType.I8, length, last(comm), 1);
            comm.send(message, DType.I8, length, last(comm), 1);
            comm.send(memory.pattern(length, length), DType.I8, length, last(comm), 1);
          }
        },
        (comm, memory) -> {
          for (long length : LENGTHS) {
            MemorySegment wanted = memory.pattern(length, length);
            MemorySegment onHeap = onHeap(memory.blank(length));
            comm.receive(onHeap, DType.I8, length, 0, 1);
            RankMemory.check(wanted, onHeap, "heap to heap");
            MemorySegment offHeap = memory.blank(length);
            comm.receive(offHeap, DType.I8, length, 0, 1);
            RankMemory.check(wanted, offHeap, "heap to native");
            onHeap.fill((byte) 0);
            comm.receive(onHeap, DType.I8, length, 0, 1);
            RankMemory.check(wanted, onHeap, "native to heap");
          }
        });
  }

  @Requirement(
      id = "P2P-014",
      text = "Several threads of a rank send and receive at the same time.",
      capability = Capability.MULTI_THREADED,
      ranks = 2)
  void threadsTalkAtTheSameTime(Communicator comm, RankMemory memory) throws Exception {
    int last = comm.size() - 1;
    if (comm.rank() != 0 && comm.rank() != last) {
      return;
    }
    boolean leads = comm.rank() == 0;
    int peer = leads ? last : 0;
    onThreads(
        4,
        (thread, own) -> {
          for (int round = 0; round < 25; round++) {
            long length = LENGTHS[(round + thread) % (LENGTHS.length - 1)];
            MemorySegment message = own.pattern(RankMemory.key(thread, round), length);
            MemorySegment buffer = own.blank(length);
            if (leads) {
              comm.send(message, DType.I8, length, peer, thread);
              comm.receive(buffer, DType.I8, length, peer, thread);
            } else {
              comm.receive(buffer, DType.I8, length, peer, thread);
              comm.send(message, DType.I8, length, peer, thread);
            }
            RankMemory.check(message, buffer, "thread " + thread + ", round " + round);
          }
        });
  }

  @Requirement(
      id = "P2P-015",
      text = "One message may have more than 2^31-1 elements.",
      capability = Capability.LARGE_COUNTS)
  void messagesExceedTwoGigabytes() {
    long count = (1L << 31) + 17;
    if (Machine.current().memoryBytes() < 3 * count) {
      throw new NotRun("needs a machine with " + 3 * count + " bytes of memory");
    }
    int fewest = rankCounts().stream().filter(n -> n > 1).min(Integer::compare).orElse(2);
    long[] marks = {0, 1, 1L << 20, (1L << 30) + 1, (1L << 31) - 1, 1L << 31, count - 1};
    onPair(
        (comm, memory) -> {
          if (comm.size() == fewest) {
            MemorySegment message = memory.untouched(count);
            for (long mark : marks) {
              message.set(ValueLayout.JAVA_BYTE, mark, (byte) (mark % 97 + 1));
            }
            comm.send(message, DType.I8, count, last(comm), 1);
          }
        },
        (comm, memory) -> {
          if (comm.size() == fewest) {
            MemorySegment buffer = memory.untouched(count);
            assertEquals(count, comm.receive(buffer, DType.I8, count, 0, 1).bytes());
            for (long mark : marks) {
              byte value = buffer.get(ValueLayout.JAVA_BYTE, mark);
              assertEquals(mark % 97 + 1, value, () -> "byte " + mark);
            }
          }
        });
  }
}
