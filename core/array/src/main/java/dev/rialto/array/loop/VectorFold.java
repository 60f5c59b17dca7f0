package dev.rialto.array.loop;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.part.Elements;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.vector.LaneFold;
import org.jspecify.annotations.Nullable;

/** Combines elements with an operator that vectors have: lanes first, in halves, then the rest. */
final class VectorFold implements Fold {
  private static final ReduceOp.Builtin[] OPERATORS = {
    ReduceOp.Builtin.SUM, ReduceOp.Builtin.PRODUCT, ReduceOp.Builtin.MIN, ReduceOp.Builtin.MAX
  };

  private final LaneFold vectors;
  private final Elements lanes;

  private VectorFold(LaneFold vectors) {
    this.vectors = vectors;
    this.lanes = Elements.of(vectors.type());
  }

  /** Returns the loop for an operator and function of elements; null if vectors have it not. */
  static @Nullable Fold of(Object op, @Nullable Object f, Elements from, @Nullable Elements other) {
    ReduceOp.Builtin known = known(op, from);
    ReduceOp.Builtin pair = f == null || other == null ? null : known(f, from);
    if (known == null || (f != null && pair == null) || (other != null && !other.equals(from))) {
      return null;
    }
    LaneFold loop = LaneFold.of(known, pair, from.type);
    return loop == null ? null : new VectorFold(loop);
  }

  private static ReduceOp.@Nullable Builtin known(Object function, Elements elements) {
    if (elements.isComplex() || elements.isComputed()) {
      return null;
    }
    for (ReduceOp.Builtin each : OPERATORS) {
      if (function.equals(Combination.function(each, elements.type))) {
        return each;
      }
    }
    return null;
  }

  @Override
  public void fold(
      Object op,
      boolean anyOrder,
      @Nullable Object f,
      Elements from,
      long in,
      @Nullable Elements other,
      long b,
      long count,
      long to) {
    int n = (int) count;
    int done = vectors.fold(in, b, n, to);
    long all;
    if (done > 0) {
      all = lanes(op, to, 0, vectors.lanes());
    } else {
      all = LoopsBody.term(f, from, in, other, b, 0);
      done = 1;
    }
    for (int i = done; i < n; i++) {
      all = LoopsBody.binary(op, all, LoopsBody.term(f, from, in, other, b, i));
    }
    MEMORY.set(JAVA_LONG, to, all);
  }

  /** Combines lanes in halves. */
  private long lanes(Object op, long at, int first, int count) {
    if (count == 1) {
      return lanes.get(at, first);
    }
    int half = count / 2;
    return LoopsBody.binary(op, lanes(op, at, first, half), lanes(op, at, first + half, half));
  }
}
