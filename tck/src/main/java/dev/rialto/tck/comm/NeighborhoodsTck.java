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
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/** Topologies: every kind of graph, and exchanges along it in every form. */
@Requires(Capability.NEIGHBORHOODS)
public final class NeighborhoodsTck extends CommunicationTck {
  private enum Form {
    BLOCKING,
    NON_BLOCKING,
    PERSISTENT
  }

  /** One exchange along a graph. */
  private record Exchange(Form form, Graph graph, Topology topology, int rank, RankMemory memory) {
    private long[] perSource(IntToLongFunction value) {
      return IntStream.range(0, graph.sources().get(rank).size()).mapToLong(value).toArray();
    }

    private long[] perTarget(IntToLongFunction value) {
      return IntStream.range(0, graph.targets().get(rank).size()).mapToLong(value).toArray();
    }

    private int source(int index) {
      return graph.sources().get(rank).get(index);
    }

    /** Returns how many elements a rank sends along its {@code index}-th edge: often none. */
    private static long count(int sender, int index) {
      return RankMemory.key(sender, index) % 3 == 0 ? 0 : 1 + (sender * 5L + index) % 40;
    }

    /** Does a collective in this form; the arrays it was made with are spoilt. */
    private void run(Collective.AlongEdges collective, long[]... lent) {
      switch (form) {
        case BLOCKING -> topology.run(collective);
        case NON_BLOCKING -> NonBlocking.complete(topology.start(collective), lent);
        case PERSISTENT -> {
          try (PersistentRequest request = topology.prepare(collective)) {
            Persistent.repeat(request, collective.receive(), lent);
          }
        }
      }
    }

    void allGather(DType type, long count) {
      Blocks blocks = Blocks.uniform(graph.sources().get(rank).size(), count);
      MemorySegment mine = memory.pattern(rank, type, count);
      MemorySegment received = memory.blank(type, blocks.total());
      run(new Collective.AllGather(mine, received, type, count));
      MemorySegment wanted = blocks.filled(memory, type, this::source);
      RankMemory.check(wanted, received, graph.name());
    }

    void allGatherV(DType type) {
      Blocks blocks =
          Blocks.scattered(new Random(rank), perSource(index -> count(source(index), 0)));
      MemorySegment mine = memory.pattern(rank, type, count(rank, 0));
      MemorySegment received = memory.blank(type, blocks.total());
      long[][] lent = {blocks.counts().clone(), blocks.displacements().clone()};
      run(new Collective.AllGatherV(mine, count(rank, 0), received, lent[0], lent[1], type), lent);
      MemorySegment wanted = blocks.filled(memory, type, this::source);
      RankMemory.check(wanted, received, graph.name());
    }

    /** Returns the key of the block that comes along this rank's {@code index}-th edge. */
    private long incoming(int index) {
      return RankMemory.key(source(index), graph.placeAtSender(rank, index));
    }

    private long outgoing(int index) {
      return RankMemory.key(rank, index);
    }

    void allToAll(DType type, long count) {
      Blocks out = Blocks.uniform(graph.targets().get(rank).size(), count);
      Blocks in = Blocks.uniform(graph.sources().get(rank).size(), count);
      MemorySegment sent = out.filled(memory, type, this::outgoing);
      MemorySegment received = memory.blank(type, in.total());
      run(new Collective.AllToAll(sent, received, type, count));
      MemorySegment wanted = in.filled(memory, type, this::incoming);
      RankMemory.check(wanted, received, graph.name());
    }

    void allToAllV(DType type) {
      Random random = new Random(rank);
      Blocks out = Blocks.scattered(random, perTarget(index -> count(rank, index)));
      Blocks in =
          Blocks.scattered(
              random, perSource(index -> count(source(index), graph.placeAtSender(rank, index))));
      MemorySegment sent = out.filled(memory, type, this::outgoing);
      MemorySegment received = memory.blank(type, in.total());
      long[][] lent = {
        out.counts().clone(), out.displacements().clone(),
        in.counts().clone(), in.displacements().clone()
      };
      run(new Collective.AllToAllV(sent, lent[0], lent[1], received, lent[2], lent[3], type), lent);
      MemorySegment wanted = in.filled(memory, type, this::incoming);
      RankMemory.check(wanted, received, graph.name());
    }
  }

  @FunctionalInterface
  private interface ExchangeTest {
    void run(Exchange exchange);
  }

  private void alongEveryGraph(Form form, ExchangeTest test) {
    onRanks(
        (comm, memory) -> {
          for (Graph graph : Graph.all(comm.size(), random())) {
            try (Topology topology = topology(comm, graph)) {
              test.run(new Exchange(form, graph, topology, comm.rank(), memory));
            }
          }
        });
  }

  private static Topology topology(Communicator comm, Graph graph) {
    return comm.topology(graph.sourcesOf(comm.rank()), graph.targetsOf(comm.rank()));
  }

  @Requirement(
      id = "NBR-001",
      text = "A topology tells its sources and targets as given, in fresh arrays.")
  void neighboursAreTold(Communicator comm) {
    for (Graph graph : Graph.all(comm.size(), random())) {
      int[] sources = graph.sourcesOf(comm.rank());
      int[] targets = graph.targetsOf(comm.rank());
      try (Topology topology = comm.topology(sources, targets)) {
        Arrays.fill(sources, 99);
        Arrays.fill(targets, 99);
        Arrays.fill(topology.sources(), 77);
        Arrays.fill(topology.targets(), 77);
        assertArrayEquals(graph.sourcesOf(comm.rank()), topology.sources());
        assertArrayEquals(graph.targetsOf(comm.rank()), topology.targets());
      }
    }
  }

  @Requirement(
      id = "NBR-002",
      text = "An allGather along a topology sends the same elements to every target, of any graph.")
  void allGather() {
    alongEveryGraph(Form.BLOCKING, exchange -> forEachTypeAndCount(exchange::allGather));
  }

  @Requirement(
      id = "NBR-003",
      text = "An allGatherV along a topology sends blocks of each sender's length; gaps are left.")
  void allGatherV() {
    alongEveryGraph(Form.BLOCKING, exchange -> TYPES.forEach(exchange::allGatherV));
  }

  @Requirement(
      id = "NBR-004",
      text =
          "An allToAll along a topology sends block i to target i; of several edges between two"
              + " ranks the k-th at the sender is the k-th at the receiver.")
  void allToAll() {
    alongEveryGraph(Form.BLOCKING, exchange -> forEachTypeAndCount(exchange::allToAll));
  }

  @Requirement(
      id = "NBR-005",
      text =
          "An allToAllV along a topology sends a block of its own length, also none; gaps are"
              + " left.")
  void allToAllV() {
    alongEveryGraph(Form.BLOCKING, exchange -> TYPES.forEach(exchange::allToAllV));
  }

  @Requirement(
      id = "NBR-006",
      text = "Each non-blocking exchange does what its blocking form does.",
      capability = Capability.NON_BLOCKING_NEIGHBORHOODS)
  void nonBlockingForms() {
    alongEveryGraph(Form.NON_BLOCKING, NeighborhoodsTck::everyCollective);
  }

  @Requirement(
      id = "NBR-007",
      text = "A persistent exchange moves what the buffers hold at each start.",
      capability = Capability.PERSISTENT_NEIGHBORHOODS)
  void persistentForm() {
    alongEveryGraph(Form.PERSISTENT, NeighborhoodsTck::everyCollective);
  }

  private static void everyCollective(Exchange exchange) {
    forEachTypeAndCount(exchange::allGather);
    forEachTypeAndCount(exchange::allToAll);
    TYPES.forEach(exchange::allGatherV);
    TYPES.forEach(exchange::allToAllV);
  }

  /** One exchange of a type and count. */
  @FunctionalInterface
  private interface TypeAndCount {
    void run(DType type, long count);
  }

  private static void forEachTypeAndCount(TypeAndCount test) {
    for (DType type : TYPES) {
      test.run(type, 3);
    }
    for (long count : new long[] {0, 1, 1025, 9000}) {
      test.run(DType.F64, count);
    }
  }

  @Requirement(
      id = "NBR-008",
      text = "Exchanges of several topologies may be under way and complete in any order.",
      capability = Capability.NON_BLOCKING_NEIGHBORHOODS)
  void manyAreUnderWay(Communicator comm, RankMemory memory) {
    List<Topology> topologies = new ArrayList<>();
    List<Runnable> checks = new ArrayList<>();
    for (Graph graph : Graph.all(comm.size(), random())) {
      Topology topology = topology(comm, graph);
      topologies.add(topology);
      int[] sources = graph.sourcesOf(comm.rank());
      for (int round = 0; round < 2; round++) {
        long key = round;
        Blocks blocks = Blocks.uniform(sources.length, 70);
        MemorySegment mine = memory.pattern(RankMemory.key(key, comm.rank()), DType.I32, 70);
        MemorySegment received = memory.blank(DType.I32, blocks.total());
        Request request = topology.start(new Collective.AllGather(mine, received, DType.I32, 70));
        checks.add(
            () -> {
              NonBlocking.complete(request);
              MemorySegment wanted =
                  blocks.filled(memory, DType.I32, i -> RankMemory.key(key, sources[i]));
              RankMemory.check(wanted, received, graph.name());
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
