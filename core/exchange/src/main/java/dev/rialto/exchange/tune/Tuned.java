package dev.rialto.exchange.tune;

import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.plan.Redistribute.MessageOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The outcome of tuning.
 *
 * @param grid the process grid, such as {@code 2x1}; empty where there is no choice
 * @param order the order of elements in messages
 * @param schemes the scheme of each step; one for all steps alike
 * @param candidates what was timed, or estimated, best first; empty if the answer was remembered
 * @param remembered whether it comes from the cache
 */
public record Tuned(
    String grid,
    MessageOrder order,
    List<Scheme> schemes,
    List<Candidate> candidates,
    boolean remembered) {
  /**
   * One combination.
   *
   * @param scheme the scheme, or those of the steps joined by commas
   * @param grid the process grid
   * @param order the order of elements in messages
   * @param seconds the median of the slowest rank's times; of all steps together
   * @param timed whether that was measured, not estimated
   */
  public record Candidate(
      String scheme, String grid, MessageOrder order, double seconds, boolean timed) {
    /**
     * Records it as a JFR event, if somebody wants to know. One rank does: all have the same.
     *
     * @param work what it is a way to do
     */
    public void record(String work, boolean chosen) {
      CandidateEvent.commit(work, this, chosen);
    }
  }

  /** Copies the lists. */
  public Tuned {
    schemes = List.copyOf(schemes);
    candidates = List.copyOf(candidates);
  }

  /** Returns the process grid as numbers. */
  public int[] gridParts() {
    return Arrays.stream(grid.split("x", -1)).mapToInt(Integer::parseInt).toArray();
  }

  /** Returns the scheme of a step. */
  public Scheme scheme(int step) {
    return schemes.get(Math.min(step, schemes.size() - 1));
  }

  /** Returns the schemes as text: one if all steps have the same. */
  public String schemeText() {
    return schemes.stream().map(Scheme::toString).distinct().count() == 1
        ? schemes.getFirst().toString()
        : schemes.stream().map(Scheme::toString).collect(Collectors.joining(","));
  }

  /** Returns the answer on one line, as {@link #parse} reads it. */
  String line() {
    return grid + " " + order + " " + schemeText();
  }

  /** Reads a line; empty if it is not one of these. */
  static Optional<Tuned> parse(String line) {
    String[] words = line.split(" ", -1);
    if (words.length != 3) {
      return Optional.empty();
    }
    try {
      List<Scheme> schemes = Arrays.stream(words[2].split(",", -1)).map(Scheme::parse).toList();
      return Optional.of(
          new Tuned(words[0], MessageOrder.valueOf(words[1]), schemes, List.of(), true));
    } catch (IllegalArgumentException | UnsupportedOperationException e) {
      // Written by another version, or with a codec that is gone: it is found anew.
      return Optional.empty();
    }
  }
}
