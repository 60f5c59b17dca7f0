package dev.rialto.jit.lower.program;

import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.lower.Schedule;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets assignments that follow one another share their outermost loop, so that what one row needs
 * of another assignment's row is still in the cache, and threads meet less often.
 *
 * <p>They can if every element that one writes and another reads or writes belongs to the same turn
 * of that loop.
 */
public final class Fuse {
  /**
   * Assignments that run together.
   *
   * @param assigns at least one
   * @param schedules one each
   * @param shared the loop of each that is shared; null if there is one assignment that shares none
   */
  public record Group(List<Assign> assigns, List<Schedule> schedules, @Nullable List<Iter> shared) {
    /** Begins a group that others may be added to. */
    public static Group of(Assign a, Schedule schedule, @Nullable List<Iter> shared) {
      return new Group(
          new ArrayList<>(List.of(a)),
          new ArrayList<>(List.of(schedule)),
          shared == null ? null : new ArrayList<>(shared));
    }
  }

  /**
   * The elements that a group touches of each node, by the place that their index has for its
   * threads.
   *
   * @param <P> what tells places apart
   */
  public static final class Touched<P> {
    private final Map<Node, Set<P>> written = new HashMap<>();
    private final Map<Node, Set<P>> read = new HashMap<>();
    private long steps;

    public void add(Assign a, Function<List<Affine>, P> place) {
      written.computeIfAbsent(a.target(), _ -> new HashSet<>()).add(place.apply(a.index()));
      for (ScalarExpression.Read each : a.reads()) {
        read.computeIfAbsent(each.node(), _ -> new HashSet<>()).add(place.apply(each.index()));
      }
      steps += steps(a);
    }

    /**
     * Returns whether a group has room for another assignment.
     *
     * @param meet whether an element is touched in the same turn as those of some places
     */
    public boolean fits(Assign next, Function<List<Affine>, P> place, BiPredicate<Set<P>, P> meet) {
      P target = place.apply(next.index());
      return steps + steps(next) <= MOST_STEPS
          && meet.test(written.getOrDefault(next.target(), Set.of()), target)
          && meet.test(read.getOrDefault(next.target(), Set.of()), target)
          && next.reads().stream()
              .allMatch(
                  each ->
                      meet.test(
                          written.getOrDefault(each.node(), Set.of()), place.apply(each.index())));
    }
  }

  /**
   * Code of more steps takes compilers long, and is not faster. Since every node that is touched is
   * a step, calls do not take more buffers than devices allow either.
   */
  private static final long MOST_STEPS = 256;

  /** Returns the work of an assignment at a point. */
  public static long steps(Assign a) {
    return 1L + a.body().operators() + a.reads().size();
  }

  private Fuse() {}

  public static List<Group> apply(List<Assign> assigns, List<Schedule> schedules) {
    List<Group> groups = new ArrayList<>();
    Touched<BitSet> open = new Touched<>();
    for (int i = 0; i < assigns.size(); i++) {
      Assign a = assigns.get(i);
      Schedule schedule = schedules.get(i);
      String axis = schedule.first(Schedule.Parallel.class);
      @Nullable Iter loop =
          a.loops().stream().filter(l -> l.name().equals(axis)).findFirst().orElse(null);
      Group last = groups.isEmpty() ? null : groups.getLast();
      if (loop != null
          && last != null
          && last.shared() != null
          && last.shared().getFirst().size() == loop.size()
          && open.fits(a, index -> axes(index, loop), Fuse::meet)) {
        last.assigns().add(a);
        last.schedules().add(schedule);
        last.shared().add(loop);
      } else {
        open = new Touched<>();
        groups.add(Group.of(a, schedule, loop == null ? null : List.of(loop)));
      }
      if (loop != null) {
        open.add(a, index -> axes(index, loop));
      }
    }
    return groups;
  }

  private static boolean meet(Set<BitSet> touched, BitSet axes) {
    return touched.stream().allMatch(axes::intersects);
  }

  /** The axes whose index is the loop's, and nothing else. */
  private static BitSet axes(List<Affine> index, Iter loop) {
    BitSet axes = new BitSet();
    for (int axis = 0; axis < index.size(); axis++) {
      axes.set(axis, index.get(axis).alone() == loop);
    }
    return axes;
  }

  /** The nodes that an assignment reads or writes. */
  public static Set<Node> nodes(Assign a) {
    Set<Node> nodes = new LinkedHashSet<>(List.of(a.target()));
    a.reads().forEach(read -> nodes.add(read.node()));
    return nodes;
  }
}
