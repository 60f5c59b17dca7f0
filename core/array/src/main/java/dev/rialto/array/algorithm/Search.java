package dev.rialto.array.algorithm;

import dev.rialto.array.part.Operand;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.array.run.OperationRunner;
import java.util.Arrays;
import java.util.OptionalLong;

/** Algorithms that look for elements which meet a condition. They need collectives. */
public final class Search {
  /** The factor by which more chunks ranks look through each time before they ask one another. */
  private static final int GROWTH = 4;

  private Search() {}

  /** Returns the number of the first element that meets a condition, if any does. */
  public static ArrayOperation<OptionalLong> find(Operand array, Object condition) {
    return ArrayOperation.collective(
            "find",
            run -> {
              long least = Long.MAX_VALUE;
              for (long[] of : run.gatherLast(ConditionTest.of(run, array, condition).first())) {
                least = Math.min(least, of[0]);
              }
              return least == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(least);
            })
        .about(array);
  }

  /** Counts the elements that meet a condition. */
  public static ArrayOperation<Long> count(Operand array, Object condition) {
    return ArrayOperation.collective(
            "count", run -> total(run.gatherLast(ConditionTest.of(run, array, condition).count())))
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
  public static ArrayOperation<Boolean> all(Operand array, Object condition) {
    return unlessFound("all", array, condition, false, true);
  }

  /** Tells whether some element meets a condition; stops soon after one that does. */
  public static ArrayOperation<Boolean> any(Operand array, Object condition) {
    return unlessFound("any", array, condition, true, false);
  }

  /** Tells whether no element meets a condition; stops soon after one that does. */
  public static ArrayOperation<Boolean> none(Operand array, Object condition) {
    return unlessFound("none", array, condition, true, true);
  }

  /**
   * Gives an answer unless an element is found that does, or does not, meet a condition. Ranks look
   * through more and more chunks before they ask one another: they stop after at most a few times
   * the chunks that were needed, and ask only as often as a logarithm of them.
   */
  private static ArrayOperation<Boolean> unlessFound(
      String name, Operand array, Object condition, boolean meets, boolean unlessFound) {
    return ArrayOperation.collective(
            name,
            run -> {
              ConditionTest tested = ConditionTest.of(run, array, condition);
              long own = array.layout().count();
              long most = Arrays.stream(Sort.counts(array.distribution())).max().orElse(0);
              for (long from = 0, step = OperationRunner.CHUNK;
                  from < most;
                  from += step, step *= GROWTH) {
                boolean found = tested.any(meets, Math.min(from, own), Math.min(from + step, own));
                if (total(run.gather(found ? 1 : 0)) > 0) {
                  return !unlessFound;
                }
              }
              return unlessFound;
            })
        .about(array);
  }
}
