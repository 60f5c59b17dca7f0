package dev.rialto.jit.lower;

import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.Scalar;
import dev.rialto.jit.Symbol.Iter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lets assignments that follow one another share their outermost loop, so that what one row needs
 * of another assignment's row is still in the cache, and threads meet less often.
 *
 * <p>They can if every element that one writes and another reads or writes belongs to the same turn
 * of that loop.
 */
final class Fuse {
  /**
   * Assignments that run together.
   *
   * @param assigns at least one
   * @param schedules one each
   * @param shared the loop of each that is shared; null if there is one assignment that shares none
   */
  record Group(List<Assign> assigns, List<Schedule> schedules, @Nullable List<Iter> shared) {}

  private Fuse() {}

  static List<Group> apply(List<Assign> assigns, List<Schedule> schedules) {
    List<Group> groups = new ArrayList<>();
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
          && fits(last, a, loop)) {
        last.assigns().add(a);
        last.schedules().add(schedule);
        last.shared().add(loop);
      } else {
        groups.add(
            new Group(
                new ArrayList<>(List.of(a)),
                new ArrayList<>(List.of(schedule)),
                loop == null ? null : new ArrayList<>(List.of(loop))));
      }
    }
    return groups;
  }

  private static boolean fits(Group group, Assign next, Iter nextLoop) {
    for (int i = 0; i < group.assigns().size(); i++) {
      Assign earlier = group.assigns().get(i);
      Iter loop = java.util.Objects.requireNonNull(group.shared()).get(i);
      Set<Integer> written = axes(earlier.index(), loop);
      for (Scalar.Read read : next.body().reads()) {
        if (read.node() == earlier.target() && !meets(written, axes(read.index(), nextLoop))) {
          return false;
        }
      }
      for (Scalar.Read read : earlier.body().reads()) {
        if (read.node() == next.target()
            && !meets(axes(read.index(), loop), axes(next.index(), nextLoop))) {
          return false;
        }
      }
      if (earlier.target() == next.target() && !meets(written, axes(next.index(), nextLoop))) {
        return false;
      }
    }
    return true;
  }

  /** The axes whose index is the loop's, and nothing else. */
  private static Set<Integer> axes(List<Affine> index, Iter loop) {
    return java.util.stream.IntStream.range(0, index.size())
        .filter(axis -> index.get(axis).alone() == loop)
        .boxed()
        .collect(Collectors.toSet());
  }

  private static boolean meets(Set<Integer> x, Set<Integer> y) {
    return x.stream().anyMatch(y::contains);
  }

  /** The nodes that are read or written. */
  static Set<Node> nodes(Group group) {
    Set<Node> nodes = new java.util.LinkedHashSet<>();
    for (Assign a : group.assigns()) {
      a.body().reads().forEach(read -> nodes.add(read.node()));
      nodes.add(a.target());
    }
    return nodes;
  }
}
