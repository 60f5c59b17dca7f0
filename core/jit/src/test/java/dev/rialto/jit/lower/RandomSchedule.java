package dev.rialto.jit.lower;

import dev.rialto.jit.Assign;
import dev.rialto.jit.Program;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.Symbol.Iter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random schedules; those that would change a result are refused. */
public final class RandomSchedule {
  private final Random random;

  private RandomSchedule(long seed) {
    this.random = new Random(seed);
  }

  /**
   * Returns schedules by target node that a strict program accepts; nodes without one have none.
   */
  public static Map<String, Schedule> of(Program program, Options options, long seed) {
    RandomSchedule some = new RandomSchedule(seed);
    Map<String, Schedule> accepted = new LinkedHashMap<>();
    for (Assign a : Pipeline.inline(program, options).assigns()) {
      for (int attempt = 0; attempt < 8; attempt++) {
        Map<String, Schedule> more = new LinkedHashMap<>(accepted);
        more.put(a.target().name(), some.schedule(a));
        if (isAccepted(program, options.withSchedules(more))) {
          accepted = more;
          break;
        }
      }
    }
    return accepted;
  }

  private static boolean isAccepted(Program program, Options options) {
    try {
      return !Pipeline.run(program, options).procedures().isEmpty();
    } catch (IllegalArgumentException e) {
      assert e.getMessage() != null;
      return false;
    }
  }

  private Schedule schedule(Assign a) {
    List<Iter> loops = new ArrayList<>(a.loops());
    List<Schedule.Step> steps = new ArrayList<>();
    if (loops.isEmpty()) {
      return Schedule.PLAIN;
    }
    if (random.nextInt(2) == 0) {
      steps.add(new Schedule.Parallel(pick(loops)));
    }
    if (random.nextInt(2) == 0) {
      Collections.shuffle(loops, random);
      steps.add(new Schedule.Reorder(loops.stream().map(Iter::name).toList()));
    }
    if (random.nextInt(3) == 0) {
      steps.add(new Schedule.Block(pick(loops), 1 + random.nextInt(9)));
    }
    for (Iter loop : loops) {
      if (random.nextInt(3) == 0) {
        steps.add(new Schedule.Unroll(loop.name(), 1 + random.nextInt(5)));
      }
    }
    if (random.nextInt(2) == 0) {
      steps.add(new Schedule.Vector(pick(loops), 2 << random.nextInt(3)));
    }
    List<ScalarExpression.Read> reads = a.body().reads();
    if (random.nextInt(3) == 0 && !reads.isEmpty()) {
      String node = reads.get(random.nextInt(reads.size())).node().name();
      steps.add(new Schedule.Cache(node));
    }
    return new Schedule(steps);
  }

  private String pick(List<Iter> loops) {
    return loops.get(random.nextInt(loops.size())).name();
  }
}
