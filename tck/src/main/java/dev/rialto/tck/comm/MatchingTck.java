package dev.rialto.tck.comm;

import static dev.rialto.spi.comm.PointToPoint.ANY_SOURCE;
import static dev.rialto.spi.comm.PointToPoint.ANY_TAG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The matching of receives and messages: order, and when the sender knows. */
@Requires(Capability.POINT_TO_POINT)
public final class MatchingTck extends CommunicationTck {
  private static final int CONVERSATION = 40;
  private static final long LONGEST = 70_000;

  /** One message of a random conversation, with where it belongs. */
  private record Sent(int tag, long bytes, SendMode mode, long key) {
    boolean matches(int wanted) {
      return wanted == ANY_TAG || wanted == tag;
    }
  }

  @Requirement(
      id = "MAT-001",
      text = "A receive that names a tag gets the message of that tag, not an earlier one.",
      capability = Capability.NON_BLOCKING)
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
      id = "MAT-002",
      text = "A receive that names a source gets that rank's message, not another's.",
      capability = Capability.NON_BLOCKING,
      ranks = 2)
  void sourcesSelect(Communicator comm, RankMemory memory) {
    if (comm.rank() > 0) {
      awaitSignal(comm, 0);
      Request send = comm.isend(memory.longs(comm.rank()), DType.I64, 1, 0, 1);
      signal(comm, 0);
      send.await();
      return;
    }
    // The last one sends when the messages of all others are there, for a receive that
    // was there before any of them.
    MemorySegment fromLast = memory.blank(8);
    Request receive = comm.ireceive(fromLast, DType.I64, 1, last(comm), 1);
    for (int source = 1; source < comm.size(); source++) {
      signal(comm, source);
      awaitSignal(comm, source);
    }
    assertEquals(last(comm), receive.await().source());
    RankMemory.check(memory.longs(last(comm)), fromLast, "source " + last(comm));
    for (int source = last(comm) - 1; source > 0; source--) {
      MemorySegment buffer = memory.blank(8);
      assertEquals(source, comm.receive(buffer, DType.I64, 1, source, 1).source());
      RankMemory.check(memory.longs(source), buffer, "source " + source);
    }
  }

  @Requirement(
      id = "MAT-003",
      text =
          "A receive from any source with any tag gets each sender's messages in the order sent,"
              + " and its status tells source and tag.",
      ranks = 2)
  void wildcardsKeepEachSendersOrder(Communicator comm, RankMemory memory) {
    int each = 12;
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
  }

  @Requirement(
      id = "MAT-004",
      text =
          "Messages of one sender that could match the same receive are received in the order"
              + " sent, whatever their lengths and modes.",
      capability = Capability.NON_BLOCKING)
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
      id = "MAT-005",
      text =
          "Receives that could match the same message get messages in the order in which they"
              + " were posted, whatever the lengths and modes.",
      capability = Capability.NON_BLOCKING)
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
      id = "MAT-006",
      text = "A synchronous send returns only once the receiver has begun to receive.",
      capability = {Capability.SEND_MODES, Capability.PROBE})
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
      id = "MAT-007",
      text = "A non-blocking synchronous send is pending until the receiver has begun to receive.",
      capability = {Capability.SEND_MODES, Capability.NON_BLOCKING})
  void synchronousRequestsStayPending() {
    long[] lengths = {0, 8, 65543};
    onPair(
        (comm, memory) -> {
          int to = comm.size() - 1;
          for (long length : lengths) {
            MemorySegment message = memory.pattern(length, length);
            try (Request send =
                comm.isend(message, DType.I8, length, to, 1, SendMode.SYNCHRONOUS)) {
              staysPending(send, "no rank has begun to receive");
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
      id = "MAT-008",
      text = "A ready send to a receive that is already posted delivers the message.",
      capability = {Capability.SEND_MODES, Capability.NON_BLOCKING})
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
}
