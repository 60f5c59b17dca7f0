package dev.rialto.jit.kernel.launch;

import dev.rialto.jit.lift.GuardedSites;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.Lifted.Argument;
import dev.rialto.jit.lift.range.IndexProof;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tells which accesses of a launch look at their index first: those whose index is not known to be
 * right from what the launch passes. Answers are kept, because most launches pass the sizes that an
 * earlier one passed; a number that is another one each time is taken for any number. Thread-safe.
 */
public final class GuardedLaunches {
  private static final int MOST_ANSWERS = 64;

  private record Sizes(List<@Nullable Long> numbers, boolean atMost) {}

  private final String trusted;
  private final Function<GuardedSites, Lifted> lift;
  private final Map<Sizes, Set<Integer>> answers = new LinkedHashMap<>();
  private @Nullable Lifted all;

  /**
   * Begins with no answers.
   *
   * @param trusted see {@link dev.rialto.jit.kernel.Bindings#trusted}
   * @param lift lifts the method with guards
   */
  public GuardedLaunches(String trusted, Function<GuardedSites, Lifted> lift) {
    this.trusted = trusted;
    this.lift = lift;
  }

  /** Returns the method with some of its accesses guarded. */
  public Lifted lifted(Set<Integer> guarded) {
    return lift.apply(GuardedSites.of(trusted, guarded));
  }

  /**
   * Returns the accesses of a launch that have to look.
   *
   * @param numbers what it passes
   * @param atMost whether it has so many items or fewer
   */
  public synchronized Set<Integer> open(long[] numbers, boolean atMost) {
    Lifted method = all;
    if (method == null) {
      method = lift.apply(GuardedSites.toProve(trusted));
      all = method;
    }
    if (method.sites().isEmpty()) {
      return Set.of();
    }
    Set<Integer> ofSizes = answer(method, words(method, numbers, false), atMost);
    List<@Nullable Long> everything = words(method, numbers, true);
    boolean isKnown = answers.containsKey(new Sizes(everything, atMost));
    return ofSizes.isEmpty() || (!isKnown && answers.size() >= MOST_ANSWERS)
        ? ofSizes
        : answer(method, everything, atMost);
  }

  private Set<Integer> answer(Lifted method, List<@Nullable Long> numbers, boolean atMost) {
    Sizes key = new Sizes(numbers, atMost);
    Set<Integer> known = answers.get(key);
    if (known == null) {
      if (answers.size() >= 2 * MOST_ANSWERS) {
        answers.clear();
      }
      known = Set.copyOf(IndexProof.open(method, numbers.toArray(new Long[0]), atMost));
      answers.put(key, known);
    }
    return known;
  }

  /** The sizes of a launch, with or without the other integers that it passes. */
  private static List<@Nullable Long> words(Lifted method, long[] numbers, boolean passed) {
    List<@Nullable Long> words = new ArrayList<>();
    for (int i = 0; i < numbers.length; i++) {
      Argument type = method.passed(i).orElse(null);
      boolean isInteger = type == Argument.INT || type == Argument.LONG;
      words.add(type == null || (passed && isInteger) ? numbers[i] : null);
    }
    return words;
  }
}
