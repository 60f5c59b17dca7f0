package dev.rialto.exchange.tune;

import dev.rialto.exchange.Scheme;
import java.util.List;

/**
 * The outcome of tuning.
 *
 * @param way the fastest
 * @param candidates what was timed, or estimated, best first; empty if the answer was remembered
 * @param remembered whether it comes from the cache
 */
public record Tuned(TuningChoice way, List<Candidate> candidates, boolean remembered) {
  /**
   * One of those that were compared.
   *
   * @param way what
   * @param seconds the median of the slowest rank's times; of all steps together
   * @param timed whether that was measured, not estimated
   */
  public record Candidate(TuningChoice way, double seconds, boolean timed) {}

  /** Copies the list. */
  public Tuned {
    candidates = List.copyOf(candidates);
  }

  /** Returns the scheme of a step. */
  public Scheme scheme(int step) {
    return way.scheme(step);
  }
}
