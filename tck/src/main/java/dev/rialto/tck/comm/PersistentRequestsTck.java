package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.generated.traffic.Way;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;

/** Messages that are described once and begun many times. */
@Requires({Capability.POINT_TO_POINT, Capability.PERSISTENT})
public final class PersistentRequestsTck extends CommunicationTck {
  @Requirement(
      id = "PST-001",
      text = "A persistent request moves what its buffer holds at each start.")
  void persistentRequestsRestart() {
    scripts(2, Integer.MAX_VALUE, script -> script.toNext(Way.PERSISTENT, 1));
  }

  @Requirement(
      id = "PST-002",
      text =
          "A persistent request is made inactive: test is true and await returns the empty"
              + " status, or after a completed start that start's.")
  void inactiveRequestsAreComplete() {
    onPair(
        (comm, memory) -> {
          for (int round = 0; round < 2; round++) {
            awaitSignal(comm, last(comm));
            comm.send(memory.longs(round), DType.I64, 1, last(comm), 1);
          }
        },
        (comm, memory) -> {
          try (PersistentRequest receive =
              comm.persistentReceive(memory.blank(8), DType.I64, 1, 0, 1)) {
            assertTrue(receive.test());
            assertEquals(Status.EMPTY, receive.await());
            for (int round = 0; round < 2; round++) {
              receive.start();
              staysPending(receive, "nothing was sent");
              signal(comm, 0);
              assertTrue(within(SOON, receive::test), "not complete after " + SOON);
              assertTrue(receive.test());
              assertEquals(new Status(0, 1, 8, false), receive.await());
            }
          }
        });
  }

  @Requirement(
      id = "PST-003",
      text = "Starting a persistent request that is active or closed is refused.")
  void activeRequestsCannotBeStarted() {
    onPair(
        (comm, memory) -> {
          awaitSignal(comm, last(comm));
          comm.send(memory.longs(2), DType.I64, 1, last(comm), 1);
        },
        (comm, memory) -> {
          MemorySegment buffer = memory.blank(8);
          PersistentRequest receive = comm.persistentReceive(buffer, DType.I64, 1, 0, 1);
          receive.start();
          assertThrows(IllegalStateException.class, receive::start);
          signal(comm, 0);
          receive.await();
          RankMemory.check(memory.longs(2), buffer, "after the refusal");
          receive.close();
          assertThrows(IllegalStateException.class, receive::start);
          receive.close();
        });
  }

  @Requirement(
      id = "PST-004",
      text = "Closing an active persistent send awaits it, closing a receive cancels it.",
      capability = Capability.CANCEL)
  void closingAnActiveRequestEndsIt() {
    onPair(
        (comm, memory) -> {
          awaitSignal(comm, last(comm));
          MemorySegment buffer = memory.pattern(1, 65543);
          PersistentRequest send =
              comm.persistentSend(buffer, DType.I8, 65543, last(comm), 1, SendMode.STANDARD);
          send.start();
          send.close();
          buffer.fill((byte) 0);
        },
        (comm, memory) -> {
          MemorySegment untouched = memory.blank(65543);
          PersistentRequest closed = comm.persistentReceive(untouched, DType.I8, 65543, 0, 1);
          closed.start();
          closed.close();
          signal(comm, 0);
          MemorySegment buffer = memory.blank(65543);
          comm.receive(buffer, DType.I8, 65543, 0, 1);
          RankMemory.check(memory.pattern(1, 65543), buffer, "the later receive");
          RankMemory.check(memory.blank(65543), untouched, "the closed receive");
        });
  }
}
