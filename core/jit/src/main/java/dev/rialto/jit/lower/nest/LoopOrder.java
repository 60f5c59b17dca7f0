package dev.rialto.jit.lower.nest;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.lower.Schedule;
import dev.rialto.jit.lower.arithmetic.Arithmetic;
import dev.rialto.jit.lower.program.Fuse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The loops of an assignment in the order that a schedule asks for, which is refused if it would
 * change the result.
 *
 * <p>Elements may be visited in any order if none depends on another. What is combined into one
 * element keeps the order of the program, unless the program is fast.
 *
 * @param outer the loops around the elements, outermost first; where some are summed over, elements
 *     go on from memory instead of from registers
 * @param inner the loops that are summed over while elements stay in registers
 * @param inMemory whether elements must be set to the neutral value before the loops
 */
public record LoopOrder(List<Iter> outer, List<Iter> inner, boolean inMemory) {
  /**
   * Checks a schedule.
   *
   * @throws IllegalArgumentException if it does not fit the assignment, or changes its result
   */
  public static LoopOrder of(Assign a, Schedule schedule, boolean fast) {
    return new Check(a, schedule, fast).order();
  }

  public static Iter named(Assign a, Schedule schedule, String axis) {
    return a.loops().stream()
        .filter(iter -> iter.name().equals(axis))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "the schedule '%s' names axis %s, but %s has %s"
                        .formatted(schedule, axis, a, a.loops())));
  }

  private static final int MOST_STEPS = 4096;
  private static final int MOST_BITS = 512;

  private record Check(Assign a, Schedule schedule, boolean fast) {
    LoopOrder order() {
      boolean direct = a.isInjective();
      List<Iter> plain = new ArrayList<>(direct ? a.targetLoops() : a.loops());
      List<Iter> summed = direct ? a.reducedLoops() : List.of();
      plain.addAll(summed);
      List<Iter> order = wanted(plain);
      boolean changes = schedule.steps().stream().anyMatch(s -> !(s instanceof Schedule.Cache));
      if (changes && !AutoSchedule.isIndependent(a)) {
        throw refused("its elements depend on one another, so only the plain loops are right");
      }
      ends();
      vectors(summed);
      boolean cut = blocks(summed, order);
      keepsOrder(summed, order);
      int split = order.size();
      while (split > 0 && summed.contains(order.get(split - 1))) {
        split--;
      }
      List<Iter> outer = order.subList(0, split);
      boolean inMemory = cut || outer.stream().anyMatch(summed::contains);
      if (inMemory && Arithmetic.isHalf(a.target().type())) {
        throw refused(
            "values of "
                + a.target().type()
                + " are combined in binary32 and rounded once, which elements that wait in memory"
                + " meanwhile are not");
      }
      limits();
      return new LoopOrder(
          List.copyOf(outer), List.copyOf(order.subList(split, order.size())), inMemory);
    }

    /** Refuses to move or cut loops whose ends others say; those may be divided among threads. */
    private void ends() {
      for (Schedule.Step step : a.hasEnds() ? schedule.steps() : List.<Schedule.Step>of()) {
        if (!(step instanceof Schedule.Parallel parallel)
            || !AutoSchedule.canBeOutside(a, named(a, schedule, parallel.axis()))) {
          throw refused("the length of a loop is read");
        }
      }
    }

    /** Refuses blocks of elements that are too large to compile, and vectors that no target has. */
    private void limits() {
      long times = 1;
      for (Schedule.Unroll unroll : schedule.of(Schedule.Unroll.class)) {
        named(a, schedule, unroll.axis());
        times *= unroll.times();
      }
      long size = Fuse.steps(a);
      if (times > 1 && times * size > MOST_STEPS) {
        throw refused(
            "unrolled %d times, its %d steps are more than the %d that compilers manage"
                .formatted(times, size, MOST_STEPS));
      }
      for (Schedule.Vector vector : schedule.of(Schedule.Vector.class)) {
        int bits = vector.lanes() * AutoSchedule.widest(a);
        if (bits > MOST_BITS) {
          throw refused(
              "%d lanes are %d bits, but vectors have at most %d"
                  .formatted(vector.lanes(), bits, MOST_BITS));
        }
      }
    }

    private IllegalArgumentException refused(String why) {
      return schedule.refused(a, why);
    }

    private List<Iter> wanted(List<Iter> plain) {
      List<Iter> order = new ArrayList<>(plain);
      for (Schedule.Reorder reorder : schedule.of(Schedule.Reorder.class)) {
        order = new ArrayList<>();
        for (String axis : reorder.axes()) {
          order.add(named(a, schedule, axis));
        }
        if (order.size() != plain.size() || !new HashSet<>(order).containsAll(plain)) {
          throw refused("a new order names each of " + plain + " once");
        }
      }
      String parallel = schedule.first(Schedule.Parallel.class);
      if (!parallel.isEmpty()) {
        Iter iter = named(a, schedule, parallel);
        if (!a.targetLoops().contains(iter)) {
          throw refused("loop " + parallel + " cannot run in parallel, for it is summed over");
        }
        order.remove(iter);
        order.addFirst(iter);
      }
      return order;
    }

    private void vectors(List<Iter> summed) {
      for (Schedule.Vector vector : schedule.of(Schedule.Vector.class)) {
        Iter iter = named(a, schedule, vector.axis());
        if (!AutoSchedule.isSmooth(a, iter)) {
          throw refused("vectors along " + iter + " would not load and store neighbours");
        }
        if (summed.contains(iter)) {
          requireFast("a vector along " + iter);
          if (iter != summed.getLast()) {
            throw refused("of the loops that are summed over, only the last can be a vector");
          }
        }
      }
    }

    private boolean blocks(List<Iter> summed, List<Iter> order) {
      @Nullable Iter first = order.stream().filter(summed::contains).findFirst().orElse(null);
      boolean cut = false;
      for (Schedule.Block block : schedule.of(Schedule.Block.class)) {
        Iter iter = named(a, schedule, block.axis());
        if (summed.contains(iter)) {
          if (iter != first || cut) {
            requireFast("blocks of " + iter);
          }
          cut = true;
        }
      }
      return cut;
    }

    private void keepsOrder(List<Iter> summed, List<Iter> order) {
      if (!order.stream().filter(summed::contains).toList().equals(summed)) {
        requireFast("this order of loops");
      }
    }

    private void requireFast(String what) {
      boolean anyOrder = fast && a.accum() != Accum.SET;
      if (!anyOrder && !a.accum().isOrderFree(a.target().type())) {
        throw refused(
            what + " would combine values in another order; only fast programs may do that");
      }
    }
  }
}
