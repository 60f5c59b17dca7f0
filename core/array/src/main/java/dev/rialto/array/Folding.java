package dev.rialto.array;

import dev.rialto.spi.data.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The values that chunks of a rank's elements, and then ranks, are combined into, in order. */
final class Folding {
  private static final long[] NONE = {};

  private final Run run;
  private final Loops loops;
  private final Object op;
  private final long[][] values;

  Folding(Run run, Loops loops, Object op, long count) {
    this.run = run;
    this.loops = loops;
    this.op = op;
    this.values = new long[Run.chunksOf(count)][];
    Arrays.fill(values, NONE);
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
  private void add(int chunk, long[] value) {
    values[chunk] = combined(values[chunk], value);
  }

  /** Returns this rank's value, or no word if it has no elements. */
  long[] ofRank() {
    return all(values, values.length);
  }

  private long[] combined(long[] before, long[] value) {
    return before.length == 0 ? value : loops.combine(op, before, value);
  }

  /** Returns the value of the first parts, chunks or ranks; no word if they have no elements. */
  long[] all(long[][] words, int parts) {
    long[] all = NONE;
    for (int part = 0; part < parts; part++) {
      if (words[part].length > 0) {
        all = combined(all, words[part]);
      }
    }
    return all;
  }

  /** Exchanges the ranks' values as the last words and returns that of all. */
  Scalar ofAllRanks(DType type) {
    long[] all = all(run.gatherLast(ofRank()), run.ranks());
    Reduce.requireElements(all.length > 0, "reducing");
    return new Scalar(type, all);
  }
}
