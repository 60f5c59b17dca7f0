package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.Mistake;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.reference.RankMemory;
import dev.rialto.tck.reference.Together;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.function.Executable;

/** Buffers whose memory was freed or is of another thread; see {@link CommunicationMisuseTck}. */
@Requires(Capability.POINT_TO_POINT)
public final class FreedBuffersTck extends CommunicationTck {
  private static final long[] SIZES = {64, 70_000, 3 << 20};
  private static final int REFUSED = 1;

  @Requirement(
      id = "MIS-001",
      text = "Memory that is freed while it is sent is an exception at both ends, or a message.",
      capability = Capability.NON_BLOCKING)
  void freedWhileSent() {
    needsSegments();
    onRanks(
        2,
        (comm, memory) -> {
          for (long bytes : SIZES) {
            if (comm.rank() == 0) {
              Arena arena = Arena.ofShared();
              MemorySegment message = arena.allocate(bytes);
              RankMemory.write(bytes, message);
              Request send = comm.isend(message, DType.I8, bytes, last(comm), 1);
              Mistake.free(arena);
              signal(comm, last(comm));
              Mistake.isDone("awaiting a send of freed memory", send::await);
              Mistake.isDone("closing a send of freed memory", send::close);
              Mistake.freeAtLast(arena);
            } else if (comm.rank() == last(comm)) {
              awaitSignal(comm, 0);
              MemorySegment buffer = memory.blank(bytes);
              if (Mistake.isDone(
                  "receiving freed memory", () -> comm.receive(buffer, DType.I8, bytes, 0, 1))) {
                RankMemory.check(memory.pattern(bytes, bytes), buffer, "what was received");
              }
            }
            works(comm, memory);
          }
        });
  }

  @Requirement(
      id = "MIS-002",
      text = "Memory that is freed while a message is received into it is told, or still there.",
      capability = Capability.NON_BLOCKING)
  void freedWhileReceived() {
    needsSegments();
    onRanks(
        2,
        (comm, memory) -> {
          for (long bytes : SIZES) {
            if (comm.rank() == last(comm)) {
              Arena arena = Arena.ofShared();
              Request receive = comm.ireceive(arena.allocate(bytes), DType.I8, bytes, 0, 1);
              Mistake.free(arena);
              signal(comm, 0);
              boolean freed = !arena.scope().isAlive();
              boolean done = Mistake.isDone("receiving into freed memory", receive::await);
              assertEquals(freed, !done, "received, although the memory was freed");
              Mistake.isDone("closing a receive into freed memory", receive::close);
              Mistake.freeAtLast(arena);
            } else if (comm.rank() == 0) {
              awaitSignal(comm, last(comm));
              Mistake.isDone(
                  "sending to freed memory",
                  () -> comm.send(memory.pattern(1, bytes), DType.I8, bytes, last(comm), 1));
            }
            works(comm, memory);
          }
        });
  }

  @Requirement(
      id = "MIS-003",
      text = "A persistent request whose memory was freed fails, and its peer does not hang.",
      capability = Capability.PERSISTENT)
  void freedUnderPersistentRequests() {
    needsSegments();
    onRanks(
        2,
        (comm, memory) -> {
          long bytes = 1 << 20;
          if (comm.rank() == 0) {
            Arena arena = Arena.ofShared();
            PersistentRequest send =
                comm.persistentSend(
                    arena.allocate(bytes), DType.I8, bytes, last(comm), 1, SendMode.STANDARD);
            send.start();
            send.await();
            Mistake.free(arena);
            boolean started = Mistake.isDone("starting on freed memory", send::start);
            comm.send(memory.longs(started ? 0 : REFUSED), DType.I64, 1, last(comm), 2);
            if (started) {
              Mistake.isRefused("awaiting a start on freed memory", send::await);
            }
            Mistake.isDone("closing a request of freed memory", send::close);
          } else if (comm.rank() == last(comm)) {
            MemorySegment said = memory.blank(8);
            PersistentRequest receive =
                comm.persistentReceive(memory.blank(bytes), DType.I8, bytes, 0, 1);
            receive.start();
            receive.await();
            receive.start();
            comm.receive(said, DType.I64, 1, 0, 2);
            if (said.get(ValueLayout.JAVA_LONG, 0) != REFUSED) {
              Mistake.isDone("receiving freed memory", receive::await);
            }
            Mistake.isDone("closing its receive", receive::close);
          }
          works(comm, memory);
        });
  }

  private interface Begin {
    Request begin(Communicator comm, MemorySegment send, MemorySegment receive);
  }

  @Requirement(
      id = "MIS-004",
      text = "Memory of a collective that one rank frees is told or used well; no rank hangs.",
      capability = {
        Capability.COLLECTIVES,
        Capability.NON_BLOCKING_COLLECTIVES,
        Capability.REDUCTIONS
      })
  void freedUnderCollectives() {
    needsSegments();
    long count = 30_000;
    List<Begin> all =
        List.of(
            (comm, send, receive) ->
                comm.start(new Collective.AllReduce(send, receive, DType.I64, count, ReduceOp.SUM)),
            (comm, _, receive) ->
                comm.start(new Collective.Broadcast(receive, DType.I64, count, 0)),
            (comm, send, receive) ->
                comm.start(new Collective.AllGather(send, receive, DType.I64, count / comm.size())),
            (comm, send, receive) ->
                comm.start(new Collective.AllToAll(send, receive, DType.I64, count / comm.size())),
            (comm, send, receive) ->
                comm.start(new Collective.Scan(send, receive, DType.I64, count, ReduceOp.MAX)));
    onRanks(
        2,
        (comm, memory) -> {
          for (Begin each : all) {
            Arena arena = Arena.ofShared();
            MemorySegment send = arena.allocate(8 * count, 64);
            MemorySegment receive = arena.allocate(8 * count, 64);
            if (comm.rank() == 0) {
              awaitSignal(comm, last(comm));
            }
            Request request = each.begin(comm, send, receive);
            if (comm.rank() == last(comm)) {
              Mistake.free(arena);
              signal(comm, 0);
            }
            Mistake.isDone("a collective on memory that a rank freed", request::await);
            Mistake.isDone("closing that collective", request::close);
            works(comm, memory);
            Mistake.freeAtLast(arena);
          }
        });
  }

  /** Memory that is no good as a buffer, and what is said of it. */
  private void refusedEverywhere(
      Class<? extends RuntimeException> type, Communicator comm, MemorySegment bad, String what) {
    int self = comm.rank();
    try (RankMemory memory = new RankMemory()) {
      MemorySegment good = memory.blank(64L * comm.size());
      refuse(type, what, "send", () -> comm.send(bad, DType.I64, 1, self, 1));
      refuse(type, what, "receive", () -> comm.receive(bad, DType.I64, 1, self, 1));
      refuse(
          type,
          what,
          "sendReceive",
          () -> comm.sendReceive(good, 1, self, 1, bad, 1, self, 1, DType.I64));
      if (has(Capability.NON_BLOCKING)) {
        refuse(type, what, "isend", () -> comm.isend(bad, DType.I64, 1, self, 1).close());
        refuse(type, what, "ireceive", () -> comm.ireceive(bad, DType.I64, 1, self, 1).close());
      }
      if (has(Capability.COLLECTIVES)) {
        refuse(type, what, "broadcast", () -> comm.broadcast(bad, DType.I64, 1, 0));
        refuse(type, what, "allGather", () -> comm.allGather(good, bad, DType.I64, 1));
        refuse(type, what, "allToAll", () -> comm.allToAll(bad, good, DType.I64, 1));
      }
      if (has(Capability.REDUCTIONS)) {
        refuse(type, what, "sum", () -> comm.allReduce(bad, good, DType.I64, 1, ReduceOp.SUM));
        refuse(type, what, "scan", () -> comm.scan(good, bad, DType.I64, 1, ReduceOp.SUM));
      }
    }
  }

  private static void refuse(
      Class<? extends RuntimeException> type, String what, String operation, Executable call) {
    Mistake.isRefused(type, operation + " with " + what, call);
  }

  @Requirement(
      id = "MIS-005",
      text = "Memory that is freed already is refused with IllegalStateException everywhere.")
  void freedBefore(Communicator comm, RankMemory memory) {
    Arena arena = Arena.ofShared();
    MemorySegment freed = arena.allocate(64L * comm.size());
    arena.close();
    refusedEverywhere(IllegalStateException.class, comm, freed, "memory that is freed");
    works(comm, memory);
  }

  @Requirement(
      id = "MIS-006",
      text = "Memory confined to another thread is refused with WrongThreadException everywhere.",
      capability = Capability.MULTI_THREADED)
  void confinedToAnotherThread(Communicator comm, RankMemory memory) throws Exception {
    MemorySegment mine = memory.blank(64L * comm.size());
    Together.run(
        1,
        _ -> refusedEverywhere(WrongThreadException.class, comm, mine, "memory of another thread"));
    works(comm, memory);
  }
}
