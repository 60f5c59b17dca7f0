package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.DeadlockException;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.error.TimeoutException;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.run.NotRun;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Worlds: how ranks run, fail and are told of deadlocks. */
@Requires(Capability.POINT_TO_POINT)
public final class WorldTck extends CommunicationTck {
  private int most() {
    return Collections.max(rankCounts());
  }

  private boolean ranksAreThreads() {
    return backend().launcher().isEmpty();
  }

  @Requirement(
      id = "WORLD-001",
      text = "A world runs a body once on each rank, and can do so again.")
  void runRunsOnEachRank() {
    try (World world = open(most())) {
      assertEquals(most(), world.size());
      for (int round = 0; round < 3; round++) {
        Set<Integer> ran = Collections.synchronizedSet(new HashSet<>());
        world.run(
            comm -> {
              assertEquals(world.size(), comm.size());
              assertTrue(ran.add(comm.rank()), () -> "rank " + comm.rank() + " ran twice");
              meet(comm);
            });
        assertTrue(!ranksAreThreads() || ran.size() == world.size(), () -> "only " + ran + " ran");
      }
    }
  }

  @Requirement(
      id = "WORLD-002",
      text = "A call returns what the ranks of this process returned, in rank order.")
  void callReturnsInRankOrder() {
    try (World world = open(most())) {
      List<Integer> returned =
          world.call(
              comm -> {
                Thread.sleep(world.size() - comm.rank());
                return comm.rank();
              });
      assertEquals(returned.stream().sorted().distinct().toList(), returned);
      assertEquals(ranksAreThreads() ? world.size() : 1, returned.size());
    }
  }

  @Requirement(
      id = "WORLD-003",
      text = "A world that is running, or is closed, refuses to run; closing again does nothing.")
  void worldsRunOneBodyAtATime() {
    World world = open(most());
    world.run(_ -> assertThrows(IllegalStateException.class, () -> world.run(_ -> {})));
    world.close();
    world.close();
    assertThrows(IllegalStateException.class, () -> world.run(_ -> {}));
    assertThrows(IllegalStateException.class, () -> world.call(Communicator::rank));
  }

  @Requirement(
      id = "WORLD-004",
      text = "A rank's failure, of whatever kind, is the cause of what run throws.")
  void failuresAreTheCause() {
    if (!ranksAreThreads()) {
      throw new NotRun("a process that fails ends its rank");
    }
    List<Throwable> failures =
        List.of(
            new IllegalArgumentException("unchecked"),
            new IOException("checked"),
            new StackOverflowError("error"));
    for (Throwable failure : failures) {
      for (int ranks : rankCounts()) {
        try (World world = open(ranks)) {
          CommunicationException thrown =
              assertThrows(
                  CommunicationException.class,
                  () ->
                      world.run(
                          comm -> {
                            if (comm.rank() == last(comm)) {
                              WorldTck.<RuntimeException>sneak(failure);
                            }
                            comm.receive(MemorySegment.NULL, DType.I8, 0, last(comm), 0);
                          }));
          assertSame(failure, thrown.getCause(), () -> "the cause of " + thrown);
        }
      }
    }
  }

  @SuppressWarnings("unchecked") // The cast is erased: that is how a checked exception gets out.
  private static <E extends Throwable> void sneak(Throwable failure) throws E {
    throw (E) failure;
  }

  @Requirement(
      id = "WORLD-005",
      text = "What other ranks threw for reasons of their own is suppressed in what run throws.")
  void otherFailuresAreSuppressed() {
    if (!ranksAreThreads()) {
      throw new NotRun("a process that fails ends its rank");
    }
    try (World world = openSeveral()) {
      ConcurrentLinkedQueue<Throwable> own = new ConcurrentLinkedQueue<>();
      CommunicationException thrown =
          assertThrows(
              CommunicationException.class,
              () ->
                  world.run(
                      comm -> {
                        meet(comm);
                        if (comm.rank() < 2) {
                          RuntimeException mine = new ArithmeticException("rank " + comm.rank());
                          own.add(mine);
                          throw mine;
                        }
                        comm.receive(MemorySegment.NULL, DType.I8, 0, 0, 0);
                      }));
      Throwable cause = thrown.getCause();
      Set<Throwable> told = new HashSet<>();
      told.add(cause);
      told.addAll(List.of(thrown.getSuppressed()));
      if (cause != null) {
        told.addAll(List.of(cause.getSuppressed()));
      }
      assertEquals(new HashSet<>(own), told);
    }
  }

  @Requirement(
      id = "WORLD-006",
      text = "A world that has failed refuses to run and can only be closed.")
  void failedWorldsOnlyClose() {
    if (!ranksAreThreads()) {
      throw new NotRun("a process that fails ends its rank");
    }
    World world = open(most());
    assertThrows(
        CommunicationException.class,
        () ->
            world.run(
                comm -> {
                  throw new IOException("rank " + comm.rank());
                }));
    assertThrows(IllegalStateException.class, () -> world.run(_ -> {}));
    world.close();
    world.close();
  }

  @Requirement(
      id = "WORLD-016",
      text = "A peer's failure is named: its message, or its cause, tells what happened.")
  void peerFailuresAreNamed() {
    if (!ranksAreThreads()) {
      throw new NotRun("a process that is killed cannot tell why");
    }
    try (World world = openSeveral()) {
      ConcurrentLinkedQueue<PeerFailedException> seen = new ConcurrentLinkedQueue<>();
      assertThrows(
          CommunicationException.class,
          () ->
              world.run(
                  comm -> {
                    if (comm.rank() == 0) {
                      throw new ArithmeticException("the reactor is too hot");
                    }
                    seen.add(
                        assertThrows(
                            PeerFailedException.class,
                            () -> comm.receive(MemorySegment.NULL, DType.I8, 0, 0, 0)));
                  }));
      assertEquals(world.size() - 1, seen.size());
      seen.forEach(e -> assertTrue(tells(e, "the reactor is too hot"), () -> "not told: " + e));
    }
  }

  private static boolean tells(Throwable failure, String words) {
    return Stream.iterate(
            Optional.of(failure), Optional::isPresent, e -> e.map(Throwable::getCause))
        .anyMatch(e -> String.valueOf(e.orElseThrow().getMessage()).contains(words));
  }

  @Requirement(
      id = "WORLD-017",
      text =
          "An abort ends the world: what waits or is begun on any rank fails with"
              + " PeerFailedException that gives the reason.")
  void abortEndsTheWorld() {
    if (!ranksAreThreads()) {
      throw new NotRun("abort may end the processes of the ranks");
    }
    World world = openSeveral();
    ConcurrentLinkedQueue<PeerFailedException> seen = new ConcurrentLinkedQueue<>();
    try {
      world.run(
          comm -> {
            if (comm.rank() == 0) {
              Thread.sleep(A_WHILE);
              comm.abort("the user pressed stop");
            }
            for (int i = 0; i < 2; i++) {
              seen.add(
                  assertThrows(
                      PeerFailedException.class,
                      () -> comm.receive(MemorySegment.NULL, DType.I8, 0, last(comm), 5)));
            }
          });
    } catch (CommunicationException e) {
      assertTrue(tells(e, "the user pressed stop"), () -> "not told: " + e);
    } finally {
      world.close();
    }
    assertEquals(2 * world.size(), seen.size(), "failed receives");
    seen.forEach(e -> assertTrue(tells(e, "the user pressed stop"), () -> "not told: " + e));
  }

  @Requirement(
      id = "WORLD-018",
      text = "Ranks that all wait for one another get DeadlockException, which names every rank.",
      capability = Capability.DEADLOCK_DETECTION)
  void deadlocksAreTold() {
    deadlock(comm -> comm.receive(MemorySegment.NULL, DType.I8, 0, next(comm), 0));
  }

  @Requirement(
      id = "WORLD-019",
      text = "A deadlock of different operations is told too.",
      capability = {Capability.COLLECTIVES, Capability.DEADLOCK_DETECTION})
  void mixedDeadlocksAreTold() {
    deadlock(
        comm -> {
          if (comm.rank() == last(comm)) {
            comm.receive(MemorySegment.NULL, DType.I8, 0, comm.rank(), 0);
          }
          comm.barrier();
        });
  }

  private void deadlock(World.RankBody waits) {
    int ranks = most();
    try (World world = open(ranks)) {
      CommunicationException thrown =
          assertThrows(CommunicationException.class, () -> world.run(waits));
      List<Throwable> chain = new ArrayList<>();
      for (Throwable e = thrown; e != null; e = e.getCause()) {
        chain.add(e);
      }
      String told =
          chain.stream()
              .filter(DeadlockException.class::isInstance)
              .findFirst()
              .map(Throwable::getMessage)
              .orElseThrow(() -> new AssertionError("no DeadlockException in " + thrown, thrown));
      List<Integer> missing =
          IntStream.range(0, ranks)
              .filter(rank -> !told.matches("(?s).*\\brank " + rank + "\\b.*"))
              .boxed()
              .toList();
      assertEquals(List.of(), missing, () -> "ranks not named in: " + told);
    }
  }

  @Requirement(
      id = "WORLD-020",
      text = "Waiting for a rank that computes, sleeps or waits with a limit is no deadlock.",
      capability = {Capability.NON_BLOCKING, Capability.DEADLOCK_DETECTION})
  void slowRanksAreNoDeadlock() {
    onPair(
        (comm, memory) -> {
          Thread.sleep(Duration.ofMillis(120));
          comm.send(memory.longs(1), DType.I64, 1, last(comm), 0);
          var never = comm.ireceive(memory.blank(8), DType.I64, 1, last(comm), 1);
          assertThrows(TimeoutException.class, () -> never.await(Duration.ofMillis(120)));
          comm.send(memory.longs(1), DType.I64, 1, last(comm), 0);
          comm.send(memory.longs(1), DType.I64, 1, last(comm), 0);
          never.await();
        },
        (comm, memory) -> {
          MemorySegment buffer = memory.blank(8);
          for (int i = 0; i < 3; i++) {
            comm.receive(buffer, DType.I64, 1, 0, 0);
          }
          comm.send(buffer, DType.I64, 1, 0, 1);
        });
  }

  @Requirement(
      id = "WORLD-021",
      text = "A negative number of ranks is refused; 0 is one rank where nothing was launched.")
  void numbersOfRanksAreChecked() {
    refuses(IllegalArgumentException.class, -1, () -> backend().openWorld(-1));
    if (ranksAreThreads()) {
      try (World world = backend().openWorld(0)) {
        assertEquals(1, world.size());
      }
    }
  }
}
