package dev.rialto.tck.generated;

import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.Coverage.Dimension;
import dev.rialto.tck.reference.RankMemory;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A collective without arithmetic.
 *
 * @param counts how many elements go from each rank to each, by sender and receiver
 * @param root the rank that gives or gets, where there is one
 * @param rounds how often a persistent one is begun
 * @param seed what blocks and their places are made from
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record CollectiveStep(
    Group group,
    Kind kind,
    Form form,
    DType type,
    long[][] counts,
    int root,
    Placement sendAt,
    Placement receiveAt,
    int rounds,
    long seed)
    implements Step {
  static CollectiveStep draw(
      Draw draw, Group group, Kind kind, Form form, DType type, Size size, int root, boolean heap) {
    int n = group.size();
    long even = draw.count(type, size);
    boolean uniform = !kind.uneven() || draw.once(4);
    long[][] counts = new long[n][n];
    for (int from = 0; from < n; from++) {
      long same = !size.exact() && draw.once(4) ? 0 : draw.count(type, size);
      for (int to = 0; to < n; to++) {
        counts[from][to] =
            uniform
                ? even
                : kind == Kind.ALL_GATHER_V
                    ? same
                    : !size.exact() && draw.once(4) ? 0 : draw.count(type, size);
      }
    }
    return new CollectiveStep(
        group,
        kind,
        form,
        type,
        counts,
        root,
        Placement.draw(draw, heap),
        Placement.draw(draw, heap),
        form == Form.PERSISTENT ? 1 + draw.below(4) : 1,
        draw.number());
  }

  @Override
  public String describe() {
    return "%s %s of %s %s%s, send %s, receive %s"
        .formatted(
            form.label(),
            kind.label(),
            type,
            Arrays.deepToString(counts),
            kind.rooted() ? " at root " + root : "",
            sendAt.label(),
            receiveAt.label());
  }

  @Override
  public void cover(Coverage coverage) {
    String name = kind.label();
    coverage.add(name, Dimension.FORM, form.label()).add(name, Dimension.RANKS, group.size());
    if (kind != Kind.BARRIER) {
      long most = Arrays.stream(counts).flatMapToLong(Arrays::stream).max().orElse(0);
      coverage.add(name, Dimension.TYPE, type).addSize(name, type.bytes(most));
      sendAt.cover(coverage, name);
      receiveAt.cover(coverage, name);
    }
  }

  private long key(int from, int to) {
    return RankMemory.key(seed, from, kind.toEach() || kind.fromRoot() ? to : 0);
  }

  private List<Block> sends(int me, Draw places) {
    IntStream to =
        kind.toEach() || (kind.fromRoot() && me == root)
            ? IntStream.range(0, group.size())
            : kind.fromRoot() || kind == Kind.BARRIER || (kind == Kind.BROADCAST && me != root)
                ? IntStream.empty()
                : IntStream.of(kind.toRoot() ? root : me);
    boolean scattered = kind == Kind.SCATTER_V || kind == Kind.ALL_TO_ALL_V;
    return blocks(to, each -> counts[me][each], each -> key(me, each), places, scattered);
  }

  private List<Block> receives(int me, Draw places) {
    IntStream from =
        kind == Kind.BARRIER || (kind.toRoot() && me != root)
            ? IntStream.empty()
            : kind.fromRoot() || kind == Kind.BROADCAST
                ? IntStream.of(root)
                : IntStream.range(0, group.size());
    boolean scattered = kind.uneven() && !kind.fromRoot();
    return blocks(from, each -> counts[each][me], each -> key(each, me), places, scattered);
  }

  private static List<Block> blocks(
      IntStream peers,
      IntToLongFunction count,
      IntToLongFunction key,
      Draw places,
      boolean scattered) {
    int[] all = peers.toArray();
    long[] counts = Arrays.stream(all).mapToLong(count).toArray();
    long[] keys = Arrays.stream(all).mapToLong(key).toArray();
    return scattered ? Block.scattered(places, counts, keys) : Block.inOrder(counts, keys);
  }

  @Override
  public @Nullable Completion begin(RankRun run) {
    Communicator comm = run.in(group);
    int me = comm.rank();
    Draw places = new Draw(RankMemory.key(seed, me));
    List<Block> out = sends(me, places);
    BlockMemory memory =
        new BlockMemory(
            type,
            form,
            out,
            sendAt,
            receives(me, places),
            receiveAt,
            kind == Kind.BROADCAST && me == root);
    return Call.of(comm, value(memory)).begin(form, rounds, run.own, memory);
  }

  private Collective value(BlockMemory memory) {
    var send = memory.send();
    var receive = memory.receive();
    long even = counts[0][0];
    long[] to = memory.sendCounts();
    long[] toAt = memory.sendStarts();
    long[] from = memory.receiveCounts();
    long[] fromAt = memory.receiveStarts();
    long sent = memory.sent();
    return switch (kind) {
      case BARRIER -> new Collective.Barrier();
      case BROADCAST -> new Collective.Broadcast(receive, type, even, root);
      case GATHER -> new Collective.Gather(send, receive, type, even, root);
      case GATHER_V -> new Collective.GatherV(send, sent, receive, from, fromAt, type, root);
      case SCATTER -> new Collective.Scatter(send, receive, type, even, root);
      case SCATTER_V ->
          new Collective.ScatterV(send, to, toAt, receive, memory.received(), type, root);
      case ALL_GATHER -> new Collective.AllGather(send, receive, type, even);
      case ALL_GATHER_V -> new Collective.AllGatherV(send, sent, receive, from, fromAt, type);
      case ALL_TO_ALL -> new Collective.AllToAll(send, receive, type, even);
      case ALL_TO_ALL_V -> new Collective.AllToAllV(send, to, toAt, receive, from, fromAt, type);
      default -> throw new IllegalArgumentException(kind.label());
    };
  }
}
