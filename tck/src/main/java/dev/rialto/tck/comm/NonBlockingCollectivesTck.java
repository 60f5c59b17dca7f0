package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.generated.Kind;
import dev.rialto.tck.generated.Step.Form;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.function.Executable;

/** Collectives that are begun and completed later, and those described once and begun often. */
public final class NonBlockingCollectivesTck extends CommunicationTck {
  @Requirement(
      id = "NBC-001",
      text = "A barrier is complete only when all ranks have begun it.",
      capability = {Capability.NON_BLOCKING_COLLECTIVES, Capability.POINT_TO_POINT},
      ranks = 2)
  void barrierWaitsForAll(Communicator comm) {
    for (int late : new int[] {0, last(comm)}) {
      if (comm.rank() == late) {
        for (int rank = 0; rank < comm.size(); rank++) {
          if (rank != late) {
            awaitSignal(comm, rank);
          }
        }
        complete(comm.start(new Collective.Barrier()));
      } else {
        Request barrier = comm.start(new Collective.Barrier());
        staysPending(barrier, "rank " + late + " has not begun it");
        signal(comm, late);
        complete(barrier);
      }
    }
  }

  @Requirement(
      id = "NBC-002",
      with = "BROADCAST",
      text = "A broadcast that was started copies the root's elements to all ranks.",
      capability = Capability.NON_BLOCKING_COLLECTIVES)
  @Requirement(
      id = "NBC-003",
      with = {"GATHER", "GATHER_V"},
      text = "Both gather and gatherV do the same when they are started.",
      capability = Capability.NON_BLOCKING_COLLECTIVES)
  @Requirement(
      id = "NBC-004",
      with = {"SCATTER", "SCATTER_V"},
      text = "Both scatter and scatterV do the same when they are started.",
      capability = Capability.NON_BLOCKING_COLLECTIVES)
  @Requirement(
      id = "NBC-005",
      with = {"ALL_GATHER", "ALL_GATHER_V"},
      text = "Both allGather and allGatherV do the same when they are started.",
      capability = Capability.NON_BLOCKING_COLLECTIVES)
  @Requirement(
      id = "NBC-006",
      with = {"ALL_TO_ALL", "ALL_TO_ALL_V"},
      text = "Both allToAll and allToAllV do the same when they are started.",
      capability = Capability.NON_BLOCKING_COLLECTIVES)
  void moves(Kind... kinds) {
    each(Form.NON_BLOCKING, kinds);
  }

  private void each(Form form, Kind... kinds) {
    for (Kind kind : kinds) {
      scripts(script -> script.collective(kind, form));
    }
  }

  @Requirement(
      id = "NBC-007",
      text = "Several collectives may be under way; they are completed in any order on each rank.",
      capability = Capability.NON_BLOCKING_COLLECTIVES)
  void manyAreUnderWay() {
    scripts(
        script -> {
          Kind.MOVING.forEach(kind -> script.collective(kind, Form.NON_BLOCKING));
          script.shuffledFrom(0);
        });
  }

  @Requirement(
      id = "NBC-008",
      text = "Calling test again and again completes a collective, and await then returns at once.",
      capability = Capability.NON_BLOCKING_COLLECTIVES)
  void testingMakesProgress(Communicator comm, RankMemory memory) {
    MemorySegment buffer = memory.blank(1048593);
    if (comm.rank() == 0) {
      RankMemory.write(1, buffer);
    }
    Request request = comm.start(new Collective.Broadcast(buffer, DType.I8, 1048593, 0));
    assertTrue(within(SOON, request::test), "not complete after " + SOON);
    assertTrue(request.test());
    assertEquals(Status.EMPTY, request.await());
    assertEquals(Status.EMPTY, request.await());
    RankMemory.check(memory.pattern(1, 1048593), buffer, "broadcast");
  }

  @Requirement(
      id = "NBC-009",
      text = "Closing a collective that is pending awaits it.",
      capability = Capability.NON_BLOCKING_COLLECTIVES)
  void closingAwaits(Communicator comm, RankMemory memory) {
    Blocks blocks = Blocks.uniform(comm.size(), 700);
    MemorySegment all = memory.blank(DType.F64, blocks.total());
    Request request =
        comm.start(
            new Collective.AllGather(
                memory.pattern(comm.rank(), DType.F64, 700), all, DType.F64, 700));
    request.close();
    RankMemory.check(blocks.filled(memory, DType.F64, i -> i), all, "after close");
    request.close();
  }

  @Requirement(
      id = "NBC-010",
      text = "Ranks that disagree on a non-blocking collective all get MismatchException.",
      capability = {
        Capability.NON_BLOCKING_COLLECTIVES,
        Capability.SPLIT,
        Capability.MISMATCH_DETECTION
      },
      ranks = 2)
  void mismatchesAreTold(Communicator comm, RankMemory memory) {
    MemorySegment buffer = memory.blank(64);
    int odd = comm.rank() == 0 ? 1 : 0;
    for (int what = 0; what < 3; what++) {
      DType type = what == 0 && odd == 1 ? DType.F64 : DType.I64;
      int root = what == 1 ? odd : 0;
      long count = what == 2 ? 3 + odd : 3;
      try (Communicator own = comm.dup()) {
        assertThrows(
            MismatchException.class,
            () -> {
              try (Request request =
                  own.start(new Collective.Broadcast(buffer, type, count, root))) {
                request.await();
              }
            });
      }
    }
  }

  @Requirement(
      id = "NBC-011",
      text = "What is wrong with a non-blocking collective is said when it is begun.",
      capability = Capability.NON_BLOCKING_COLLECTIVES)
  void argumentsAreChecked(Communicator comm, RankMemory memory) throws Exception {
    MemorySegment buffer = memory.blank(8L * comm.size());
    MemorySegment small = memory.blank(7);
    int n = comm.size();
    DType type = DType.I64;
    List<Executable> beyond =
        List.of(
            () -> comm.start(new Collective.Broadcast(buffer, type, 1, n)),
            () -> comm.start(new Collective.Gather(buffer, buffer, type, 1, n)),
            () -> comm.start(new Collective.Scatter(buffer, buffer, type, 1, -1)),
            () -> comm.start(new Collective.Broadcast(small, type, 1, 0)),
            () -> comm.start(new Collective.AllGather(buffer, small, type, 1)),
            () -> comm.start(new Collective.AllToAll(small, buffer, type, 1)));
    for (Executable call : beyond) {
      assertThrows(IndexOutOfBoundsException.class, call);
    }
    refuses(
        IllegalArgumentException.class,
        -1,
        () -> comm.start(new Collective.AllToAll(buffer, buffer, type, -1)));
    refuses(
        IllegalArgumentException.class,
        n + 2,
        () ->
            comm.start(
                new Collective.AllGatherV(
                    buffer, 1, buffer, new long[n + 2], new long[n + 2], type)));
    script(comm, 0, script -> script.collective(Kind.ALL_GATHER, Form.NON_BLOCKING));
  }

  @Requirement(
      id = "NBC-012",
      with = "ALL_TO_ALL",
      text = "A persistent allToAll moves what the buffers hold at each start.",
      capability = Capability.PERSISTENT_COLLECTIVES)
  @Requirement(
      id = "NBC-013",
      with = "ALL_TO_ALL_V",
      text = "A persistent allToAllV moves what the buffers hold at each start.",
      capability = Capability.PERSISTENT_COLLECTIVES)
  @Requirement(
      id = "NBC-015",
      with = {"BARRIER", "BROADCAST", "GATHER", "GATHER_V", "SCATTER", "SCATTER_V"},
      text = "A persistent barrier, broadcast, gather or scatter does the same at each start.",
      capability = Capability.PERSISTENT_COLLECTIVES)
  @Requirement(
      id = "NBC-016",
      with = {"ALL_GATHER", "ALL_GATHER_V"},
      text = "A persistent allGather or allGatherV does the same at each start.",
      capability = Capability.PERSISTENT_COLLECTIVES)
  void movesAgain(Kind... kinds) {
    each(Form.PERSISTENT, kinds);
  }

  @Requirement(
      id = "NBC-014",
      text = "Starting a persistent collective that is active or closed is refused.",
      capability = Capability.PERSISTENT_COLLECTIVES)
  void activeCollectivesCannotBeStarted(Communicator comm, RankMemory memory) {
    Blocks blocks = Blocks.uniform(comm.size(), 3);
    MemorySegment out = memory.blank(DType.I64, blocks.total());
    MemorySegment in = memory.blank(DType.I64, blocks.total());
    PersistentRequest request = comm.prepare(new Collective.AllToAll(out, in, DType.I64, 3));
    for (int round = 0; round < 3; round++) {
      RankMemory.write(round, out.asSlice(0, 8));
      request.start();
      assertThrows(IllegalStateException.class, request::start);
      request.await();
    }
    RankMemory.check(
        memory.pattern(2, 8),
        comm.rank() == 0 ? in.asSlice(0, 8) : out.asSlice(0, 8),
        "the first element");
    request.close();
    assertThrows(IllegalStateException.class, request::start);
    request.close();
  }

  @Requirement(
      id = "NBC-017",
      text = "A collective that is given as a value and run does what the method of its name does.",
      capability = Capability.COLLECTIVES)
  void valuesAreRun(Communicator comm, RankMemory memory) {
    Blocks blocks = Blocks.uniform(comm.size(), 3);
    MemorySegment mine = memory.pattern(comm.rank(), DType.I64, 3);
    MemorySegment all = memory.blank(DType.I64, blocks.total());
    comm.run(new Collective.AllGather(mine, all, DType.I64, 3));
    RankMemory.check(blocks.filled(memory, DType.I64, i -> i), all, "allGather");
    comm.run(new Collective.Broadcast(mine, DType.I64, 3, 0));
    RankMemory.check(memory.pattern(0, DType.I64, 3), mine, "broadcast");
    comm.run(new Collective.Barrier());
  }
}
