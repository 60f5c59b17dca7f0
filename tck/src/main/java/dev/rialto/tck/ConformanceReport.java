package dev.rialto.tck;

import java.util.List;

/**
 * What a run of the kit found.
 *
 * @param backend the name of the backend that was checked
 * @param ranks the numbers of ranks it was checked with
 * @param seed what repeats the run
 * @param results one per requirement
 */
public record ConformanceReport(
    String backend, List<Integer> ranks, long seed, List<RequirementResult> results) {
  /** Copies the lists. */
  public ConformanceReport {
    ranks = List.copyOf(ranks);
    results = List.copyOf(results);
  }

  /** Returns whether no requirement failed. */
  public boolean passed() {
    return count(Outcome.FAILED) == 0;
  }

  /** Returns how many requirements had this outcome. */
  public int count(Outcome outcome) {
    return (int) results.stream().filter(result -> result.outcome() == outcome).count();
  }
}
