package dev.rialto.array.algorithm;

import dev.rialto.array.loop.Combination;
import dev.rialto.array.loop.Fold;
import dev.rialto.array.loop.Loops;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.View;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.array.run.Scratch;
import dev.rialto.spi.data.DType;
import org.jspecify.annotations.Nullable;

/**
 * Combines a rank's elements chunk by chunk, the chunks' values, and then those of ranks, in order.
 */
public final class Reduction {
  private static final long[] NONE = {};

  /** A chunk's value, and that of its next stretch. */
  private static final long SLOT = 2L * Fold.BYTES;

  private final Combination combination;
  private final Elements elements;
  private final @Nullable Object f;
  private final @Nullable Elements other;
  private final Object op;
  private final Loops loops;
  private final Fold fold;
  private final Elements words;

  public Reduction(
      Combination combination, Elements elements, @Nullable Object f, @Nullable Elements other) {
    this.combination = combination;
    this.elements = elements;
    this.f = f;
    this.other = other;
    this.op = combination.function();
    this.loops = other == null ? Loops.of(op, f, elements) : Loops.of(op, f, elements, other);
    this.fold = Fold.of(loops, op, f, elements, other);
    this.words = Elements.of(elements.isComplex() ? DType.C128 : DType.I64);
  }

  /** Returns the value of this rank's elements, or no word if it has none. */
  long[] ofRank(OperationRunner run, View view, @Nullable View with) {
    int chunks = OperationRunner.chunksOf(view.count());
    if (chunks == 0) {
      return NONE;
    }
    long values = run.scratch().numbers(Scratch.VALUES, SLOT / 8 * chunks).address();
    OperationRunner.Stretch stretch =
        (chunk, at, count) -> {
          long to = values + chunk * SLOT;
          boolean first = at % OperationRunner.CHUNK == 0;
          fold.fold(
              op,
              combination.commutative(),
              f,
              elements,
              view.address(at),
              other,
              with == null ? 0 : with.address(at),
              count,
              first ? to : to + Fold.BYTES);
          if (!first) {
            loops.combine(op, to, to + Fold.BYTES, to);
          }
        };
    if (with == null) {
      run.stretches(0, view.count(), stretch, view);
    } else {
      run.stretches(0, view.count(), stretch, view, with);
    }
    for (int chunk = 1; chunk < chunks; chunk++) {
      loops.combine(op, values, values + chunk * SLOT, values);
    }
    return words.read(values);
  }

  /** Returns the values of the first ranks combined; no word if they have no elements. */
  public long[] ofRanks(OperationRunner run, long[][] values, int ranks) {
    long all = run.scratch().numbers(Scratch.VALUES, SLOT / 8).address();
    boolean some = false;
    for (int rank = 0; rank < ranks; rank++) {
      if (values[rank].length > 0) {
        words.write(some ? all + Fold.BYTES : all, values[rank]);
        if (some) {
          loops.combine(op, all, all + Fold.BYTES, all);
        }
        some = true;
      }
    }
    return some ? words.read(all) : NONE;
  }

  /** Sets {@code to = before op in[0] op … op in[count-1]}. */
  void add(long before, long in, long count, long to) {
    fold.fold(op, combination.commutative(), f, elements, in, other, 0, count, to);
    loops.combine(op, before, to, to);
  }

  /** Exchanges the ranks' values as the last words and returns that of all. */
  long[] ofAllRanks(OperationRunner run, DType type, View view, @Nullable View with) {
    long[] all = ofRanks(run, run.gatherLast(ofRank(run, view, with)), run.ranks());
    if (all.length == 0) {
      all = combination.identity(Elements.of(type));
    }
    Reduce.requireElements(all.length > 0, "reducing with an operator of the user's");
    return all;
  }
}
