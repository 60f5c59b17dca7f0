package dev.rialto.tck.generated;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.Coverage.Dimension;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A topology and exchanges along it.
 *
 * @param edges who sends to whom, in the order in which both ends list them
 */
record NeighborStep(Group group, List<Edge> edges, List<Exchange> exchanges) implements Step {
  /**
   * One sender and one receiver.
   *
   * @param from the sender
   * @param to the receiver
   */
  record Edge(int from, int to) {}

  enum Kind {
    NEIGHBOR_ALL_GATHER,
    NEIGHBOR_ALL_GATHER_V,
    NEIGHBOR_ALL_TO_ALL,
    NEIGHBOR_ALL_TO_ALL_V;

    boolean gathers() {
      return this == NEIGHBOR_ALL_GATHER || this == NEIGHBOR_ALL_GATHER_V;
    }

    boolean uneven() {
      return name().endsWith("_V");
    }

    String label() {
      return Words.camel(name());
    }
  }

  /**
   * One exchange.
   *
   * @param even the elements of every block, where all have as many
   * @param counts the elements of each edge
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Exchange(
      Kind kind,
      Form form,
      DType type,
      long even,
      long[] counts,
      Placement sendAt,
      Placement receiveAt,
      int rounds,
      long seed) {}

  static NeighborStep draw(Draw draw, Group group, Set<Capability> capabilities, Size size) {
    int n = group.size();
    List<Edge> edges = new ArrayList<>();
    int most = draw.below(3 * n + 1);
    for (int i = 0; i < most; i++) {
      edges.add(new Edge(draw.below(n), draw.below(n)));
    }
    List<Exchange> exchanges = new ArrayList<>();
    int several = 1 + draw.below(5);
    for (int i = 0; i < several; i++) {
      exchanges.add(exchange(draw, n, edges, capabilities, size));
    }
    return new NeighborStep(group, edges, exchanges);
  }

  private static Exchange exchange(
      Draw draw, int ranks, List<Edge> edges, Set<Capability> capabilities, Size size) {
    Kind kind = draw.of(List.of(Kind.values()));
    List<Form> forms = new ArrayList<>(List.of(Form.BLOCKING));
    if (capabilities.contains(Capability.NON_BLOCKING_NEIGHBORHOODS)) {
      forms.add(Form.NON_BLOCKING);
    }
    if (capabilities.contains(Capability.PERSISTENT_NEIGHBORHOODS)) {
      forms.add(Form.PERSISTENT);
    }
    DType type = draw.of(List.of(DType.values()));
    long even = draw.count(type, size);
    long[] bySender = new long[ranks];
    Arrays.setAll(bySender, _ -> draw.once(4) ? 0 : draw.count(type, size));
    boolean uniform = draw.once(3);
    long[] counts = new long[edges.size()];
    Arrays.setAll(
        counts,
        i ->
            switch (kind) {
              case NEIGHBOR_ALL_GATHER, NEIGHBOR_ALL_TO_ALL -> even;
              case NEIGHBOR_ALL_GATHER_V -> bySender[edges.get(i).from()];
              case NEIGHBOR_ALL_TO_ALL_V ->
                  uniform ? even : draw.once(4) ? 0 : draw.count(type, size);
            });
    Form form = draw.of(forms);
    boolean heap = capabilities.contains(Capability.HEAP_BUFFERS);
    return new Exchange(
        kind,
        form,
        type,
        even,
        counts,
        Placement.draw(draw, heap),
        Placement.draw(draw, heap),
        form == Form.PERSISTENT ? 1 + draw.below(4) : 1,
        draw.number());
  }

  @Override
  public String describe() {
    return "topology %s with %s"
        .formatted(
            edges,
            exchanges.stream()
                .map(
                    e ->
                        e.form().label()
                            + " "
                            + e.kind().label()
                            + " of "
                            + e.type()
                            + " "
                            + Arrays.toString(e.counts()))
                .toList());
  }

  @Override
  public void cover(Coverage coverage) {
    for (Exchange each : exchanges) {
      String name = each.kind.label();
      coverage
          .add(name, Dimension.TYPE, each.type)
          .addSize(name, each.type.bytes(Arrays.stream(each.counts).max().orElse(0)))
          .add(name, Dimension.RANKS, group.size())
          .add(name, Dimension.FORM, each.form.label());
      each.sendAt.cover(coverage, name);
    }
  }

  @Override
  public @Nullable Completion begin(RankRun run) throws Exception {
    int me = run.in(group).rank();
    int[] sources = edges.stream().filter(e -> e.to == me).mapToInt(Edge::from).toArray();
    int[] targets = edges.stream().filter(e -> e.from == me).mapToInt(Edge::to).toArray();
    try (Topology topology = run.in(group).topology(sources.clone(), targets.clone())) {
      if (!Arrays.equals(topology.sources(), sources)
          || !Arrays.equals(topology.targets(), targets)) {
        throw new AssertionError(
            "sources %s and targets %s, wanted %s and %s"
                .formatted(
                    Arrays.toString(topology.sources()),
                    Arrays.toString(topology.targets()),
                    Arrays.toString(sources),
                    Arrays.toString(targets)));
      }
      List<Completion> pending = new ArrayList<>();
      for (Exchange exchange : exchanges) {
        Completion rest = new Call(exchange, topology, me).begin(run);
        if (rest != null) {
          pending.add(rest);
        }
      }
      run.own.shuffle(pending);
      for (Completion rest : pending) {
        rest.finish();
      }
    }
    return null;
  }

  /** One rank's part of one exchange. */
  private final class Call {
    private final Exchange exchange;
    private final Topology topology;
    private final DType type;
    private final List<Block> out;
    private final List<Block> in;
    private final GuardedBuffers buffers = new GuardedBuffers();
    private final MemorySegment send;
    private final MemorySegment receive;
    private final long own;

    Call(Exchange exchange, Topology topology, int me) {
      this.exchange = exchange;
      this.topology = topology;
      this.type = exchange.type;
      Draw places = new Draw(RankMemory.key(exchange.seed, me));
      List<Integer> outgoing = new ArrayList<>();
      List<Integer> incoming = new ArrayList<>();
      for (int i = 0; i < edges.size(); i++) {
        if (edges.get(i).from == me) {
          outgoing.add(i);
        }
        if (edges.get(i).to == me) {
          incoming.add(i);
        }
      }
      if (exchange.kind.gathers()) {
        own =
            !exchange.kind.uneven()
                ? exchange.even
                : outgoing.isEmpty() ? 0 : exchange.counts[outgoing.getFirst()];
        out = List.of(new Block(0, own, key(me, 0)));
      } else {
        own = 0;
        out = blocks(outgoing, places);
      }
      in = blocks(incoming, places);
      send =
          buffers.source(
              new Placement(
                  exchange.sendAt.kind(),
                  exchange.sendAt.offset(),
                  exchange.sendAt.readOnly() && exchange.form != Form.PERSISTENT),
              type.bytes(Block.span(out)),
              memory -> Block.write(out, type, memory, 0));
      receive = buffers.target(exchange.receiveAt, type.bytes(Block.span(in)));
    }

    private long key(int from, int edge) {
      return RankMemory.key(exchange.seed, from, edge);
    }

    private List<Block> blocks(List<Integer> edgesHere, Draw places) {
      long[] counts = edgesHere.stream().mapToLong(i -> exchange.counts[i]).toArray();
      long[] keys =
          edgesHere.stream()
              .mapToLong(i -> key(edges.get(i).from, exchange.kind.gathers() ? 0 : i))
              .toArray();
      return exchange.kind.uneven()
          ? Block.scattered(places, counts, keys)
          : Block.inOrder(counts, keys);
    }

    @Nullable Completion begin(RankRun run) {
      return switch (exchange.form) {
        case BLOCKING -> {
          topology.run(collective());
          check();
          yield null;
        }
        case NON_BLOCKING -> {
          Request request = topology.start(collective());
          yield () -> {
            Requests.complete(request, run.own);
            check();
          };
        }
        case PERSISTENT -> {
          try (PersistentRequest request = topology.prepare(collective())) {
            for (int round = 0; round < exchange.rounds; round++) {
              Block.write(out, type, send, round);
              receive.fill((byte) 0x5A);
              request.start();
              Requests.await(request, run.own);
              received(round);
            }
          }
          buffers.close();
          yield null;
        }
      };
    }

    private Collective.AlongEdges collective() {
      long[] from = Block.counts(in);
      long[] fromAt = Block.displacements(in);
      return switch (exchange.kind) {
        case NEIGHBOR_ALL_GATHER -> new Collective.AllGather(send, receive, type, own);
        case NEIGHBOR_ALL_GATHER_V ->
            new Collective.AllGatherV(send, own, receive, from, fromAt, type);
        case NEIGHBOR_ALL_TO_ALL -> new Collective.AllToAll(send, receive, type, exchange.even);
        case NEIGHBOR_ALL_TO_ALL_V ->
            new Collective.AllToAllV(
                send, Block.counts(out), Block.displacements(out), receive, from, fromAt, type);
      };
    }

    private void received(int round) {
      MemorySegment expected = buffers.expected(receive.byteSize());
      Block.write(in, type, expected, round);
      RankMemory.check(expected, receive, exchange.kind.label() + " received in round " + round);
    }

    private void check() {
      received(0);
      buffers.check("after " + exchange.kind.label());
      buffers.close();
    }
  }
}
