package dev.rialto.array;

import java.util.OptionalLong;

/** Algorithms that look for elements which meet a condition. They need collectives. */
public final class Search {
  private Search() {}

  /** Returns the number of the first element that meets a condition, if any does. */
  public static Operation<OptionalLong> find(DistributedArray array, Condition condition) {
    Elements elements = Elements.of(array.type());
    Object function = condition.on(elements);
    return Operation.collective(
        array.team(),
        "find",
        run -> {
          View view = View.of(array);
          Loops loops = Loops.of(function, null, elements);
          boolean ordered = array.isInOrder();
          long[] first = new long[Run.chunksOf(view.count())];
          run.chunks(
              view.count(),
              (chunk, begin, end) -> {
                first[chunk] = Long.MAX_VALUE;
                View.stretches(
                    begin,
                    end,
                    (at, count) -> {
                      long i = 0;
                      while (i < count && !(ordered && first[chunk] < Long.MAX_VALUE)) {
                        i += loops.find(function, elements, view.address(at + i), count - i);
                        if (i < count) {
                          first[chunk] = Math.min(first[chunk], array.elementAt(at + i));
                        }
                        i++;
                      }
                    },
                    view);
              });
          return least(run.gatherLast(least(new long[][] {first}).orElse(Long.MAX_VALUE)));
        });
  }

  private static OptionalLong least(long[][] words) {
    long least = Long.MAX_VALUE;
    for (long[] each : words) {
      for (long word : each) {
        least = Math.min(least, word);
      }
    }
    return least == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(least);
  }

  /** Counts the elements that meet a condition. */
  public static Operation<Long> count(DistributedArray array, Condition condition) {
    return counted("count", array, condition, (met, _) -> met);
  }

  /** Tells whether all elements meet a condition. */
  public static Operation<Boolean> all(DistributedArray array, Condition condition) {
    return counted("all", array, condition, (met, of) -> met == of);
  }

  /** Tells whether some element meets a condition. */
  public static Operation<Boolean> any(DistributedArray array, Condition condition) {
    return counted("any", array, condition, (met, _) -> met > 0);
  }

  /** Tells whether no element meets a condition. */
  public static Operation<Boolean> none(DistributedArray array, Condition condition) {
    return counted("none", array, condition, (met, _) -> met == 0);
  }

  private interface Answer<R> {
    R of(long met, long all);
  }

  private static <R> Operation<R> counted(
      String name, DistributedArray array, Condition condition, Answer<R> answer) {
    Elements elements = Elements.of(array.type());
    Object function = condition.on(elements);
    return Operation.collective(
        array.team(),
        name,
        run -> {
          View view = View.of(array);
          Loops loops = Loops.of(function, null, elements);
          long[] met = new long[Run.chunksOf(view.count())];
          run.chunks(
              view.count(),
              (chunk, begin, end) ->
                  View.stretches(
                      begin,
                      end,
                      (at, count) ->
                          met[chunk] += loops.count(function, elements, view.address(at), count),
                      view));
          long[][] words = run.gatherLast(total(new long[][] {met}));
          return answer.of(total(words), array.shape().count());
        });
  }

  private static long total(long[][] words) {
    long total = 0;
    for (long[] each : words) {
      for (long word : each) {
        total += word;
      }
    }
    return total;
  }
}
