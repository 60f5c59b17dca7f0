package dev.rialto.array;

import dev.rialto.spi.data.DType;
import org.jspecify.annotations.Nullable;

/** The values that chunks of a rank's elements, and then ranks, are combined into, in order. */
final class Folding {
  private final Run run;
  private final Loops loops;
  private final Object op;
  private final long[] values;
  private final boolean[] some;

  Folding(Run run, Loops loops, Object op, long count) {
    this.run = run;
    this.loops = loops;
    this.op = op;
    this.values = new long[Run.chunksOf(count)];
    this.some = new boolean[values.length];
  }

  /** Combines the elements of a view, or a function of them, or of them and those of another. */
  Folding addAll(@Nullable Object f, View view, @Nullable View other) {
    View[] views = other == null ? new View[] {view} : new View[] {view, other};
    Elements with = other == null ? null : other.elements();
    run.chunks(
        view.count(),
        (chunk, begin, end) ->
            View.stretches(
                begin,
                end,
                (at, count) ->
                    add(
                        chunk,
                        loops.fold(
                            op,
                            f,
                            view.elements(),
                            view.address(at),
                            with,
                            other == null ? 0 : other.address(at),
                            count)),
                views));
    return this;
  }

  /** Combines another stretch into a chunk's value; one thread per chunk. */
  private void add(int chunk, long value) {
    values[chunk] = some[chunk] ? loops.combine(op, values[chunk], value) : value;
    some[chunk] = true;
  }

  /** Returns this rank's value as one word, or no word if it has no elements. */
  long[] ofRank() {
    long[] word = {};
    for (int chunk = 0; chunk < values.length; chunk++) {
      if (some[chunk]) {
        word = combined(word, values[chunk]);
      }
    }
    return word;
  }

  private long[] combined(long[] word, long value) {
    return new long[] {word.length == 0 ? value : loops.combine(op, word[0], value)};
  }

  /** Returns the value of ranks {@code 0} to {@code end - 1}; no word if they have no elements. */
  long[] ofRanks(long[][] words, int end) {
    long[] all = {};
    for (int rank = 0; rank < end; rank++) {
      for (long value : words[rank]) {
        all = combined(all, value);
      }
    }
    return all;
  }

  /** Exchanges the ranks' values as the last words and returns that of all. */
  Scalar ofAllRanks(DType type) {
    long[] all = ofRanks(run.gatherLast(ofRank()), run.ranks());
    Reduce.requireElements(all.length > 0, "reducing");
    return new Scalar(type, all[0]);
  }
}
