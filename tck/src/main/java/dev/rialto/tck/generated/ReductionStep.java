package dev.rialto.tck.generated;

import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
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
  static ReductionStep draw(
      Draw draw,
      Group group,
      Kind kind,
      Form form,
      DType type,
      ReduceOp op,
      Size size,
      boolean inPlace,
      boolean heap) {
    long[] counts = {draw.count(type, size)};
    if (kind == Kind.REDUCE_SCATTER) {
      counts = new long[group.size()];
      Arrays.setAll(counts, _ -> draw.once(5) ? 0 : draw.count(type, size.part(group.size())));
    }
    return new ReductionStep(
        group,
        kind,
        form,
        type,
        op,
        counts,
        draw.below(group.size()),
        inPlace && kind != Kind.REDUCE_SCATTER,
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
    Memory memory = new Memory(comm.rank());
    return Call.of(comm, value(memory)).begin(form, 2, run.own, memory);
  }

  private Collective value(Memory memory) {
    MemorySegment send = memory.send;
    MemorySegment receive = memory.receive;
    long n = counts[0];
    return switch (kind) {
      case REDUCE -> new Collective.Reduce(send, receive, type, n, op, root);
      case ALL_REDUCE -> new Collective.AllReduce(send, receive, type, n, op);
      case SCAN -> new Collective.Scan(send, receive, type, n, op);
      case EXSCAN -> new Collective.Exscan(send, receive, type, n, op);
      case REDUCE_SCATTER -> new Collective.ReduceScatter(send, receive, type, counts, op);
      default -> throw new IllegalArgumentException(kind.label());
    };
  }

  /** One rank's operands and its result. */
  private final class Memory implements Call.Memory {
    private final int me;
    private final boolean gets;
    private final boolean replaces;

    /** The number of ranks whose operands the result combines; 0 for one that stays as it was. */
    private final int combined;

    private final long before;
    private final long mine;
    private final Operands operands = new Operands(seed, type, op);
    private final GuardedBuffers buffers = new GuardedBuffers();
    private final MemorySegment send;
    private final MemorySegment receive;

    Memory(int me) {
      this.me = me;
      this.gets = kind != Kind.REDUCE || me == root;
      // At the root alone: elsewhere there is no memory to put a result into.
      this.replaces = inPlace && gets;
      this.combined = kind == Kind.SCAN ? me + 1 : kind == Kind.EXSCAN ? me : group.size();
      this.before = kind == Kind.REDUCE_SCATTER ? Arrays.stream(counts, 0, me).sum() : 0;
      this.mine = kind == Kind.REDUCE_SCATTER ? counts[me] : total();
      this.receive = buffers.target(receiveAt, gets ? type.bytes(mine) : 0);
      this.send =
          replaces
              ? receive
              : buffers.source(
                  sendAt, type.bytes(total()), memory -> operands.write(me, memory, total()));
      renew(0);
    }

    @Override
    public void renew(int round) {
      if (replaces) {
        operands.write(me, receive, total());
      }
    }

    @Override
    public void check(int round) {
      if (gets && combined > 0) {
        operands.check(combined, before, receive, mine);
      } else if (gets) {
        MemorySegment expected = buffers.expected(receive.byteSize());
        if (replaces) {
          operands.write(me, expected, total());
        }
        RankMemory.check(expected, receive, "rank 0's buffer, which must stay");
      }
    }

    @Override
    public void close() {
      buffers.check("after it");
      buffers.close();
    }
  }
}
