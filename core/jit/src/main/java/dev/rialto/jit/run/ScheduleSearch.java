package dev.rialto.jit.run;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.lower.Options;
import dev.rialto.jit.lower.Schedule;
import dev.rialto.jit.lower.ScheduleCandidates;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds a good schedule for one assignment by timing candidates on a back end. Rounds over all
 * candidates alternate, so that a slow spell of the machine hits them all; the fastest by median is
 * the answer. Costs a compilation and {@code rounds} runs per candidate.
 */
public final class ScheduleSearch {
  /**
   * A candidate that was timed.
   *
   * @param schedule the schedule
   * @param millis its median
   */
  public record Timed(Schedule schedule, double millis) {}

  private ScheduleSearch() {}

  /**
   * Times all candidates for a node; the fastest comes first, ready for {@link
   * Settings#withSchedules}.
   *
   * @param backend the back end's name
   * @param rounds how often each is timed, from 1
   */
  public static List<Timed> search(
      String backend, Settings settings, Program program, Node target, int rounds) {
    if (rounds < 1) {
      throw new IllegalArgumentException("a search of " + rounds + " rounds; give at least 1");
    }
    Options options;
    try (JitBackend probe = JitBackend.open(backend, settings)) {
      options = probe.options();
    }
    List<Schedule> candidates = ScheduleCandidates.of(program, target, options);
    Map<Schedule, double[]> times = new HashMap<>();
    // The first round warms up.
    for (int round = -1; round < rounds; round++) {
      for (Schedule candidate : candidates) {
        double millis = time(backend, settings, program, target, candidate);
        if (round >= 0) {
          times.computeIfAbsent(candidate, _ -> new double[rounds])[round] = millis;
        }
      }
    }
    return candidates.stream()
        .map(candidate -> new Timed(candidate, median(times.get(candidate))))
        .sorted(Comparator.comparingDouble(Timed::millis))
        .toList();
  }

  private static double median(double[] times) {
    Arrays.sort(times);
    return times[times.length / 2];
  }

  private static double time(
      String backend, Settings settings, Program program, Node target, Schedule candidate) {
    Map<String, Schedule> schedules = new HashMap<>(settings.schedules());
    schedules.put(target.name(), candidate);
    try (JitBackend machine = JitBackend.open(backend, settings.withSchedules(schedules));
        Compiled compiled = machine.compile(program);
        Context root = machine.newDevice(0).context();
        Routine routine = machine.link(root, compiled);
        Context context = routine.context()) {
      routine.run();
      context.device().await();
      long start = System.nanoTime();
      routine.run();
      context.device().await();
      return (System.nanoTime() - start) / 1e6;
    }
  }
}
