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
  public record Group(
      List<Assign> assigns, List<Schedule> schedules, @Nullable List<Iter> shared) {}

  /**
   * Code of more steps takes compilers long, and is not faster. Since every node that is touched is
   * a step, calls do not take more buffers than devices allow either.
   */
  private static final long MOST_STEPS = 256;

  /** Whether a group of some steps has room for another assignment. */
  public static boolean hasRoom(long steps, Assign next) {
    return steps + steps(next) <= MOST_STEPS;
  }

  /** Returns the work of an assignment at a point. */
  public static long steps(Assign a) {
    return 1L + a.body().operators() + a.reads().size();
  }

  /** The group that is being made: at which axes its shared loop moves along each node. */
  private static final class Shared {
    private final Map<Node, Set<BitSet>> written = new HashMap<>();
    private final Map<Node, Set<BitSet>> read = new HashMap<>();
    private long steps;

    void add(Assign a, Iter loop) {
      written.computeIfAbsent(a.target(), _ -> new HashSet<>()).add(axes(a.index(), loop));
      for (ScalarExpression.Read each : a.reads()) {
        read.computeIfAbsent(each.node(), _ -> new HashSet<>()).add(axes(each.index(), loop));
      }
      steps += steps(a);
    }

    boolean fits(Assign next, Iter loop) {
      BitSet target = axes(next.index(), loop);
      return hasRoom(steps, next)
          && meets(written, next.target(), target)
          && meets(read, next.target(), target)
          && next.reads().stream()
              .allMatch(each -> meets(written, each.node(), axes(each.index(), loop)));
    }

    private static boolean meets(Map<Node, Set<BitSet>> touched, Node node, BitSet axes) {
      return touched.getOrDefault(node, Set.of()).stream().allMatch(axes::intersects);
    }
  }

  private Fuse() {}

  public static List<Group> apply(List<Assign> assigns, List<Schedule> schedules) {
    List<Group> groups = new ArrayList<>();
    Shared open = new Shared();
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
          && open.fits(a, loop)) {
        last.assigns().add(a);
        last.schedules().add(schedule);
        last.shared().add(loop);
      } else {
        open = new Shared();
        groups.add(
            new Group(
                new ArrayList<>(List.of(a)),
                new ArrayList<>(List.of(schedule)),
                loop == null ? null : new ArrayList<>(List.of(loop))));
      }
      if (loop != null) {
        open.add(a, loop);
      }
    }
    return groups;
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
