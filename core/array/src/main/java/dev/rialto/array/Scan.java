package dev.rialto.array;

import java.lang.foreign.Arena;

/**
 * Running combinations of the elements before each one, in row-major order, with any associative
 * operator.
 *
 * <p>Ranks combine their elements, exchange these values, and go over their elements once more,
 * with what came before as the start. Arrays whose elements do not lie in order are moved there and
 * back. The arrays may be one. Needs collectives.
 */
public final class Scan {
  private Scan() {}

  /** Sets {@code out[i] = in[0] op … op in[i]}. */
  public static Operation<DistributedArray> inclusive(
      DistributedArray in, DistributedArray out, Operator operator) {
    return scan("inclusiveScan", in, out, operator, new long[0]);
  }

  /**
   * Sets {@code out[i] = initial op in[0] op … op in[i-1]}, and the first element to {@code
   * initial}.
   */
  public static Operation<DistributedArray> exclusive(
      DistributedArray in, DistributedArray out, double initial, Operator operator) {
    return scan("exclusiveScan", in, out, operator, Elements.of(in.type()).words(initial));
  }

  /**
   * Sets complex elements; see {@link #exclusive(DistributedArray, DistributedArray, double,
   * Operator)}.
   */
  public static Operation<DistributedArray> exclusive(
      DistributedArray in, DistributedArray out, Complex initial, Operator operator) {
    return scan("exclusiveScan", in, out, operator, Elements.of(in.type()).words(initial));
  }

  private static Operation<DistributedArray> scan(
      String name, DistributedArray in, DistributedArray out, Operator operator, long[] initial) {
    Elementwise.sameShape(in, out);
    Elements elements = Elementwise.sameKind(in, out);
    Object op = operator.on(elements);
    return Operation.collective(
        out.team(),
        name,
        run -> {
          try (Arena arena = Arena.ofShared()) {
            View from = View.inOrder(run, arena, in);
            View to =
                out.isInOrder() && from.hasCountsOf(out.distribution())
                    ? View.of(out)
                    : View.temporary(out.type(), from.distribution(), run.rank(), arena);
            Loops loops = Loops.of(op, null, elements, to.elements());
            Chain chain = new Chain(run, loops, op, from, to);
            chain.run(initial);
            if (to.memory().address() != out.address()) {
              View target = View.of(out);
              run.communicate(comm -> to.moveTo(comm, target));
            }
            long[][] _ = run.gatherLast();
            return out;
          }
        });
  }

  /** One rank's part of a scan. */
  private static final class Chain {
    private final Run run;
    private final Loops loops;
    private final Object op;
    private final View from;
    private final View to;

    Chain(Run run, Loops loops, Object op, View from, View to) {
      this.run = run;
      this.loops = loops;
      this.op = op;
      this.from = from;
      this.to = to;
    }

    void run(long[] initial) {
      Folding folding = new Folding(run, loops, op, from.count());
      if (run.rank() < run.ranks() - 1) {
        Folding _ = folding.addAll(null, from, null);
      }
      long[][] values = run.gather(folding.ofRank());
      long[] before = folding.all(values, run.rank());
      if (initial.length > 0 && before.length > 0) {
        before = loops.combine(op, initial, before);
      } else if (initial.length > 0) {
        before = initial;
      }
      scan(before, initial.length > 0);
    }

    /** Goes over the elements with what came before them, which is nothing at the very first. */
    private void scan(long[] before, boolean exclusive) {
      long[][] carry = {before};
      for (long begin = 0; begin < from.count(); begin += Run.CHUNK) {
        run.check();
        View.stretches(
            begin,
            Math.min(from.count(), begin + Run.CHUNK),
            (at, count) -> {
              int done = 0;
              if (carry[0].length == 0) {
                carry[0] = from.elements().read(from.address(at));
                to.elements().write(to.address(at), carry[0]);
                done = 1;
              }
              if (done < count) {
                carry[0] = stretch(exclusive, carry[0], at + done, count - done);
              }
            },
            from,
            to);
      }
    }

    private long[] stretch(boolean exclusive, long[] carry, long at, long count) {
      long in = from.address(at);
      long out = to.address(at);
      return exclusive
          ? loops.scanBefore(op, carry, from.elements(), in, to.elements(), out, count)
          : loops.scan(op, carry, from.elements(), in, to.elements(), out, count);
    }
  }
}
