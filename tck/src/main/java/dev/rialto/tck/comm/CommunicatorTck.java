package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.reference.RankMemory;
import dev.rialto.tck.run.Refusals;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Communicators: who is in them, how others are made from them, and how they end. */
public final class CommunicatorTck extends CommunicationTck {
  /** The arguments of a rank to a split. */
  private record Part(int rank, int color, int key) {
    /** Returns those that end up with a rank of this color, in the order they must have. */
    static List<Integer> members(List<Part> parts, int color) {
      return parts.stream()
          .filter(part -> part.color() == color)
          .sorted(Comparator.comparingInt(Part::key).thenComparingInt(Part::rank))
          .map(Part::rank)
          .toList();
    }
  }

  /** Checks that a part consists of the given ranks of its parent, by a message round its ring. */
  private static void checkMembers(
      List<Integer> members, Communicator part, Communicator parent, RankMemory memory) {
    assertEquals(members.size(), part.size(), () -> "size of " + part.name());
    int place = members.indexOf(parent.rank());
    assertEquals(place, part.rank(), () -> "rank in " + part.name());
    assertEquals(parent.capabilities(), part.capabilities());
    int next = (place + 1) % members.size();
    int before = (place + members.size() - 1) % members.size();
    MemorySegment received = memory.blank(8);
    part.sendReceive(memory.longs(parent.rank()), 1, next, 0, received, 1, before, 0, DType.I64);
    assertEquals((long) members.get(before), received.get(ValueLayout.JAVA_LONG, 0));
  }

  @Requirement(
      id = "COMM-001",
      text = "Ranks are numbered from 0 to size() - 1, each once.",
      capability = Capability.POINT_TO_POINT)
  void ranksAreNumbered(Communicator comm, RankMemory memory) {
    assertTrue(
        comm.rank() >= 0 && comm.rank() < comm.size(),
        () -> "rank " + comm.rank() + " of " + comm.size());
    List<Integer> all = IntStream.range(0, comm.size()).boxed().toList();
    checkMembers(all, comm, comm, memory);
  }

  @Requirement(
      id = "COMM-002",
      text = "A communicator declares what its backend does, as far as it is about communication.",
      capability = Capability.POINT_TO_POINT)
  void capabilitiesAreTheBackends() {
    Set<Capability> declared =
        capabilities().stream().filter(Refusals::ofCommunicators).collect(Collectors.toSet());
    ranks(comm -> assertEquals(declared, comm.capabilities()));
  }

  @Requirement(
      id = "COMM-003",
      text = "A communicator has a name.",
      capability = Capability.POINT_TO_POINT)
  void communicatorsHaveNames() {
    ranks(comm -> assertFalse(comm.name().isBlank(), "the name is empty"));
  }

  @Requirement(
      id = "COMM-004",
      text = "A dup makes a communicator of the same ranks, in the same order.",
      capability = {Capability.POINT_TO_POINT, Capability.SPLIT})
  void duplicatesHaveTheSameRanks(Communicator comm, RankMemory memory) {
    try (Communicator copy = comm.dup();
        Communicator copyOfCopy = copy.dup()) {
      List<Integer> all = IntStream.range(0, comm.size()).boxed().toList();
      checkMembers(all, copy, comm, memory);
      checkMembers(all, copyOfCopy, comm, memory);
    }
  }

  @Requirement(
      id = "COMM-005",
      text = "A message sent on one communicator is never received on another of the same ranks.",
      capability = {Capability.POINT_TO_POINT, Capability.NON_BLOCKING, Capability.SPLIT})
  void messagesDoNotMix(Communicator comm, RankMemory memory) {
    int next = next(comm);
    int before = previous(comm);
    try (Communicator copy = comm.dup();
        Communicator other = comm.dup()) {
      MemorySegment wrong = memory.blank(8);
      MemorySegment right = memory.blank(8);
      int anySource = PointToPoint.ANY_SOURCE;
      int anyTag = PointToPoint.ANY_TAG;
      Request onComm = comm.ireceive(wrong, DType.I64, 1, anySource, anyTag);
      Request onOther = other.ireceive(wrong, DType.I64, 1, anySource, anyTag);
      Request send = copy.isend(memory.longs(1), DType.I64, 1, next, 3);
      copy.receive(right, DType.I64, 1, before, 3);
      send.await();
      RankMemory.check(memory.longs(1), right, "on the communicator it was sent on");
      assertFalse(onComm.test() || onOther.test(), "received on another communicator");
      meet(copy);
      Request first = comm.isend(memory.longs(2), DType.I64, 1, next, 3);
      Request second = other.isend(memory.longs(2), DType.I64, 1, next, 3);
      comm.awaitAll(List.of(onComm, onOther, first, second));
      List.of(onComm, onOther, send, first, second).forEach(Request::close);
    }
  }

  @Requirement(
      id = "COMM-006",
      text = "A split puts ranks of one color together, ordered by key and then by rank.",
      capability = {Capability.POINT_TO_POINT, Capability.SPLIT})
  void splitsAreOrderedByKeyAndRank(Communicator comm, RankMemory memory) {
    Random shared = random();
    for (int round = 0; round < 10; round++) {
      List<Part> parts = new ArrayList<>();
      for (int rank = 0; rank < comm.size(); rank++) {
        int color = shared.nextInt(4) - 1;
        int key = shared.nextInt(3) == 0 ? 7 : shared.nextInt();
        parts.add(new Part(rank, color, key));
      }
      Part mine = parts.get(comm.rank());
      Optional<Communicator> part = comm.split(mine.color(), mine.key());
      assertEquals(mine.color() == Communicator.NO_COLOR, part.isEmpty());
      if (part.isPresent()) {
        checkMembers(Part.members(parts, mine.color()), part.get(), comm, memory);
        part.get().close();
      }
    }
  }

  @Requirement(
      id = "COMM-007",
      text = "A split with NO_COLOR on all ranks makes nothing.",
      capability = Capability.SPLIT)
  void nobodyNeedHaveAColor() {
    ranks(comm -> assertTrue(comm.split(Communicator.NO_COLOR, 0).isEmpty()));
  }

  @Requirement(
      id = "COMM-008",
      text = "A negative color other than NO_COLOR is refused, naming it.",
      capability = Capability.SPLIT)
  void colorsAreNotNegative(Communicator comm) {
    refuses(IllegalArgumentException.class, -2, () -> comm.split(-2, 0));
    comm.split(0, 0).orElseThrow().close();
  }

  @Requirement(
      id = "COMM-009",
      text = "A part can be divided again.",
      capability = {Capability.POINT_TO_POINT, Capability.SPLIT})
  void partsCanBeDivided(Communicator comm, RankMemory memory) {
    try (Communicator half = comm.split(comm.rank() % 2, comm.rank()).orElseThrow();
        Communicator reversed = half.split(0, -half.rank()).orElseThrow()) {
      List<Integer> members =
          IntStream.range(0, comm.size())
              .filter(rank -> rank % 2 == comm.rank() % 2)
              .boxed()
              .toList();
      checkMembers(members, half, comm, memory);
      checkMembers(members.reversed(), reversed, comm, memory);
    }
  }

  @Requirement(
      id = "COMM-010",
      text = "A subgroup makes a communicator of the listed ranks in the order given, or of none.",
      capability = {Capability.POINT_TO_POINT, Capability.SPLIT})
  void subgroupsKeepTheirOrder(Communicator comm, RankMemory memory) {
    Random shared = random();
    for (int round = 0; round < 6; round++) {
      List<Integer> members = new ArrayList<>(IntStream.range(0, comm.size()).boxed().toList());
      Collections.shuffle(members, shared);
      members = members.subList(0, shared.nextInt(comm.size() + 1));
      int[] listed = members.stream().mapToInt(Integer::intValue).toArray();
      Optional<Communicator> group = comm.subgroup(listed);
      assertEquals(members.contains(comm.rank()), group.isPresent());
      if (group.isPresent()) {
        checkMembers(members, group.get(), comm, memory);
        group.get().close();
      }
    }
  }

  @Requirement(
      id = "COMM-011",
      text = "A subgroup of ranks that do not exist, or of one listed twice, is refused.",
      capability = Capability.SPLIT)
  void subgroupsAreChecked(Communicator comm) {
    refuses(IndexOutOfBoundsException.class, -1, () -> comm.subgroup(-1));
    refuses(IndexOutOfBoundsException.class, comm.size(), () -> comm.subgroup(comm.size()));
    refuses(IllegalArgumentException.class, 0, () -> comm.subgroup(0, 0));
    comm.dup().close();
  }

  @Requirement(
      id = "COMM-012",
      text = "A splitByNode makes communicators of ranks that share a node, ordered by rank.",
      capability = {Capability.POINT_TO_POINT, Capability.NODE_SPLIT})
  void nodesAreOrderedByRank(Communicator comm, RankMemory memory) {
    try (Communicator node = comm.splitByNode()) {
      assertTrue(node.size() >= 1 && node.size() <= comm.size());
      if (node.rank() + 1 < node.size()) {
        node.send(memory.longs(comm.rank()), DType.I64, 1, node.rank() + 1, 0);
      }
      if (node.rank() > 0) {
        MemorySegment before = memory.blank(8);
        node.receive(before, DType.I64, 1, node.rank() - 1, 0);
        assertTrue(before.get(ValueLayout.JAVA_LONG, 0) < comm.rank(), "not ordered by rank");
      }
    }
  }

  @Requirement(
      id = "COMM-013",
      text = "Closing the world's communicator does nothing; closing another again does nothing.",
      capability = {Capability.POINT_TO_POINT, Capability.SPLIT})
  void closingIsHarmless(Communicator comm, RankMemory memory) {
    Communicator copy = comm.dup();
    copy.close();
    copy.close();
    comm.close();
    List<Integer> all = IntStream.range(0, comm.size()).boxed().toList();
    checkMembers(all, comm, comm, memory);
  }

  @Requirement(
      id = "COMM-014",
      text =
          "Closing a communicator while requests made from it are open throws, and it is closed"
              + " all the same.",
      capability = {Capability.POINT_TO_POINT, Capability.NON_BLOCKING, Capability.SPLIT})
  void openRequestsAreReported(Communicator comm, RankMemory memory) {
    Communicator copy = comm.dup();
    copy.ireceive(memory.blank(8), DType.I64, 1, comm.rank(), 0);
    assertThrows(IllegalStateException.class, copy::close);
    assertThrows(
        IllegalStateException.class,
        () -> copy.isend(memory.longs(1), DType.I64, 1, comm.rank(), 0));
    copy.close();
  }

  @Requirement(
      id = "COMM-015",
      text =
          "Closing a communicator while windows or topologies made from it are open throws, and it"
              + " is closed all the same; they are closed after it.",
      capability = {Capability.SPLIT, Capability.WINDOWS, Capability.NEIGHBORHOODS})
  void openWindowsAndTopologiesAreReported(Communicator comm) {
    Communicator one = comm.dup();
    Window window = one.allocateWindow(8);
    assertThrows(IllegalStateException.class, one::close);
    one.close();
    Communicator other = comm.dup();
    Topology topology = other.topology(new int[0], new int[0]);
    assertThrows(IllegalStateException.class, other::close);
    assertThrows(IllegalStateException.class, other::dup);
    assertTrue(window.memory().byteSize() == 8 && topology.sources().length == 0);
    topology.close();
    window.close();
  }

  @Requirement(
      id = "COMM-016",
      text = "Communicators may be made and closed again and again.",
      capability = {Capability.POINT_TO_POINT, Capability.SPLIT},
      ranks = 2)
  void manyCommunicators(Communicator comm, RankMemory memory) {
    // A resource that runs out does so on few ranks too, where each round is short.
    int pairs = comm.size() * comm.size();
    for (int round = 600 / pairs; round > 0; round--) {
      try (Communicator part = comm.split(0, -comm.rank()).orElseThrow()) {
        assertEquals(last(comm) - comm.rank(), part.rank());
      }
    }
    List<Communicator> open = new ArrayList<>();
    for (int i = 80 / pairs; i >= 0; i--) {
      open.add(comm.dup());
    }
    List<Integer> all = IntStream.range(0, comm.size()).boxed().toList();
    for (Communicator copy : open) {
      checkMembers(all, copy, comm, memory);
    }
    open.forEach(Communicator::close);
  }
}
