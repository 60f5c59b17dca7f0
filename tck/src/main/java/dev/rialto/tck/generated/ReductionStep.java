package dev.rialto.tck.generated;

import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.Coverage.Dimension;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A reduction or scan.
 *
 * @param counts the elements of each rank's block; one number for all but reduceScatter
 * @param inPlace whether the operands are replaced by the result
 * @param seed what operands are made from
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record ReductionStep(
    Group group,
    Kind kind,
    Form form,
    DType type,
    ReduceOp op,
    long[] counts,
    int root,
    boolean inPlace,
    Placement sendAt,
    Placement receiveAt,
    long seed)
    implements Step {
  enum Kind {
    REDUCE,
    ALL_REDUCE,
    SCAN,
    EXSCAN,
    REDUCE_SCATTER;

    String label() {
      return Words.camel(name());
    }
  }

  static ReductionStep draw(
      Draw draw,
      Group group,
      Kind kind,
      Form form,
      DType type,
      ReduceOp op,
      Size size,
      boolean heap) {
    long[] counts = {draw.count(type, size)};
    if (kind == Kind.REDUCE_SCATTER) {
      counts = new long[group.size()];
      Arrays.setAll(counts, _ -> draw.once(5) ? 0 : draw.count(type, size.part(group.size())));
    }
    boolean inPlace = kind != Kind.REDUCE_SCATTER && draw.once(3);
    return new ReductionStep(
        group,
        kind,
        form,
        type,
        op,
        counts,
        draw.below(group.size()),
        inPlace,
        Placement.draw(draw, heap),
        Placement.draw(draw, heap),
        draw.number());
  }

  @Override
  public String describe() {
    return "%s %s by %s of %s %s%s%s, send %s, receive %s"
        .formatted(
            form.label(),
            kind.label(),
            op.label(),
            type,
            Arrays.toString(counts),
            kind == Kind.REDUCE ? " at root " + root : "",
            inPlace ? ", in place" : "",
            sendAt.label(),
            receiveAt.label());
  }

  @Override
  public void cover(Coverage coverage) {
    String name = kind.label();
    coverage
        .add(name, Dimension.TYPE, type)
        .add(name, Dimension.OPERATOR, op.label())
        .addSize(name, type.bytes(Arrays.stream(counts).max().orElse(0)))
        .add(name, Dimension.RANKS, group.size())
        .add(name, Dimension.FORM, form.label() + (inPlace ? " in-place" : ""));
    receiveAt.cover(coverage, name);
  }

  private long total() {
    return Arrays.stream(counts).sum();
  }

  @Override
  public @Nullable Completion begin(RankRun run) {
    Communicator comm = run.in(group);
    int me = comm.rank();
    long bytes = type.bytes(total());
    long before = kind == Kind.REDUCE_SCATTER ? Arrays.stream(counts, 0, me).sum() : 0;
    long mine = kind == Kind.REDUCE_SCATTER ? counts[me] : total();
    boolean gets = kind != Kind.REDUCE || me == root;
    Operands operands = new Operands(seed, type, op);
    GuardedBuffers buffers = new GuardedBuffers();
    // At the root alone: elsewhere there is no memory to put a result into.
    boolean replaces = inPlace && gets;
    MemorySegment receive = buffers.target(receiveAt, gets ? type.bytes(mine) : 0);
    MemorySegment send = receive;
    if (replaces) {
      operands.write(me, receive, total());
    } else {
      send = buffers.source(sendAt, bytes, memory -> operands.write(me, memory, total()));
    }
    boolean unchanged = kind == Kind.EXSCAN && me == 0;
    int combined = kind == Kind.SCAN ? me + 1 : kind == Kind.EXSCAN ? me : group.size();
    Runnable check =
        () -> {
          if (gets && !unchanged) {
            operands.check(combined, before, receive, mine);
          } else if (unchanged) {
            MemorySegment expected = buffers.expected(receive.byteSize());
            if (replaces) {
              operands.write(me, expected, total());
            }
            RankMemory.check(expected, receive, "rank 0's buffer, which must stay");
          }
        };
    return switch (form) {
      case BLOCKING -> {
        call(comm, send, receive);
        check.run();
        close(buffers);
        yield null;
      }
      case NON_BLOCKING -> {
        Request request = comm.start(value(send, receive));
        yield () -> {
          Requests.complete(request, run.own);
          check.run();
          close(buffers);
        };
      }
      case PERSISTENT -> {
        try (PersistentRequest request = comm.prepare(value(send, receive))) {
          for (int round = 0; round < 2; round++) {
            if (replaces) {
              operands.write(me, receive, total());
            }
            request.start();
            Requests.await(request, run.own);
            check.run();
          }
        }
        close(buffers);
        yield null;
      }
    };
  }

  private static void close(GuardedBuffers buffers) {
    buffers.check("after it");
    buffers.close();
  }

  private void call(Communicator comm, MemorySegment send, MemorySegment receive) {
    long n = counts[0];
    switch (kind) {
      case REDUCE -> comm.reduce(send, receive, type, n, op, root);
      case ALL_REDUCE -> comm.allReduce(send, receive, type, n, op);
      case SCAN -> comm.scan(send, receive, type, n, op);
      case EXSCAN -> comm.exscan(send, receive, type, n, op);
      case REDUCE_SCATTER -> comm.reduceScatter(send, receive, type, counts.clone(), op);
    }
  }

  private Collective value(MemorySegment send, MemorySegment receive) {
    long n = counts[0];
    return switch (kind) {
      case REDUCE -> new Collective.Reduce(send, receive, type, n, op, root);
      case ALL_REDUCE -> new Collective.AllReduce(send, receive, type, n, op);
      case SCAN -> new Collective.Scan(send, receive, type, n, op);
      case EXSCAN -> new Collective.Exscan(send, receive, type, n, op);
      case REDUCE_SCATTER -> new Collective.ReduceScatter(send, receive, type, counts, op);
    };
  }
}
