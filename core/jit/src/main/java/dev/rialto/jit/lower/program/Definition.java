package dev.rialto.jit.lower.program;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.Symbol;
import dev.rialto.jit.Symbol.Iter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An element of a node as a function of its place: a value, or, where the node was filled first and
 * then set in places, that value there and the filling elsewhere.
 *
 * @param node the node
 * @param index the places, in each axis a loop plus a constant, or a constant
 * @param value what is there
 * @param filling what is elsewhere; null if the places are all
 */
record Definition(
    Node node,
    List<Affine> index,
    ScalarExpression value,
    ScalarExpression.@Nullable Const filling) {
  /** Returns the function that a node's assignments make; null if they make none. */
  static @Nullable Definition of(List<Assign> all) {
    Assign set = all.getLast();
    if (!set.reducedLoops().isEmpty() || set.hasEnds()) {
      return null;
    }
    if (all.size() == 1) {
      boolean whole = set.accum() == Accum.SET && set.isInjective() && set.isSurjective();
      return whole ? new Definition(set.target(), set.index(), set.body(), null) : null;
    }
    Assign fill = all.getFirst();
    if (all.size() != 2
        || fill.accum() != Accum.SET
        || !fill.isSurjective()
        || !(fill.body() instanceof ScalarExpression.Const filling)
        || !set.index().stream().allMatch(Definition::isPlain)
        || !staysInside(set)) {
      return null;
    }
    ScalarExpression value = set.accum().combine(filling, set.body());
    return new Definition(set.target(), set.index(), value, filling);
  }

  boolean isEverywhere() {
    return filling == null;
  }

  private static boolean isPlain(Affine affine) {
    return affine.terms().isEmpty()
        || (affine.terms().size() == 1
            && affine.terms().values().iterator().next() == 1
            && affine.terms().keySet().iterator().next() instanceof Iter);
  }

  /** Whether loops that do not cover their axes are used alone by all that reads along them. */
  private static boolean staysInside(Assign set) {
    for (int axis = 0; axis < set.index().size(); axis++) {
      Affine own = set.index().get(axis);
      boolean covers = own.max() + 1 == set.target().shape().extent(axis) && own.min() == 0;
      if (!covers && !isAlone(own, set.body())) {
        return false;
      }
    }
    return true;
  }

  /** Whether reads along an index's loop are guarded by what guards that loop: they are equal. */
  private static boolean isAlone(Affine own, ScalarExpression value) {
    return own.terms().keySet().stream()
        .allMatch(
            symbol ->
                value.reads().stream()
                    .flatMap(read -> read.index().stream())
                    .allMatch(i -> i.factor(symbol) == 0 || symbol.equals(i.alone())));
  }

  /** Whether the element can be computed at a place, some of which may be outside and guarded. */
  boolean isSafeAt(List<Affine> place) {
    for (int axis = 0; axis < place.size(); axis++) {
      Affine affine = place.get(axis);
      boolean inside = affine.min() >= 0 && affine.max() < node.shape().extent(axis);
      if (!inside && !isAlone(index.get(axis), value)) {
        return false;
      }
    }
    return true;
  }

  ScalarExpression at(List<Affine> place) {
    Map<Symbol, Affine> by = new HashMap<>();
    Map<Affine, Long> guards = new java.util.LinkedHashMap<>();
    for (int axis = 0; axis < place.size(); axis++) {
      Affine own = index.get(axis);
      Affine distance = place.get(axis).plus(-own.offset());
      if (own.terms().isEmpty()) {
        guards.merge(distance, 1L, Math::min);
        continue;
      }
      Symbol symbol = own.terms().keySet().iterator().next();
      Affine first = by.putIfAbsent(symbol, distance);
      if (first == null) {
        guards.merge(distance, symbol.size(), Math::min);
      } else {
        guards.merge(distance.plus(first.times(-1)), 1L, Math::min);
      }
    }
    ScalarExpression element = value.replace(s -> by.getOrDefault(s, Affine.of(s)));
    if (filling != null) {
      for (var guard : guards.entrySet()) {
        Affine affine = guard.getKey();
        if (affine.min() < 0 || affine.max() >= guard.getValue()) {
          element = new ScalarExpression.Within(affine, guard.getValue(), element, filling);
        }
      }
    }
    return element;
  }
}
