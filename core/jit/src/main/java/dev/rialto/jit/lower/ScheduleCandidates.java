package dev.rialto.jit.lower;

import static java.util.stream.Collectors.toList;

import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.lower.arithmetic.Arithmetic;
import dev.rialto.jit.lower.nest.AutoSchedule;
import dev.rialto.jit.lower.nest.LoopOrder;
import dev.rialto.jit.lower.threads.Threads;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Schedules worth trying for each assignment: the automatic one and what is near it. */
public final class ScheduleCandidates {
  private static final int[] TIMES = {1, 2, 4, 8};

  /** Threads of a tile, and how many of them may be along the slower loop. */
  private static final int THREADS = 256;

  private static final int[] TILES = {8, 16};
  private static final int[] ELEMENTS = {1, 2, 4};

  /** Beyond these there are too many orders to try them all. */
  private static final int MOST_LOOPS = 4;

  private ScheduleCandidates() {}

  /**
   * Returns candidates by target node for the assignments that are left when virtual nodes are
   * gone, the automatic schedule first. All are sound: they differ in the order of loops, in how
   * wide vectors are, in how often loops are unrolled, and in whether operands are cached; for a
   * GPU, in the tiles of its threads and in how many elements each has. Nodes that are assigned
   * more than once keep their automatic schedules.
   */
  public static Map<String, List<Schedule>> of(Program program, Options options) {
    Map<Node, List<Assign>> assigns =
        Pipeline.inline(program, options).assigns().stream()
            .collect(Collectors.groupingBy(Assign::target, LinkedHashMap::new, toList()));
    Map<String, List<Schedule>> candidates = new LinkedHashMap<>();
    assigns.forEach(
        (node, all) -> {
          if (all.size() == 1) {
            candidates.put(node.name(), of(all.getFirst(), options));
          }
        });
    return candidates;
  }

  private static List<Schedule> of(Assign assign, Options options) {
    Schedule given = options.schedules().get(assign.target().name());
    Schedule automatic = given != null ? given : AutoSchedule.of(assign, options);
    Set<Schedule> candidates = new LinkedHashSet<>(Set.of(automatic));
    if (AutoSchedule.isIndependent(assign) && !assign.hasEnds() && options.threads()) {
      tiles(candidates, Threads.targets(assign));
    } else if (AutoSchedule.isIndependent(assign) && !assign.hasEnds()) {
      List<Iter> loops = assign.targetLoops();
      unroll(candidates, without(automatic, Schedule.Unroll.class), loops, 0);
      Schedule uncached = without(automatic, Schedule.Cache.class);
      Schedule bare = without(uncached, Schedule.Unroll.class);
      unroll(candidates, bare, loops, 0);
      widths(candidates, automatic);
      // Values of 16 bits are combined in registers alone, which other orders would not do.
      boolean inRegisters =
          Arithmetic.isHalf(assign.target().type()) && !assign.reducedLoops().isEmpty();
      if (assign.loops().size() <= MOST_LOOPS && !inRegisters) {
        reorder(candidates, bare, assign, new ArrayList<>());
      }
    }
    return List.copyOf(candidates);
  }

  /** Adds shapes of tiles for the two fastest loops, and elements that a thread has along each. */
  private static void tiles(Set<Schedule> found, List<Iter> loops) {
    if (loops.isEmpty()) {
      return;
    }
    Iter fast = loops.getLast();
    Iter slow = loops.size() > 1 ? loops.get(loops.size() - 2) : new Iter("", 1);
    for (int rows : ELEMENTS) {
      for (int columns : ELEMENTS) {
        if (columns > fast.size() || rows > slow.size()) {
          continue;
        }
        List<Schedule.Step> own = new ArrayList<>();
        if (columns > 1) {
          own.add(new Schedule.Unroll(fast.name(), columns));
        }
        if (rows > 1) {
          own.add(new Schedule.Unroll(slow.name(), rows));
        }
        found.add(new Schedule(own));
        for (int tile : TILES) {
          if (slow.size() > 1) {
            List<Schedule.Step> steps = new ArrayList<>(own);
            steps.addFirst(new Schedule.Block(fast.name(), THREADS / tile * columns));
            steps.addFirst(new Schedule.Block(slow.name(), tile * rows));
            found.add(new Schedule(steps));
          }
        }
      }
    }
  }

  private static Schedule without(Schedule schedule, Class<? extends Schedule.Step> kind) {
    return new Schedule(schedule.steps().stream().filter(s -> !kind.isInstance(s)).toList());
  }

  /** Adds vectors half as wide: some processors clock lower with the widest. */
  private static void widths(Set<Schedule> found, Schedule automatic) {
    List<Schedule.Step> steps = new ArrayList<>(automatic.steps());
    steps.replaceAll(
        step ->
            step instanceof Schedule.Vector(String axis, int lanes) && lanes > 2
                ? new Schedule.Vector(axis, lanes / 2)
                : step);
    found.add(new Schedule(steps));
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

  /** Adds every other order that keeps the parallel loop outside and summed loops as they are. */
  private static void reorder(Set<Schedule> found, Schedule base, Assign a, List<Iter> order) {
    if (order.size() == a.loops().size()) {
      LoopOrder plain = LoopOrder.of(a, base, false);
      if (order.equals(Stream.concat(plain.outer().stream(), plain.inner().stream()).toList())) {
        return;
      }
      List<Schedule.Step> steps = new ArrayList<>(base.steps());
      steps.add(new Schedule.Reorder(order.stream().map(Iter::name).toList()));
      found.add(new Schedule(steps));
      return;
    }
    String parallel = base.first(Schedule.Parallel.class);
    boolean summed = false;
    for (Iter loop : a.loops()) {
      boolean taken = order.contains(loop);
      boolean first = order.isEmpty() && !parallel.isEmpty() && !loop.name().equals(parallel);
      boolean late = a.reducedLoops().contains(loop) && summed;
      summed |= a.reducedLoops().contains(loop) && !taken;
      if (!taken && !first && !late) {
        List<Iter> next = new ArrayList<>(order);
        next.add(loop);
        reorder(found, base, a, next);
      }
    }
  }
}
