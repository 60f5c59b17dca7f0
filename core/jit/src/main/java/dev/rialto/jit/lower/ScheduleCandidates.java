package dev.rialto.jit.lower;

import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.Symbol.Iter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Schedules worth trying for one assignment: the automatic one and what is near it. */
public final class ScheduleCandidates {
  private static final int[] TIMES = {1, 2, 4, 8};

  private ScheduleCandidates() {}

  /**
   * Returns candidates for the last assignment to a node, the automatic schedule first. All are
   * sound: they differ in how often loops are unrolled, and in whether operands are cached.
   *
   * @throws IllegalArgumentException if the program does not assign the node
   */
  public static List<Schedule> of(Program program, Node target, Options options) {
    Assign assign =
        Normalize.apply(program.assigns()).reversed().stream()
            .filter(a -> a.target() == target)
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "program " + program.name() + " does not assign " + target));
    Schedule automatic = AutoSchedule.of(assign, options);
    Set<Schedule> candidates = new LinkedHashSet<>(Set.of(automatic));
    if (AutoSchedule.isIndependent(assign)) {
      List<Iter> loops = assign.targetLoops();
      unroll(candidates, without(automatic, Schedule.Unroll.class), loops, 0);
      Schedule uncached = without(automatic, Schedule.Cache.class);
      unroll(candidates, without(uncached, Schedule.Unroll.class), loops, 0);
    }
    return List.copyOf(candidates);
  }

  private static Schedule without(Schedule schedule, Class<? extends Schedule.Step> kind) {
    return new Schedule(schedule.steps().stream().filter(s -> !kind.isInstance(s)).toList());
  }

  private static void unroll(Set<Schedule> found, Schedule base, List<Iter> loops, int at) {
    if (at == loops.size()) {
      found.add(base);
      return;
    }
    Iter loop = loops.get(at);
    for (int times : TIMES) {
      if (times == 1) {
        unroll(found, base, loops, at + 1);
      } else if ((long) times * base.lanes(loop.name()) <= loop.size()) {
        List<Schedule.Step> steps = new ArrayList<>(base.steps());
        steps.add(new Schedule.Unroll(loop.name(), times));
        unroll(found, new Schedule(steps), loops, at + 1);
      }
    }
  }
}
