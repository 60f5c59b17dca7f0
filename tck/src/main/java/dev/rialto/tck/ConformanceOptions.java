package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/**
 * The backend to check, and the effort; see {@link ConformanceKit#run}.
 *
 * @param backend the backend under test
 * @param ranks the numbers of ranks to check with, in ascending order
 * @param seed what random numbers are made from; {@code -Drialto.tck.seed} if not given
 * @param effort how many rounds of random cases to run, from 1; {@code -Drialto.tck.effort} if not
 *     given
 * @param limit how long one requirement may take; 60 s if not given, times {@code
 *     -Drialto.tck.patience}
 * @param delay the longest random delay put before each call of a communicator; zero for none
 * @param filter which requirements to run, by their id
 * @param progress is told after each requirement
 */
public record ConformanceOptions(
    BackendProvider backend,
    List<Integer> ranks,
    long seed,
    int effort,
    Duration limit,
    Duration delay,
    Predicate<String> filter,
    Progress progress) {
  private static final List<Integer> RANKS = List.of(1, 2, 3, 4, 5, 6, 7, 8);

  /** Is told how far a run is. */
  @FunctionalInterface
  public interface Progress {
    /**
     * Takes one step.
     *
     * @param done how many requirements are done
     * @param total how many there are
     * @param id the one just done
     */
    void step(int done, int total, String id);
  }

  /** Checks the values and sorts the numbers of ranks. */
  public ConformanceOptions {
    ranks = ranks.stream().sorted().distinct().toList();
    if (ranks.isEmpty() || ranks.getFirst() < 1) {
      throw new IllegalArgumentException("ranks " + ranks + "; give numbers from 1 up");
    }
    if (effort < 1) {
      throw new IllegalArgumentException("effort " + effort + "; give at least 1");
    }
    if (limit.isNegative() || limit.isZero()) {
      throw new IllegalArgumentException("time limit " + limit + "; give one above zero");
    }
    if (delay.isNegative()) {
      throw new IllegalArgumentException("delay " + delay + "; give zero or more");
    }
  }

  /** Checks a backend in full, with 1 to 8 ranks. */
  public static ConformanceOptions of(BackendProvider backend) {
    double patience = Double.parseDouble(System.getProperty("rialto.tck.patience", "1"));
    return new ConformanceOptions(
        backend,
        RANKS,
        Long.getLong("rialto.tck.seed", 1),
        Integer.getInteger("rialto.tck.effort", 1),
        Duration.ofMillis(Math.round(60_000 * patience)),
        Duration.ZERO,
        _ -> true,
        (_, _, _) -> {});
  }

  /**
   * Checks the backend of that name.
   *
   * @throws dev.rialto.spi.error.BackendException if there is none, or it cannot be used here
   */
  public static ConformanceOptions of(String name) {
    return of(Backends.get(name));
  }

  /** Returns these options with other numbers of ranks. */
  public ConformanceOptions withRanks(List<Integer> other) {
    return new ConformanceOptions(backend, other, seed, effort, limit, delay, filter, progress);
  }

  /** Returns these options with another seed. */
  public ConformanceOptions withSeed(long other) {
    return new ConformanceOptions(backend, ranks, other, effort, limit, delay, filter, progress);
  }

  /**
   * Returns these options with so many rounds of random cases, and as many times the time limit.
   */
  public ConformanceOptions withEffort(int rounds) {
    return new ConformanceOptions(
        backend,
        ranks,
        seed,
        rounds,
        limit.multipliedBy(Math.max(1, rounds)),
        delay,
        filter,
        progress);
  }

  /** Returns these options with another time limit for one requirement. */
  public ConformanceOptions withLimit(Duration other) {
    return new ConformanceOptions(backend, ranks, seed, effort, other, delay, filter, progress);
  }

  /** Returns these options with random delays of up to {@code most} in communicators. */
  public ConformanceOptions withDelay(Duration most) {
    return new ConformanceOptions(backend, ranks, seed, effort, limit, most, filter, progress);
  }

  /**
   * Returns these options for only those requirements whose id is accepted. Each is asked again
   * before it runs and while it does: a filter that no longer accepts ends the run, with a report
   * of what was done.
   */
  public ConformanceOptions only(Predicate<String> ids) {
    return new ConformanceOptions(backend, ranks, seed, effort, limit, delay, ids, progress);
  }

  /** Returns these options with a listener that hears how far the run is. */
  public ConformanceOptions withProgress(Progress listener) {
    return new ConformanceOptions(backend, ranks, seed, effort, limit, delay, filter, listener);
  }
}
