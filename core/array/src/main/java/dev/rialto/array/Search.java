package dev.rialto.array;

import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;

/** Algorithms that look for elements which meet a condition. They need collectives. */
final class Search {
  /** How many times more chunks ranks look through each time before they ask one another. */
  private static final int GROWTH = 4;

  private Search() {}

  /** Returns the number of the first element that meets a condition, if any does. */
  static ArrayOperation<OptionalLong> find(Array array, Object condition) {
    Elements elements = array.elements();
    Loops loops = Loops.of(condition, null, elements);
    return ArrayOperation.collective(
            array.team(),
            "find",
            run -> {
              View view = array.values();
              long[] first =
                  run.scratch().longs(Scratch.CHUNKS, OperationRunner.chunksOf(view.count()));
              int chunks = OperationRunner.chunksOf(view.count());
              Arrays.fill(first, 0, chunks, Long.MAX_VALUE);
              run.stretches(
                  0,
                  view.count(),
                  (chunk, at, count) -> {
                    long i = 0;
                    while (i < count && !(view.isInOrder() && first[chunk] < Long.MAX_VALUE)) {
                      i += loops.find(condition, true, elements, view.address(at + i), count - i);
                      if (i < count) {
                        first[chunk] = Math.min(first[chunk], array.elementAt(at + i));
                      }
                      i++;
                    }
                  },
                  view);
              long least = Long.MAX_VALUE;
              for (int chunk = 0; chunk < chunks; chunk++) {
                least = Math.min(least, first[chunk]);
              }
              for (long[] of : run.gatherLast(least)) {
                least = Math.min(least, of[0]);
              }
              return least == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(least);
            })
        .about(array);
  }

  /** Counts the elements that meet a condition. */
  static ArrayOperation<Long> count(Array array, Object condition) {
    Elements elements = array.elements();
    Loops loops = Loops.of(condition, null, elements);
    return ArrayOperation.collective(
            array.team(),
            "count",
            run -> {
              View view = array.values();
              int chunks = OperationRunner.chunksOf(view.count());
              long[] met = run.scratch().longs(Scratch.CHUNKS, chunks);
              Arrays.fill(met, 0, chunks, 0);
              run.stretches(
                  0,
                  view.count(),
                  (chunk, at, count) ->
                      met[chunk] += loops.count(condition, elements, view.address(at), count),
                  view);
              long own = 0;
              for (int chunk = 0; chunk < chunks; chunk++) {
                own += met[chunk];
              }
              return total(run.gatherLast(own));
            })
        .about(array);
  }

  /** Returns the sum of a word of each rank. */
  private static long total(long[][] words) {
    long total = 0;
    for (long[] each : words) {
      total += each[0];
    }
    return total;
  }

  /** Tells whether all elements meet a condition; stops soon after one that does not. */
  static ArrayOperation<Boolean> all(Array array, Object condition) {
    return unlessFound("all", array, condition, false, true);
  }

  /** Tells whether some element meets a condition; stops soon after one that does. */
  static ArrayOperation<Boolean> any(Array array, Object condition) {
    return unlessFound("any", array, condition, true, false);
  }

  /** Tells whether no element meets a condition; stops soon after one that does. */
  static ArrayOperation<Boolean> none(Array array, Object condition) {
    return unlessFound("none", array, condition, true, true);
  }

  /**
   * Gives an answer unless an element is found that does, or does not, meet a condition. Ranks look
   * through more and more chunks before they ask one another: they stop after at most a few times
   * the chunks that were needed, and ask only as often as a logarithm of them.
   */
  private static ArrayOperation<Boolean> unlessFound(
      String name, Array array, Object condition, boolean meets, boolean unlessFound) {
    Elements elements = array.elements();
    Loops loops = Loops.of(condition, null, elements);
    return ArrayOperation.collective(
            array.team(),
            name,
            run -> {
              View view = array.values();
              AtomicBoolean found = new AtomicBoolean();
              long most = Arrays.stream(Sort.counts(view.distribution())).max().orElse(0);
              for (long from = 0, step = OperationRunner.CHUNK;
                  from < most;
                  from += step, step *= GROWTH) {
                run.stretches(
                    Math.min(from, view.count()),
                    Math.min(from + step, view.count()),
                    (_, at, count) -> {
                      if (!found.get()
                          && loops.find(condition, meets, elements, view.address(at), count)
                              < count) {
                        found.set(true);
                      }
                    },
                    view);
                if (total(run.gather(found.get() ? 1 : 0)) > 0) {
                  return !unlessFound;
                }
              }
              return unlessFound;
            })
        .about(array);
  }
}
