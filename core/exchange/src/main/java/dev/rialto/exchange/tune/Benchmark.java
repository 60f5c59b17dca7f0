package dev.rialto.exchange.tune;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Times several things against one another, on all ranks.
 *
 * <p>Candidates take turns, so that a slow spell of the machine hits all of them; a turn takes as
 * long as it does on the slowest rank; what counts is the median of the turns. Before each turn is
 * one that is not timed: it makes buffers and touches memory, and after the turn they are given
 * back, so that many candidates need no more memory than one. A candidate far behind drops out, and
 * at the end the two best meet again alone, because the best of many noisy medians is often a lucky
 * one. All numbers that decide are the same on all ranks, and so is the outcome.
 */
public final class Benchmark {
  /** Slower than the best by this factor after two turns, an candidate is out. */
  private static final double HOPELESS = 2;

  /** The turns in which the best two are timed against each other again. */
  private static final int FINAL_TURNS = 5;

  /**
   * Something to time.
   *
   * @param <T> what it stands for
   */
  public static final class Candidate<T> {
    private final T what;
    private final Runnable turn;
    private final Runnable after;
    private final List<Double> seconds = new ArrayList<>();
    private boolean out;

    /**
     * Makes an candidate.
     *
     * @param turn what is timed
     * @param after gives back what the turns need
     */
    public Candidate(T what, Runnable turn, Runnable after) {
      this.what = what;
      this.turn = turn;
      this.after = after;
    }

    /** Returns what it stands for. */
    public T what() {
      return what;
    }

    /** Returns the median; infinite if it never had a counted turn. */
    public double seconds() {
      double[] sorted = seconds.stream().mapToDouble(Double::doubleValue).sorted().toArray();
      int n = sorted.length;
      return n == 0 ? Double.POSITIVE_INFINITY : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    }
  }

  /** Hears how far a race is. */
  @FunctionalInterface
  public interface Progress {
    /** Takes one step of {@code total}. */
    void step(int done, int total, String what);

    /**
     * Returns whether to stop: the turn under way is then the last on all ranks, as when the time
     * is up. One rank that wants to is enough.
     */
    default boolean stop() {
      return false;
    }
  }

  private final Communicator comm;
  private final Progress progress;
  private final long start = System.nanoTime();
  private final long limit;
  private boolean late;

  /**
   * Makes a race, whose time begins. When it is up the turn under way is the last, of the race that
   * is run and of all later ones: what was timed until then decides.
   */
  public Benchmark(Communicator comm, Duration limit, Progress progress) {
    this.comm = comm;
    this.limit = limit.toNanos();
    this.progress = progress;
  }

  /**
   * Runs so many turns, or until the time is up, and returns the winner.
   *
   * @param candidates the most promising ones first: they have their turns if time is short
   */
  public <T> Candidate<T> run(List<Candidate<T>> candidates, int turns) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(JAVA_DOUBLE);
      for (int turn = 0; turn < turns && !late; turn++) {
        for (int i = 0; i < candidates.size() && !late; i++) {
          Candidate<T> each = candidates.get(i);
          if (!each.out) {
            progress.step(
                turn * candidates.size() + i, turns * candidates.size(), each.what.toString());
            time(each, number);
            boolean enough = System.nanoTime() - start > limit || progress.stop();
            late = largest(number, enough ? 1 : 0) > 0;
          }
        }
        if (turn >= 1) {
          dropHopeless(candidates);
        }
      }
      Candidate<T> best = best(candidates, null);
      Candidate<T> second = best(candidates, best);
      if (second == best || second.out || late) {
        return best;
      }
      for (int turn = 0; turn < FINAL_TURNS; turn++) {
        time(best, number);
        time(second, number);
      }
      return best.seconds() <= second.seconds() ? best : second;
    }
  }

  private <T> void time(Candidate<T> each, MemorySegment number) {
    TrialEvent event = new TrialEvent();
    event.begin();
    each.turn.run();
    comm.barrier();
    long start = System.nanoTime();
    each.turn.run();
    each.seconds.add(largest(number, (System.nanoTime() - start) / 1e9));
    each.after.run();
    event.commit(each.what, comm.rank());
  }

  private double largest(MemorySegment number, double mine) {
    number.set(JAVA_DOUBLE, 0, mine);
    comm.allReduce(number, number, DType.F64, 1, ReduceOp.MAX);
    return number.get(JAVA_DOUBLE, 0);
  }

  private static <T> void dropHopeless(List<Candidate<T>> candidates) {
    double best = candidates.stream().mapToDouble(Candidate::seconds).min().orElse(0);
    for (Candidate<T> each : candidates) {
      each.out |= each.seconds() > HOPELESS * best;
    }
  }

  private static <T> Candidate<T> best(List<Candidate<T>> candidates, @Nullable Object not) {
    Candidate<T> best = candidates.getFirst();
    double least = Double.POSITIVE_INFINITY;
    for (Candidate<T> each : candidates) {
      if (each != not && each.seconds() < least) {
        best = each;
        least = each.seconds();
      }
    }
    return best;
  }

  /** Returns all ways to write a number as a product of two, or the number alone. */
  static List<int[]> grids(int ranks, int axes) {
    List<int[]> grids = new ArrayList<>();
    if (axes == 2) {
      return List.of(new int[] {ranks});
    }
    for (int first = 1; first <= ranks; first++) {
      if (ranks % first == 0) {
        grids.add(new int[] {first, ranks / first});
      }
    }
    return grids;
  }

  static String text(int[] grid) {
    return String.join("x", Arrays.stream(grid).mapToObj(Integer::toString).toList());
  }
}
