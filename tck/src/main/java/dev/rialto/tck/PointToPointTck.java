package dev.rialto.tck;

import static dev.rialto.spi.comm.PointToPoint.ANY_SOURCE;
import static dev.rialto.spi.comm.PointToPoint.ANY_TAG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.SendMode;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.TruncationException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Messages: what arrives, which receive gets it, in which order, and when a send is done. */
public abstract class PointToPointTck extends CommunicationTck {
  private static final int CONVERSATION = 40;
  private static final long LONGEST = 70_000;

  /** One message of a random conversation, with where it belongs. */
  private record Sent(int tag, long bytes, SendMode mode, long key) {
    boolean matches(int wanted) {
      return wanted == ANY_TAG || wanted == tag;
    }
  }

  @Requirement(
      id = "P2P-001",
      text =
          "A message of any type and length arrives unchanged, with a status that names its"
              + " source, tag and length.",
      capability = Capability.POINT_TO_POINT)
  void everyTypeAndLengthArrives() {
    onPair(
        (comm, memory) -> {
          for (DType type : DType.values()) {
            for (long count : COUNTS) {
              long key = RankMemory.key(type.name().hashCode(), count);
              comm.send(memory.pattern(key, type, count), type, count, last(comm), 3);
            }
          }
          for (long length : LENGTHS) {
            comm.send(memory.pattern(length, length), DType.I8, length, last(comm), 4);
          }
        },
        (comm, memory) -> {
          for (DType type : DType.values()) {
            for (long count : COUNTS) {
              long key = RankMemory.key(type.name().hashCode(), count);
              receiveInto(memory, comm, type, count, 3, key);
            }
          }
          for (long length : LENGTHS) {
            receiveInto(memory, comm, DType.I8, length, 4, length);
          }
        });
  }

  private static void receiveInto(
      RankMemory memory, Communicator comm, DType type, long count, int tag, long key) {
    MemorySegment buffer = memory.blank(type, count);
    Status status = comm.receive(buffer, type, count, 0, tag);
    assertEquals(new Status(0, tag, type.bytes(count), false), status);
    assertEquals(count, status.count(type));
    RankMemory.check(memory.pattern(key, type, count), buffer, count + " " + type);
  }

  @Requirement(
      id = "P2P-002",
      text = "Every rank can send to every other rank.",
      capability = Capability.POINT_TO_POINT)
  void everyPairOfRanksCanTalk() {
    onRanks(
        2,
        (comm, memory) -> {
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
        });
  }

  @Requirement(
      id = "P2P-003",
      text = "A rank may send to itself.",
      capability = Capability.POINT_TO_POINT)
  void selfSendArrives() {
    onRanks(
        (comm, memory) -> {
          for (long length : LENGTHS) {
            MemorySegment sent = memory.pattern(length + comm.rank(), length);
            MemorySegment received = memory.blank(length);
            Status status =
                comm.sendReceive(
                    sent, length, comm.rank(), 1, received, length, comm.rank(), 1, DType.I8);
            assertEquals(new Status(comm.rank(), 1, length, false), status);
            RankMemory.check(sent, received, length + " bytes");
          }
        });
  }

  @Requirement(
      id = "P2P-004",
      text =
          "A rank may send to itself by a non-blocking send or receive, whichever is begun first.",
      capability = {Capability.POINT_TO_POINT, Capability.NON_BLOCKING})
  void nonBlockingSelfSendArrives() {
    onRanks(
        (comm, memory) -> {
          int me = comm.rank();
          for (long length : LENGTHS) {
            MemorySegment sent = memory.pattern(length + me, length);
            MemorySegment first = memory.blank(length);
            try (Request send = comm.isend(sent, DType.I8, length, me, 1)) {
              assertEquals(length, comm.receive(first, DType.I8, length, me, 1).bytes());
              assertEquals(Status.EMPTY, send.await());
            }
            RankMemory.check(sent, first, length + " bytes, sent first");
            MemorySegment second = memory.blank(length);
            try (Request receive = comm.ireceive(second, DType.I8, length, ANY_SOURCE, ANY_TAG)) {
              comm.send(sent, DType.I8, length, me, 2);
              assertEquals(new Status(me, 2, length, false), receive.await());
            }
            RankMemory.check(sent, second, length + " bytes, received first");
          }
        });
  }

  @Requirement(
      id = "P2P-005",
      text = "A message of no elements is sent and received in its turn, also from and into NULL.",
      capability = Capability.POINT_TO_POINT)
  void emptyMessagesTakePlace() {
    onPair(
        (comm, memory) -> {
          int to = comm.size() - 1;
          comm.send(MemorySegment.NULL, DType.F64, 0, to, 1);
          comm.send(memory.longs(11), DType.I64, 1, to, 1);
          comm.send(memory.longs(12), DType.I64, 0, to, 1);
        },
        (comm, memory) -> {
          MemorySegment buffer = memory.longs(7);
          assertEquals(new Status(0, 1, 0, false), comm.receive(buffer, DType.I64, 1, 0, 1));
          RankMemory.check(memory.longs(7), buffer, "after the empty message");
          assertEquals(8, comm.receive(buffer, DType.I64, 1, 0, 1).bytes());
          RankMemory.check(memory.longs(11), buffer, "the message between");
          assertEquals(0, comm.receive(MemorySegment.NULL, DType.I8, 0, 0, 1).bytes());
        });
  }

  @Requirement(
      id = "P2P-006",
      text = "A receive that names a tag gets the message of that tag, not an earlier one.",
      capability = {Capability.POINT_TO_POINT, Capability.NON_BLOCKING})
  void tagsSelect() {
    onPair(
        (comm, memory) -> {
          List<Request> sends = new ArrayList<>();
          for (int tag = 0; tag < 5; tag++) {
            sends.add(comm.isend(memory.longs(tag), DType.I64, 1, last(comm), tag));
          }
          comm.awaitAll(sends);
        },
        (comm, memory) -> {
          for (int tag : new int[] {3, 0, 4, 2, 1}) {
            MemorySegment buffer = memory.blank(8);
            assertEquals(tag, comm.receive(buffer, DType.I64, 1, 0, tag).tag());
            RankMemory.check(memory.longs(tag), buffer, "tag " + tag);
          }
        });
  }

  @Requirement(
      id = "P2P-007",
      text = "A receive that names a source gets that rank's message, whoever else has sent one.",
      capability = Capability.POINT_TO_POINT)
  void sourcesSelect() {
    onRanks(
        2,
        (comm, memory) -> {
          if (comm.rank() > 0) {
            comm.send(memory.longs(comm.rank()), DType.I64, 1, 0, 1);
          } else {
            for (int source = comm.size() - 1; source > 0; source--) {
              MemorySegment buffer = memory.blank(8);
              assertEquals(source, comm.receive(buffer, DType.I64, 1, source, 1).source());
              RankMemory.check(memory.longs(source), buffer, "source " + source);
            }
          }
        });
  }

  @Requirement(
      id = "P2P-008",
      text =
          "A receive from any source with any tag gets each sender's messages in the order sent,"
              + " and its status tells source and tag.",
      capability = Capability.POINT_TO_POINT)
  void wildcardsKeepEachSendersOrder() {
    int each = 12;
    onRanks(
        2,
        (comm, memory) -> {
          if (comm.rank() > 0) {
            for (int i = 0; i < each; i++) {
              long length = LENGTHS[(i * 5 + comm.rank()) % LENGTHS.length];
              comm.send(memory.pattern(length + i, length), DType.I8, length, 0, i);
            }
            return;
          }
          long longest = LENGTHS[LENGTHS.length - 1];
          MemorySegment buffer = memory.blank(longest);
          int[] next = new int[comm.size()];
          for (int i = 0; i < each * (comm.size() - 1); i++) {
            Status status = comm.receive(buffer, DType.I8, longest, ANY_SOURCE, ANY_TAG);
            int source = status.source();
            assertTrue(source > 0 && source < comm.size(), () -> "source " + source);
            assertEquals(next[source]++, status.tag(), () -> "order of rank " + source);
            long length = LENGTHS[(status.tag() * 5 + source) % LENGTHS.length];
            assertEquals(length, status.bytes());
            MemorySegment wanted = memory.pattern(length + status.tag(), length);
            RankMemory.check(wanted, buffer.asSlice(0, length), "from " + source);
          }
        });
  }

  @Requirement(
      id = "P2P-009",
      text =
          "Messages of one sender that could match the same receive are received in the order"
              + " sent, whatever their lengths and modes.",
      capability = {Capability.POINT_TO_POINT, Capability.NON_BLOCKING})
  void messagesDoNotOvertake() {
    onPair(
        (comm, memory) -> {
          List<Request> sends = new ArrayList<>();
          for (Sent sent : conversation(random())) {
            MemorySegment message = memory.pattern(sent.key(), sent.bytes());
            sends.add(
                comm.isend(
                    message, DType.I8, sent.bytes(), comm.size() - 1, sent.tag(), sent.mode()));
          }
          comm.awaitAll(sends);
        },
        (comm, memory) -> {
          Random random = random();
          List<Sent> waiting = conversation(random);
          while (!waiting.isEmpty()) {
            Sent any = waiting.get(random.nextInt(waiting.size()));
            int tag = random.nextBoolean() ? any.tag() : ANY_TAG;
            int source = random.nextBoolean() ? 0 : ANY_SOURCE;
            Sent wanted = waiting.stream().filter(m -> m.matches(tag)).findFirst().orElseThrow();
            waiting.remove(wanted);
            long room = wanted.bytes() + random.nextInt(3);
            MemorySegment buffer = memory.blank(room);
            Status status = comm.receive(buffer, DType.I8, room, source, tag);
            arrived(memory, wanted, buffer, status);
          }
        });
  }

  @Requirement(
      id = "P2P-010",
      text =
          "Receives that could match the same message get messages in the order in which they"
              + " were posted, whatever the lengths and modes.",
      capability = {Capability.POINT_TO_POINT, Capability.NON_BLOCKING})
  void receivesMatchInTheOrderPosted() {
    onPair(
        (comm, memory) -> {
          int to = comm.size() - 1;
          awaitSignal(comm, to);
          Random random = random();
          List<Integer> open = postings(random);
          while (!open.isEmpty()) {
            Sent sent = fitting(random, open);
            open.remove(/* index */ first(sent, open));
            MemorySegment message = memory.pattern(sent.key(), sent.bytes());
            comm.send(message, DType.I8, sent.bytes(), to, sent.tag(), sent.mode());
          }
        },
        (comm, memory) -> {
          Random random = random();
          List<Integer> open = postings(random);
          List<Request> receives = new ArrayList<>();
          List<MemorySegment> buffers = new ArrayList<>();
          for (int tag : open) {
            int source = receives.size() % 2 == 0 ? 0 : ANY_SOURCE;
            buffers.add(memory.blank(LONGEST));
            receives.add(comm.ireceive(buffers.getLast(), DType.I8, LONGEST, source, tag));
          }
          signal(comm, 0);
          while (!open.isEmpty()) {
            Sent sent = fitting(random, open);
            int first = first(sent, open);
            open.remove(/* index */ first);
            arrived(memory, sent, buffers.remove(first), receives.remove(first).await());
          }
        });
  }

  /** Makes the tags of receives to post. */
  private static List<Integer> postings(Random random) {
    return random
        .ints(CONVERSATION, ANY_TAG, 3)
        .boxed()
        .collect(Collectors.toCollection(ArrayList::new));
  }

  /** Makes a message that matches one of the receives that are still open. */
  private Sent fitting(Random random, List<Integer> open) {
    int tag = open.get(random.nextInt(open.size()));
    return message(random, tag == ANY_TAG ? random.nextInt(3) : tag, SendMode.values());
  }

  private static int first(Sent sent, List<Integer> open) {
    return IntStream.range(0, open.size())
        .filter(i -> sent.matches(open.get(i)))
        .findFirst()
        .orElseThrow();
  }

  /** Makes the messages of a conversation; the same on both sides. */
  private List<Sent> conversation(Random random) {
    return Stream.generate(
            () -> message(random, random.nextInt(3), SendMode.STANDARD, SendMode.SYNCHRONOUS))
        .limit(CONVERSATION)
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private Sent message(Random random, int tag, SendMode... modes) {
    long length = Math.min(LENGTHS[random.nextInt(LENGTHS.length)], LONGEST);
    SendMode mode = modes[random.nextInt(modes.length)];
    SendMode possible = has(Capability.SEND_MODES) ? mode : SendMode.STANDARD;
    return new Sent(tag, length, possible, random.nextLong());
  }

  private static void arrived(RankMemory memory, Sent sent, MemorySegment buffer, Status status) {
    assertEquals(new Status(0, sent.tag(), sent.bytes(), false), status);
    MemorySegment wanted = memory.pattern(sent.key(), sent.bytes());
    RankMemory.check(wanted, buffer.asSlice(0, sent.bytes()), sent.toString());
  }

  @Requirement(
      id = "P2P-011",
      text = "A receive takes a message shorter than its count and leaves the rest of its buffer.",
      capability = Capability.POINT_TO_POINT)
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
      id = "P2P-012",
      text =
          "A message longer than a receive fails it with TruncationException, leaves the buffer"
              + " unchanged and completes the send.",
      capability = Capability.POINT_TO_POINT)
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
            RankMemory.check(memory.blank(length + 8), buffer, "buffer of " + length);
            MemorySegment next = memory.blank(8);
            assertEquals(8, comm.receive(next, DType.I64, 1, 0, 1).bytes());
            RankMemory.check(memory.longs(length), next, "the next message");
          }
        });
  }

  @Requirement(
      id = "P2P-013",
      text = "A sendReceive whose received message is too long fails, and its send is complete.",
      capability = Capability.POINT_TO_POINT)
  void truncatedSendReceiveStillSends() {
    onRanks(
        (comm, memory) -> {
          int next = (comm.rank() + 1) % comm.size();
          int previous = (comm.rank() + comm.size() - 1) % comm.size();
          MemorySegment message = memory.pattern(3, 24);
          MemorySegment buffer = memory.blank(24);
          assertThrows(
              TruncationException.class,
              () -> comm.sendReceive(message, 3, next, 1, buffer, 2, previous, 1, DType.I64));
          RankMemory.check(memory.blank(24), buffer, "buffer");
          comm.sendReceive(message, 3, next, 1, buffer, 3, previous, 1, DType.I64);
          RankMemory.check(message, buffer, "the next message");
        });
  }

  @Requirement(
      id = "P2P-014",
      text = "Bytes are not converted: a receive of another type of the same size gets the bits.",
      capability = Capability.POINT_TO_POINT)
  void bitsAreNotConverted() {
    DType[][] pairs = {
      {DType.F64, DType.I64},
      {DType.I32, DType.F32},
      {DType.BF16, DType.F16},
      {DType.C64, DType.F64}
    };
    onPair(
        (comm, memory) -> {
          for (DType[] types : pairs) {
            comm.send(memory.pattern(5, types[0], 9), types[0], 9, last(comm), 1);
          }
        },
        (comm, memory) -> {
          for (DType[] types : pairs) {
            MemorySegment buffer = memory.blank(types[1], 9);
            assertEquals(9, comm.receive(buffer, types[1], 9, 0, 1).count(types[1]));
            RankMemory.check(memory.pattern(5, types[0], 9), buffer, types[0] + " as " + types[1]);
          }
        });
  }

  @Requirement(
      id = "P2P-015",
      text = "Tags go from 0 to maxTag, which is at least 32767 and the same on all ranks.",
      capability = Capability.POINT_TO_POINT)
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
      id = "P2P-016",
      text = "Ranks that sendReceive in a ring, in either direction, do not wait for each other.",
      capability = Capability.POINT_TO_POINT)
  void sendReceiveGoesRoundARing() {
    onRanks(
        (comm, memory) -> {
          for (int step : new int[] {1, comm.size() - 1}) {
            for (long length : LENGTHS) {
              int target = (comm.rank() + step) % comm.size();
              int source = (comm.rank() - step + comm.size()) % comm.size();
              MemorySegment buffer = memory.blank(length + 1);
              long mine = RankMemory.key(comm.rank(), length);
              Status status =
                  comm.sendReceive(
                      memory.pattern(mine, length),
                      length,
                      target,
                      comm.rank(),
                      buffer,
                      length + 1,
                      source,
                      source,
                      DType.I8);
              assertEquals(new Status(source, source, length, false), status);
              MemorySegment wanted = memory.pattern(RankMemory.key(source, length), length);
              RankMemory.check(wanted, buffer.asSlice(0, length), length + " from " + source);
            }
          }
        });
  }

  @Requirement(
      id = "P2P-017",
      text = "When a send returns its buffer may be reused; the message is not changed by that.",
      capability = Capability.POINT_TO_POINT)
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
      id = "P2P-018",
      text = "A synchronous send returns only once the receiver has begun to receive.",
      capability = {Capability.POINT_TO_POINT, Capability.SEND_MODES, Capability.PROBE})
  void synchronousSendsWaitForTheReceiver() {
    onPair(
        (comm, memory) -> {
          comm.send(memory.longs(1), DType.I64, 1, last(comm), 1, SendMode.SYNCHRONOUS);
          signal(comm, last(comm));
        },
        (comm, memory) -> {
          assertTrue(
              !within(A_WHILE, () -> comm.iprobe(0, SIGNAL).isPresent()),
              "the synchronous send returned before it was received");
          comm.receive(memory.blank(8), DType.I64, 1, 0, 1);
          awaitSignal(comm, 0);
        });
  }

  @Requirement(
      id = "P2P-019",
      text = "A non-blocking synchronous send is pending until the receiver has begun to receive.",
      capability = {Capability.POINT_TO_POINT, Capability.SEND_MODES, Capability.NON_BLOCKING})
  void synchronousRequestsStayPending() {
    long[] lengths = {0, 8, 65543};
    onPair(
        (comm, memory) -> {
          int to = comm.size() - 1;
          for (long length : lengths) {
            MemorySegment message = memory.pattern(length, length);
            try (Request send =
                comm.isend(message, DType.I8, length, to, 1, SendMode.SYNCHRONOUS)) {
              staysPending(send, "nobody has begun to receive");
              signal(comm, to);
              assertEquals(Status.EMPTY, send.await());
            }
          }
        },
        (comm, memory) -> {
          for (long length : lengths) {
            awaitSignal(comm, 0);
            MemorySegment buffer = memory.blank(length);
            comm.receive(buffer, DType.I8, length, 0, 1);
            RankMemory.check(memory.pattern(length, length), buffer, length + " bytes");
          }
        });
  }

  @Requirement(
      id = "P2P-020",
      text = "A ready send to a receive that is already posted delivers the message.",
      capability = {Capability.POINT_TO_POINT, Capability.SEND_MODES, Capability.NON_BLOCKING})
  void readySendsFindTheirReceive() {
    onPair(
        (comm, memory) -> {
          for (long length : LENGTHS) {
            awaitSignal(comm, last(comm));
            MemorySegment message = memory.pattern(length, length);
            comm.send(message, DType.I8, length, last(comm), 1, SendMode.READY);
          }
        },
        (comm, memory) -> {
          for (long length : LENGTHS) {
            MemorySegment buffer = memory.blank(length);
            try (Request receive = comm.ireceive(buffer, DType.I8, length, 0, 1)) {
              signal(comm, 0);
              assertEquals(new Status(0, 1, length, false), receive.await());
            }
            RankMemory.check(memory.pattern(length, length), buffer, length + " bytes");
          }
        });
  }

  @Requirement(
      id = "P2P-021",
      text = "Send and receive buffers may be on the Java heap, at either end or both.",
      capability = {Capability.POINT_TO_POINT, Capability.HEAP_BUFFERS})
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
      id = "P2P-022",
      text = "Several threads of a rank send and receive at the same time.",
      capability = {Capability.POINT_TO_POINT, Capability.MULTI_THREADED})
  void threadsTalkAtTheSameTime() {
    onRanks(
        2,
        (comm, memory) -> {
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
        });
  }

  @Requirement(
      id = "P2P-023",
      text = "One message may have more than 2^31-1 elements.",
      capability = {Capability.POINT_TO_POINT, Capability.LARGE_COUNTS})
  void messagesExceedTwoGigabytes() {
    long count = (1L << 31) + 17;
    if (Runtime.getRuntime().maxMemory() < 2 * count) {
      throw new NotRun("needs " + 2 * count + " bytes of direct memory; raise -Xmx");
    }
    int fewest = rankCounts().stream().filter(n -> n > 1).min(Integer::compare).orElse(2);
    long[] marks = {0, 1, 1L << 20, (1L << 30) + 1, (1L << 31) - 1, 1L << 31, count - 1};
    onPair(
        (comm, memory) -> {
          if (comm.size() == fewest) {
            MemorySegment message = memory.zeros(count);
            for (long mark : marks) {
              message.set(ValueLayout.JAVA_BYTE, mark, (byte) (mark % 97 + 1));
            }
            comm.send(message, DType.I8, count, last(comm), 1);
          }
        },
        (comm, memory) -> {
          if (comm.size() == fewest) {
            MemorySegment buffer = memory.zeros(count);
            assertEquals(count, comm.receive(buffer, DType.I8, count, 0, 1).bytes());
            for (long mark : marks) {
              byte value = buffer.get(ValueLayout.JAVA_BYTE, mark);
              assertEquals(mark % 97 + 1, value, () -> "byte " + mark);
            }
          }
        });
  }
}
