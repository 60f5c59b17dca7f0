package dev.rialto.tck.generated;

import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.Coverage.Dimension;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
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
  enum Kind {
    BARRIER,
    BROADCAST,
    GATHER,
    GATHER_V,
    SCATTER,
    SCATTER_V,
    ALL_GATHER,
    ALL_GATHER_V,
    ALL_TO_ALL,
    ALL_TO_ALL_V;

    boolean rooted() {
      return this == BROADCAST || gathers() || scatters();
    }

    boolean gathers() {
      return this == GATHER || this == GATHER_V;
    }

    boolean scatters() {
      return this == SCATTER || this == SCATTER_V;
    }

    boolean uneven() {
      return name().endsWith("_V");
    }

    boolean toEach() {
      return this == ALL_TO_ALL || this == ALL_TO_ALL_V;
    }

    String label() {
      return Words.camel(name());
    }
  }

  static CollectiveStep draw(
      Draw draw, Group group, Kind kind, Form form, DType type, Size size, boolean heap) {
    int n = group.size();
    int root = draw.below(n);
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
    return RankMemory.key(seed, from, kind.toEach() || kind.scatters() ? to : 0);
  }

  private List<Block> sends(int me, Draw places) {
    int n = group.size();
    IntStream to =
        kind.toEach() || (kind.scatters() && me == root)
            ? IntStream.range(0, n)
            : kind.scatters() || kind == Kind.BARRIER || (kind == Kind.BROADCAST && me != root)
                ? IntStream.empty()
                : IntStream.of(kind.gathers() ? root : me);
    int[] targets = to.toArray();
    return blocks(
        Arrays.stream(targets).mapToLong(each -> counts[me][each]).toArray(),
        Arrays.stream(targets).mapToLong(each -> key(me, each)).toArray(),
        places,
        kind == Kind.SCATTER_V || kind == Kind.ALL_TO_ALL_V);
  }

  private List<Block> receives(int me, Draw places) {
    int n = group.size();
    IntStream from =
        kind == Kind.BARRIER || (kind.gathers() && me != root)
            ? IntStream.empty()
            : kind.scatters() || kind == Kind.BROADCAST
                ? IntStream.of(root)
                : IntStream.range(0, n);
    int[] sources = from.toArray();
    return blocks(
        Arrays.stream(sources).mapToLong(each -> counts[each][me]).toArray(),
        Arrays.stream(sources).mapToLong(each -> key(each, me)).toArray(),
        places,
        kind.uneven() && !kind.scatters());
  }

  private static List<Block> blocks(long[] counts, long[] keys, Draw places, boolean scattered) {
    return scattered ? Block.scattered(places, counts, keys) : Block.inOrder(counts, keys);
  }

  @Override
  public @Nullable Completion begin(RankRun run) {
    Communicator comm = run.in(group);
    int me = comm.rank();
    Draw places = new Draw(RankMemory.key(seed, me));
    List<Block> out = sends(me, places);
    List<Block> in = receives(me, places);
    GuardedBuffers buffers = new GuardedBuffers();
    MemorySegment send =
        buffers.source(
            new Placement(
                sendAt.kind(), sendAt.offset(), sendAt.readOnly() && form != Form.PERSISTENT),
            type.bytes(Block.span(out)),
            memory -> Block.write(out, type, memory, 0));
    MemorySegment receive = buffers.target(receiveAt, type.bytes(Block.span(in)));
    if (kind == Kind.BROADCAST && me == root) {
      Block.write(out, type, receive, 0);
    }
    Call call = new Call(comm, out, in, send, receive);
    return switch (form) {
      case BLOCKING -> {
        call.run();
        call.check(buffers, 0);
        yield null;
      }
      case NON_BLOCKING -> {
        Request request = comm.start(call.value());
        yield () -> {
          Requests.complete(request, run.own);
          call.check(buffers, 0);
        };
      }
      case PERSISTENT -> {
        try (PersistentRequest request = comm.prepare(call.value())) {
          for (int round = 0; round < rounds; round++) {
            call.renew(round);
            request.start();
            Requests.await(request, run.own);
            call.received(buffers, round);
          }
        }
        buffers.close();
        yield null;
      }
    };
  }

  /** The call of one rank. */
  private final class Call {
    private final Communicator comm;
    private final List<Block> out;
    private final List<Block> in;
    private final MemorySegment send;
    private final MemorySegment receive;

    Call(
        Communicator comm,
        List<Block> out,
        List<Block> in,
        MemorySegment send,
        MemorySegment receive) {
      this.comm = comm;
      this.out = out;
      this.in = in;
      this.send = send;
      this.receive = receive;
    }

    private long even() {
      return counts[0][0];
    }

    private long sent() {
      return out.isEmpty() ? 0 : out.getFirst().count();
    }

    private long received() {
      return in.isEmpty() ? 0 : in.getFirst().count();
    }

    void run() {
      long[] to = Block.counts(out);
      long[] toAt = Block.displacements(out);
      long[] from = Block.counts(in);
      long[] fromAt = Block.displacements(in);
      switch (kind) {
        case BARRIER -> comm.barrier();
        case BROADCAST -> comm.broadcast(receive, type, even(), root);
        case GATHER -> comm.gather(send, receive, type, even(), root);
        case GATHER_V -> comm.gatherV(send, sent(), receive, from, fromAt, type, root);
        case SCATTER -> comm.scatter(send, receive, type, even(), root);
        case SCATTER_V -> comm.scatterV(send, to, toAt, receive, received(), type, root);
        case ALL_GATHER -> comm.allGather(send, receive, type, even());
        case ALL_GATHER_V -> comm.allGatherV(send, sent(), receive, from, fromAt, type);
        case ALL_TO_ALL -> comm.allToAll(send, receive, type, even());
        case ALL_TO_ALL_V -> comm.allToAllV(send, to, toAt, receive, from, fromAt, type);
      }
    }

    Collective value() {
      long[] to = Block.counts(out);
      long[] toAt = Block.displacements(out);
      long[] from = Block.counts(in);
      long[] fromAt = Block.displacements(in);
      return switch (kind) {
        case BARRIER -> new Collective.Barrier();
        case BROADCAST -> new Collective.Broadcast(receive, type, even(), root);
        case GATHER -> new Collective.Gather(send, receive, type, even(), root);
        case GATHER_V -> new Collective.GatherV(send, sent(), receive, from, fromAt, type, root);
        case SCATTER -> new Collective.Scatter(send, receive, type, even(), root);
        case SCATTER_V -> new Collective.ScatterV(send, to, toAt, receive, received(), type, root);
        case ALL_GATHER -> new Collective.AllGather(send, receive, type, even());
        case ALL_GATHER_V -> new Collective.AllGatherV(send, sent(), receive, from, fromAt, type);
        case ALL_TO_ALL -> new Collective.AllToAll(send, receive, type, even());
        case ALL_TO_ALL_V -> new Collective.AllToAllV(send, to, toAt, receive, from, fromAt, type);
      };
    }

    /** Puts what a round of a persistent one sends into place. */
    void renew(int round) {
      Block.write(out, type, send, round);
      receive.fill((byte) 0x5A);
      if (kind == Kind.BROADCAST && comm.rank() == root) {
        Block.write(out, type, receive, round);
      }
    }

    void received(GuardedBuffers buffers, int round) {
      MemorySegment expected = buffers.expected(receive.byteSize());
      Block.write(in, type, expected, round);
      RankMemory.check(expected, receive, "received in round " + round);
    }

    void check(GuardedBuffers buffers, int round) {
      received(buffers, round);
      buffers.check("after it");
      buffers.close();
    }
  }
}
