package dev.rialto.sparse.ownership;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.sparse.local.ExactSum;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Reductions of a few numbers over all ranks, through one buffer that is made once. */
public final class Sums {
  private static final int MOST = 128;

  private final Communicator comm;
  private final boolean alone;
  private final MemorySegment buffer = Arena.ofAuto().allocate(8L * 2 * ExactSum.WORDS, 64);
  private boolean exact;

  /** Makes the buffer; numbers that every rank has are not added. */
  public Sums(Communicator comm, boolean replicated) {
    this.comm = comm;
    this.alone = replicated || comm.size() == 1;
  }

  /** Adds the numbers of all ranks, in place. Collective. */
  public void add(double[] values, int count) {
    reduce(values, count, ReduceOp.SUM);
  }

  /** Takes the largest number of all ranks, in place; a NaN of any rank stays one. Collective. */
  public double max(double value) {
    // A maximum may drop a NaN; infinity does not, and is as good a sign that something is wrong.
    double[] values = {Double.isNaN(value) ? Double.POSITIVE_INFINITY : value};
    reduce(values, 1, ReduceOp.MAX);
    return values[0];
  }

  private void reduce(double[] values, int count, ReduceOp op) {
    if (alone) {
      return;
    }
    for (int done = 0; done < count; done += MOST) {
      int part = Math.min(MOST, count - done);
      MemorySegment.copy(values, done, buffer, JAVA_DOUBLE, 0, part);
      comm.allReduce(buffer, buffer, DType.F64, part, op);
      MemorySegment.copy(buffer, JAVA_DOUBLE, 0, values, done, part);
    }
  }

  /** Adds exact sums of all ranks and rounds once. Collective. */
  public double add(ExactSum sum) {
    double[] special = {sum.special()};
    long[] words = sum.words();
    if (!alone) {
      add(special, 1);
      MemorySegment.copy(words, 0, buffer, JAVA_LONG, 0, words.length);
      comm.allReduce(buffer, buffer, DType.I64, words.length, ReduceOp.SUM);
      MemorySegment.copy(buffer, JAVA_LONG, 0, words, 0, words.length);
    }
    return special[0] != 0 ? special[0] : ExactSum.round(words);
  }

  /** Asks for dot products whose bits do not depend on the number of ranks. */
  public void exact(boolean on) {
    exact = on;
  }

  /** Returns whether dot products are exact. */
  public boolean exact() {
    return exact;
  }
}
