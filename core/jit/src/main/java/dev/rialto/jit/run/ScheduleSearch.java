package dev.rialto.jit.run;

import dev.rialto.jit.Program;
import dev.rialto.jit.lower.Schedule;
import dev.rialto.jit.lower.ScheduleCandidates;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds good schedules for a program by timing candidates on a back end.
 *
 * <p>Assignments are searched one after the other, each with the best of those before it. Rounds
 * over all candidates alternate, so that a slow spell of the machine hits them all, and those whose
 * best run is far behind drop out; the fastest by median is the answer if it is faster than the
 * automatic schedule by more than noise. At the end all answers together are timed against all
 * automatic schedules once more. Costs a compilation per candidate.
 */
public final class ScheduleSearch {
  /** The time that may go into a search. */
  public enum Effort {
    /** The automatic schedules; nothing is timed. */
    ESTIMATE(0, 0, 0),
    /** Every candidate, briefly. */
    MEASURE(20, 5, 1),
    /** Every candidate, until the JVM has compiled it with care too. */
    PATIENT(150, 15, 1),
    /** That, and again over all assignments, since the best of one may depend on another. */
    EXHAUSTIVE(150, 15, 2);

    private final long warmMillis;
    private final int rounds;
    private final int passes;

    Effort(long warmMillis, int rounds, int passes) {
      this.warmMillis = warmMillis;
      this.rounds = rounds;
      this.passes = passes;
    }
  }

  /**
   * A candidate that was timed.
   *
   * @param node the target of the assignment
   * @param schedule its schedule
   * @param millis a run of the whole program, by median
   */
  public record Timed(String node, Schedule schedule, double millis) {}

  /**
   * The result of a search.
   *
   * @param schedules by target node, those that are better than the automatic ones; ready for
   *     {@link Settings#withSchedules}
   * @param timed all candidates, by assignment, the fastest first
   * @param automaticMillis a run with the automatic schedules; 0 if nothing was timed
   * @param millis a run with the schedules found; 0 if nothing was timed
   */
  public record Found(
      Map<String, Schedule> schedules, List<Timed> timed, double automaticMillis, double millis) {}

  /** An improvement by less is noise. */
  private static final double BETTER = 0.97;

  private static final double HOPELESS = 1.5;
  private static final long SEED = 1;

  private final JitBackend backend;
  private final Program program;
  private final Effort effort;
  private final int ordinal;

  private ScheduleSearch(JitBackend backend, Program program, Effort effort, int ordinal) {
    this.backend = backend;
    this.program = program;
    this.effort = effort;
    this.ordinal = ordinal;
  }

  /**
   * Searches schedules for a program's assignments, with random inputs.
   *
   * @param backend where it is timed; schedules of its settings count as automatic ones
   */
  public static Found search(JitBackend backend, Program program, Effort effort) {
    return search(backend, program, effort, 0);
  }

  /**
   * Searches as {@link #search(JitBackend, Program, Effort)} does.
   *
   * @param ordinal the physical device that it is timed on
   */
  public static Found search(JitBackend backend, Program program, Effort effort, int ordinal) {
    return new ScheduleSearch(backend, program, effort, ordinal).search();
  }

  private Found search() {
    Map<String, List<Schedule>> candidates = ScheduleCandidates.of(program, backend.options());
    Map<String, Schedule> best = new TreeMap<>();
    Map<String, List<Timed>> timed = new LinkedHashMap<>();
    for (int pass = 0; pass < effort.passes; pass++) {
      candidates.forEach((node, schedules) -> timed.put(node, assignment(node, schedules, best)));
    }
    List<Timed> all = timed.values().stream().flatMap(List::stream).toList();
    if (effort == Effort.ESTIMATE) {
      return new Found(Map.of(), all, 0, 0);
    }
    double[] both = race(List.of(Map.of(), best));
    boolean pays = both[1] < BETTER * both[0];
    return new Found(pays ? Map.copyOf(best) : Map.of(), all, both[0], pays ? both[1] : both[0]);
  }

  private List<Timed> assignment(
      String node, List<Schedule> schedules, Map<String, Schedule> best) {
    ScheduleSearchEvent event = new ScheduleSearchEvent();
    event.begin();
    List<Map<String, Schedule>> tries = new ArrayList<>();
    for (Schedule schedule : schedules) {
      Map<String, Schedule> all = new TreeMap<>(best);
      all.put(node, schedule);
      tries.add(all);
    }
    double[] millis = race(tries);
    List<Timed> timed = new ArrayList<>();
    for (int i = 0; i < millis.length; i++) {
      timed.add(new Timed(node, schedules.get(i), millis[i]));
    }
    Timed automatic = timed.getFirst();
    timed.sort(Comparator.comparingDouble(Timed::millis));
    Timed winner = timed.getFirst();
    if (winner.millis() < BETTER * automatic.millis()) {
      best.put(node, winner.schedule());
    } else {
      best.remove(node);
      winner = automatic;
    }
    event.commit(backend.name(), program.name(), winner, automatic.millis(), timed.size());
    return timed;
  }

  /** Times the program with schedules against one another; the medians are in their order. */
  private double[] race(List<Map<String, Schedule>> tries) {
    List<Runner> runners = new ArrayList<>();
    try (Context root = backend.newDevice(ordinal).context()) {
      try {
        Context shared = root;
        for (Map<String, Schedule> schedules : tries) {
          Runner runner = new Runner(shared, schedules);
          runners.add(runner);
          if (shared == root) {
            runner.routine.randomInputs(SEED);
            shared = runner.routine.context();
          }
        }
        runners.forEach(Runner::warmUp);
        for (int round = 0; round < effort.rounds; round++) {
          double best = runners.stream().mapToDouble(runner -> runner.fastest).min().orElseThrow();
          for (Runner runner : runners) {
            if (round == 0 || runner.fastest < HOPELESS * best) {
              runner.times.add(runner.time());
            }
          }
        }
        return runners.stream().mapToDouble(Runner::median).toArray();
      } finally {
        // The first holds the memory of all.
        runners.reversed().forEach(Runner::close);
      }
    }
  }

  private final class Runner implements AutoCloseable {
    private final Compiled compiled;
    private final Routine routine;
    private final List<Double> times = new ArrayList<>();
    private double fastest = Double.POSITIVE_INFINITY;

    Runner(Context context, Map<String, Schedule> schedules) {
      Map<String, Schedule> all = new TreeMap<>(backend.options().schedules());
      all.putAll(schedules);
      compiled = backend.compile(program, backend.options().withSchedules(all));
      routine = backend.link(context, compiled);
    }

    void warmUp() {
      long enough = System.nanoTime() + effort.warmMillis * 1_000_000;
      do {
        time();
      } while (System.nanoTime() < enough);
    }

    double time() {
      long start = System.nanoTime();
      routine.run();
      routine.context().device().await();
      double millis = (System.nanoTime() - start) / 1e6;
      fastest = Math.min(fastest, millis);
      return millis;
    }

    double median() {
      double[] sorted = times.stream().mapToDouble(Double::doubleValue).sorted().toArray();
      return sorted[sorted.length / 2];
    }

    @Override
    public void close() {
      routine.close();
      routine.context().close();
      compiled.close();
    }
  }
}
