package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.generated.Kind;
import dev.rialto.tck.generated.Step.Form;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Topologies: every kind of graph, and exchanges along it in every form. */
@Requires(Capability.NEIGHBORHOODS)
public final class NeighborhoodsTck extends CommunicationTck {
  @Requirement(
      id = "NBR-001",
      text = "A topology tells its sources and targets as given, in fresh arrays.")
  void neighboursAreTold(Communicator comm) {
    // Each rank lists all, itself twice: those it receives from backwards.
    int[] up = IntStream.rangeClosed(0, comm.size()).map(i -> i % comm.size()).toArray();
    int[] targets = rotated(up, comm.rank());
    int[] sources = rotated(up, comm.rank());
    for (int i = 0; i < sources.length / 2; i++) {
      int other = sources.length - 1 - i;
      int kept = sources[i];
      sources[i] = sources[other];
      sources[other] = kept;
    }
    int[] wantedSources = sources.clone();
    int[] wantedTargets = targets.clone();
    try (Topology topology = comm.topology(sources, targets)) {
      Arrays.fill(sources, 99);
      Arrays.fill(targets, 99);
      Arrays.fill(topology.sources(), 77);
      Arrays.fill(topology.targets(), 77);
      assertArrayEquals(wantedSources, topology.sources());
      assertArrayEquals(wantedTargets, topology.targets());
    }
  }

  /** Returns ranks counted from another one than rank 0, round the ring. */
  private static int[] rotated(int[] ranks, int by) {
    return Arrays.stream(ranks).map(rank -> (rank + by) % (ranks.length - 1)).toArray();
  }

  @Requirement(
      id = "NBR-002",
      with = "NEIGHBOR_ALL_GATHER",
      text = "An allGather along a topology sends the same elements to every target, of any graph.")
  @Requirement(
      id = "NBR-003",
      with = "NEIGHBOR_ALL_GATHER_V",
      text = "An allGatherV along a topology sends blocks of each sender's length; gaps are left.")
  @Requirement(
      id = "NBR-004",
      with = "NEIGHBOR_ALL_TO_ALL",
      text =
          "An allToAll along a topology sends block i to target i; of several edges between two"
              + " ranks the k-th at the sender is the k-th at the receiver.")
  @Requirement(
      id = "NBR-005",
      with = "NEIGHBOR_ALL_TO_ALL_V",
      text =
          "An allToAllV along a topology sends a block of its own length, also none; gaps are"
              + " left.")
  void exchanges(Kind kind) {
    scripts(script -> script.exchanges(Form.BLOCKING, List.of(kind)));
  }

  @Requirement(
      id = "NBR-006",
      text = "Each non-blocking exchange does what its blocking form does.",
      capability = Capability.NON_BLOCKING_NEIGHBORHOODS)
  void nonBlockingForms() {
    scripts(script -> script.exchanges(Form.NON_BLOCKING, Kind.ALONG_EDGES));
  }

  @Requirement(
      id = "NBR-007",
      text = "A persistent exchange moves what the buffers hold at each start.",
      capability = Capability.PERSISTENT_NEIGHBORHOODS)
  void persistentForm() {
    scripts(script -> script.exchanges(Form.PERSISTENT, Kind.ALONG_EDGES));
  }

  @Requirement(
      id = "NBR-008",
      text = "Exchanges of several topologies may be under way and complete in any order.",
      capability = Capability.NON_BLOCKING_NEIGHBORHOODS)
  void manyAreUnderWay(Communicator comm, RankMemory memory) {
    List<Topology> topologies = new ArrayList<>();
    List<Runnable> checks = new ArrayList<>();
    for (int shift = 0; shift < comm.size() + 4; shift++) {
      int[] targets = {(comm.rank() + shift) % comm.size(), comm.rank()};
      int[] sources = {comm.rank(), Math.floorMod(comm.rank() - shift, comm.size())};
      Topology topology = comm.topology(sources, targets);
      topologies.add(topology);
      for (int round = 0; round < 2; round++) {
        long key = round;
        Blocks blocks = Blocks.uniform(sources.length, 70);
        MemorySegment mine = memory.pattern(RankMemory.key(key, comm.rank()), DType.I32, 70);
        MemorySegment received = memory.blank(DType.I32, blocks.total());
        Request request = topology.start(new Collective.AllGather(mine, received, DType.I32, 70));
        checks.add(
            () -> {
              complete(request);
              MemorySegment wanted =
                  blocks.filled(memory, DType.I32, i -> RankMemory.key(key, sources[i]));
              RankMemory.check(wanted, received, "what the neighbours sent");
            });
      }
    }
    Collections.shuffle(checks, new Random(comm.rank()));
    checks.forEach(Runnable::run);
    topologies.forEach(Topology::close);
  }

  @Requirement(
      id = "NBR-009",
      text = "Lists that do not name each edge as often at both ends are told to all ranks.",
      capability = {Capability.SPLIT, Capability.MISMATCH_DETECTION},
      ranks = 2)
  void mismatchesAreTold(Communicator comm) {
    int[] none = {};
    int[] zero = {0};
    int[] twice = {0, 0};
    boolean first = comm.rank() == 0;
    boolean last = comm.rank() == last(comm);
    CollectivesTck.mismatch(comm, c -> c.topology(none, first ? zero : none));
    CollectivesTck.mismatch(comm, c -> c.topology(last ? zero : none, none));
    CollectivesTck.mismatch(
        comm,
        c -> c.topology(last ? zero : none, first ? new int[] {last(comm), last(comm)} : none));
    CollectivesTck.mismatch(comm, c -> c.topology(first ? twice : none, first ? zero : none));
  }

  @Requirement(
      id = "NBR-010",
      text = "A neighbour that does not exist is refused with IndexOutOfBoundsException naming it.")
  void neighboursExist(Communicator comm) {
    int[] none = {};
    for (int rank : new int[] {-1, comm.size()}) {
      int[] wrong = {rank};
      Class<IndexOutOfBoundsException> beyond = IndexOutOfBoundsException.class;
      refuses(beyond, rank, () -> comm.topology(wrong, none));
      refuses(beyond, rank, () -> comm.topology(none, wrong));
    }
    comm.topology(none, none).close();
  }

  @Requirement(
      id = "NBR-011",
      text = "Counts and buffers that do not fit the neighbours are refused before anything moves.")
  void argumentsAreChecked(Communicator comm, RankMemory memory) {
    int[] self = {comm.rank(), comm.rank()};
    long[] two = {1, 1};
    long[] places = {0, 1};
    long[] three = {1, 1, 1};
    MemorySegment fits = memory.blank(16);
    MemorySegment small = memory.blank(15);
    DType type = DType.I64;
    Class<IllegalArgumentException> wrong = IllegalArgumentException.class;
    Class<IndexOutOfBoundsException> beyond = IndexOutOfBoundsException.class;
    try (Topology t = comm.topology(self, self)) {
      refuses(wrong, -1, () -> t.run(new Collective.AllToAll(fits, fits, type, -1)));
      refuses(beyond, 15, () -> t.run(new Collective.AllToAll(small, fits, type, 1)));
      refuses(beyond, 15, () -> t.run(new Collective.AllToAll(fits, small, type, 1)));
      refuses(beyond, 15, () -> t.run(new Collective.AllGather(fits, small, type, 1)));
      refuses(
          wrong,
          3,
          () -> t.run(new Collective.AllToAllV(fits, three, three, fits, two, places, type)));
      refuses(wrong, 3, () -> t.run(new Collective.AllGatherV(fits, 1, fits, three, three, type)));
      refuses(
          beyond,
          15,
          () -> t.run(new Collective.AllToAllV(fits, two, places, small, two, places, type)));
      MemorySegment out = memory.longs(comm.rank(), 7);
      t.run(new Collective.AllToAll(out, fits, type, 1));
      RankMemory.check(out, fits, "after the refusals");
    }
  }

  @Requirement(
      id = "NBR-012",
      text = "Starting a persistent exchange that is active or closed is refused.",
      capability = Capability.PERSISTENT_NEIGHBORHOODS)
  void activeExchangesCannotBeStarted(Communicator comm, RankMemory memory) {
    int[] self = {comm.rank()};
    long[] one = {1};
    long[] start = {0};
    MemorySegment in = memory.blank(8);
    try (Topology topology = comm.topology(self, self)) {
      PersistentRequest request =
          topology.prepare(
              new Collective.AllToAllV(memory.longs(5), one, start, in, one, start, DType.I64));
      request.start();
      assertThrows(IllegalStateException.class, request::start);
      request.await();
      RankMemory.check(memory.longs(5), in, "the exchange");
      request.close();
      assertThrows(IllegalStateException.class, request::start);
    }
  }

  @Requirement(id = "NBR-013", text = "Closing a topology again does nothing.")
  void closingAgainDoesNothing(Communicator comm) {
    Topology topology = comm.topology(new int[0], new int[0]);
    topology.close();
    topology.close();
  }
}
