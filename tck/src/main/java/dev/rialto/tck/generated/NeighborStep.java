package dev.rialto.tck.generated;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.Coverage.Dimension;
import dev.rialto.tck.reference.RankMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A topology and exchanges along it.
 *
 * @param edges who sends to whom, in the order in which senders list them
 * @param order the edges in the order in which receivers list them
 */
record NeighborStep(Group group, List<Edge> edges, List<Integer> order, List<Exchange> exchanges)
    implements Step {
  /**
   * One sender and one receiver.
   *
   * @param from the sender
   * @param to the receiver
   */
  record Edge(int from, int to) {}

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
      long seed) {
    static Exchange draw(
        Draw draw,
        Group group,
        List<Edge> edges,
        Kind kind,
        Form form,
        DType type,
        Size size,
        boolean heap) {
      long even = draw.count(type, size);
      long[] bySender = new long[group.size()];
      Arrays.setAll(bySender, _ -> draw.once(4) ? 0 : draw.count(type, size));
      boolean uniform = draw.once(3);
      long[] counts = new long[edges.size()];
      Arrays.setAll(
          counts,
          i ->
              !kind.uneven()
                  ? even
                  : !kind.toEach()
                      ? bySender[edges.get(i).from()]
                      : uniform ? even : draw.once(4) ? 0 : draw.count(type, size));
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
  }

  static NeighborStep draw(Draw draw, Group group, Set<Capability> capabilities, Size size) {
    List<Edge> edges = randomEdges(draw, group.size());
    List<Form> forms = new ArrayList<>(List.of(Form.BLOCKING));
    if (capabilities.contains(Capability.NON_BLOCKING_NEIGHBORHOODS)) {
      forms.add(Form.NON_BLOCKING);
    }
    if (capabilities.contains(Capability.PERSISTENT_NEIGHBORHOODS)) {
      forms.add(Form.PERSISTENT);
    }
    boolean heap = capabilities.contains(Capability.HEAP_BUFFERS);
    List<Exchange> exchanges = new ArrayList<>();
    int several = 1 + draw.below(5);
    for (int i = 0; i < several; i++) {
      Kind kind = draw.of(List.copyOf(Kind.ALONG_EDGES));
      DType type = draw.of(List.of(DType.values()));
      exchanges.add(Exchange.draw(draw, group, edges, kind, draw.of(forms), type, size, heap));
    }
    return new NeighborStep(group, edges, draw.order(edges.size()), exchanges);
  }

  static List<Edge> randomEdges(Draw draw, int ranks) {
    return IntStream.range(0, draw.below(3 * ranks + 1))
        .mapToObj(_ -> new Edge(draw.below(ranks), draw.below(ranks)))
        .toList();
  }

  @Override
  public String describe() {
    return "topology %s with %s"
        .formatted(
            edges,
            exchanges.stream()
                .map(
                    e ->
                        "%s %s of %s %s"
                            .formatted(
                                e.form.label(), e.kind.label(), e.type, Arrays.toString(e.counts)))
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
    List<Integer> outgoing =
        IntStream.range(0, edges.size()).filter(i -> edges.get(i).from == me).boxed().toList();
    List<Integer> incoming = incoming(me);
    int[] sources = incoming.stream().mapToInt(i -> edges.get(i).from).toArray();
    int[] targets = outgoing.stream().mapToInt(i -> edges.get(i).to).toArray();
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
        Completion rest = begin(exchange, topology, outgoing, incoming, me, run);
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

  /** Returns the edges to a rank as it lists them; of those of one sender the first comes first. */
  private List<Integer> incoming(int me) {
    Map<Integer, Deque<Integer>> bySender = new HashMap<>();
    for (int i = 0; i < edges.size(); i++) {
      if (edges.get(i).to == me) {
        bySender.computeIfAbsent(edges.get(i).from, _ -> new ArrayDeque<>()).add(i);
      }
    }
    return order.stream()
        .filter(i -> edges.get(i).to == me)
        .map(i -> bySender.getOrDefault(edges.get(i).from, new ArrayDeque<>()).remove())
        .toList();
  }

  private @Nullable Completion begin(
      Exchange exchange,
      Topology topology,
      List<Integer> outgoing,
      List<Integer> incoming,
      int me,
      RankRun run) {
    Kind kind = exchange.kind;
    Draw places = new Draw(RankMemory.key(exchange.seed, me));
    long own =
        !kind.uneven()
            ? exchange.even
            : outgoing.isEmpty() ? 0 : exchange.counts[outgoing.getFirst()];
    List<Block> out =
        kind.toEach()
            ? blocks(exchange, outgoing, places)
            : List.of(new Block(0, own, RankMemory.key(exchange.seed, me, 0)));
    BlockMemory memory =
        new BlockMemory(
            exchange.type,
            exchange.form,
            out,
            exchange.sendAt,
            blocks(exchange, incoming, places),
            exchange.receiveAt,
            false);
    return Call.of(topology, value(exchange, memory, own))
        .begin(exchange.form, exchange.rounds, run.own, memory);
  }

  private List<Block> blocks(Exchange exchange, List<Integer> edgesHere, Draw places) {
    long[] counts = edgesHere.stream().mapToLong(i -> exchange.counts[i]).toArray();
    long[] keys =
        edgesHere.stream()
            .mapToLong(
                i ->
                    RankMemory.key(
                        exchange.seed, edges.get(i).from, exchange.kind.toEach() ? i : 0))
            .toArray();
    return exchange.kind.uneven()
        ? Block.scattered(places, counts, keys)
        : Block.inOrder(counts, keys);
  }

  private static Collective.AlongEdges value(Exchange exchange, BlockMemory memory, long own) {
    var send = memory.send();
    var receive = memory.receive();
    DType type = exchange.type;
    long[] from = memory.receiveCounts();
    long[] fromAt = memory.receiveStarts();
    return switch (exchange.kind) {
      case NEIGHBOR_ALL_GATHER -> new Collective.AllGather(send, receive, type, own);
      case NEIGHBOR_ALL_GATHER_V ->
          new Collective.AllGatherV(send, own, receive, from, fromAt, type);
      case NEIGHBOR_ALL_TO_ALL -> new Collective.AllToAll(send, receive, type, exchange.even);
      case NEIGHBOR_ALL_TO_ALL_V ->
          new Collective.AllToAllV(
              send, memory.sendCounts(), memory.sendStarts(), receive, from, fromAt, type);
      default -> throw new IllegalArgumentException(exchange.kind.label());
    };
  }
}
