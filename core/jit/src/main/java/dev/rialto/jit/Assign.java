package dev.rialto.jit;

import dev.rialto.jit.Symbol.Iter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;

/**
 * For each point of a space, combines a value with an element of a node. Matrix products,
 * broadcasts, reductions, slices, convolutions, copies, gathers and scatters are all this.
 *
 * @param target the node
 * @param index the element, one index per axis; points where one that is read is outside are left
 *     out
 * @param accum how values are combined
 * @param fresh whether elements start at the neutral value instead of what they hold
 * @param loops the space: those of the index first, in order, then those that are summed over; but
 *     a loop whose end is read along others after them
 * @param body the value
 */
public record Assign(
    Node target,
    List<Affine> index,
    Accum accum,
    boolean fresh,
    List<Iter> loops,
    ScalarExpression body) {
  /** Checks every index against the shape it goes into. */
  public Assign {
    index = List.copyOf(index);
    loops = List.copyOf(loops);
    check(target, index, List.of(), true);
    check(body);
    checkPlaces(target, index, loops, body);
    checkOwnReads(target, index, fresh, loops, body);
    if (body.type() != target.type()) {
      throw new IllegalArgumentException(
          "%s is of type %s, but is assigned %s of type %s; cast it"
              .formatted(target, target.type(), body, body.type()));
    }
  }

  /**
   * Refuses bodies that read the target while values for one element are combined: what they would
   * read depends on where the element is kept meanwhile.
   */
  private static void checkOwnReads(
      Node target, List<Affine> index, boolean fresh, List<Iter> loops, ScalarExpression body) {
    if (body.reads().stream().noneMatch(read -> read.node() == target && !read.merged())) {
      return;
    }
    boolean once =
        isInjective(index, loops)
            && loops.stream().allMatch(l -> index.stream().anyMatch(a -> a.factor(l) != 0));
    if (!once) {
      throw new IllegalArgumentException(
          target
              + " is read while several values are combined into its elements; copy it to another"
              + " node first");
    }
    if (fresh && !isSurjective(target, index, loops)) {
      throw new IllegalArgumentException(
          target
              + " is read by the assignment that first gives a part of it values; assign it whole"
              + " first");
    }
  }

  /** Makes an assignment whose loops are found in its indices. */
  public static Assign of(
      Node target, List<Affine> index, Accum accum, boolean fresh, ScalarExpression body) {
    return over(target, index, accum, fresh, List.of(), body);
  }

  /** Makes an assignment over its indices' loops and others. */
  static Assign over(
      Node target,
      List<Affine> index,
      Accum accum,
      boolean fresh,
      List<Iter> others,
      ScalarExpression body) {
    Set<Iter> loops = new LinkedHashSet<>();
    index.forEach(affine -> collect(affine, loops));
    body.indices(affine -> collect(affine, loops));
    others.forEach(loop -> collect(Affine.of(loop), loops));
    return new Assign(target, index, accum, fresh, new ArrayList<>(loops), body);
  }

  private static void collect(Affine affine, Set<Iter> loops) {
    for (Symbol symbol : affine.terms().keySet()) {
      switch (symbol) {
        case Iter iter -> {
          if (iter.end() != null) {
            iter.end().index().forEach(inner -> collect(inner, loops));
          }
          loops.add(iter);
        }
        case Symbol.Element(ScalarExpression.Read read) ->
            read.index().forEach(inner -> collect(inner, loops));
        case Symbol.StaticIndex _ -> {}
      }
    }
  }

  /** Returns the elements that the ends of some loops are, and those that their indices are. */
  private static List<ScalarExpression.Read> ends(List<Iter> loops) {
    List<ScalarExpression.Read> reads = new ArrayList<>();
    for (Iter loop : loops) {
      if (loop.end() != null) {
        reads.addAll(Affine.of(new Symbol.Element(loop.end())).reads());
      }
    }
    return reads;
  }

  /** Checks what indices are made of and where loops end. */
  private static void checkPlaces(
      Node target, List<Affine> index, List<Iter> loops, ScalarExpression body) {
    List<ScalarExpression.Read> places = new ArrayList<>(ends(loops));
    index.forEach(affine -> places.addAll(affine.reads()));
    for (ScalarExpression.Read read : places) {
      if (read.node() == target && !read.merged()) {
        throw new IllegalArgumentException(
            target + " is read to find where it is assigned; copy it to another node first");
      }
    }
    body.walk(s -> s.places().forEach(affine -> places.addAll(affine.reads())));
    places.forEach(read -> check(read.node(), read.index(), List.of(), true));
    Set<Symbol> outside = new HashSet<>();
    for (Iter loop : loops) {
      if (loop.end() != null) {
        for (Iter other : loops) {
          if (!outside.contains(other)
              && loop.end().index().stream().anyMatch(affine -> affine.dependsOn(other))) {
            throw new IllegalArgumentException(
                "axis " + loop + " ends at " + loop.end() + ", but " + other + " is inside of it");
          }
        }
      }
      outside.add(loop);
    }
  }

  /** Returns all elements that are read: by the body, as indices, and as ends of loops. */
  public List<ScalarExpression.Read> reads() {
    List<ScalarExpression.Read> reads = new ArrayList<>(body.reads());
    index.forEach(affine -> reads.addAll(affine.reads()));
    reads.addAll(ends(loops));
    return reads;
  }

  /** Returns the elements that are read as indices or as ends of loops. */
  public List<ScalarExpression.Read> placeReads() {
    List<ScalarExpression.Read> reads = new ArrayList<>(ends(loops));
    index.forEach(affine -> reads.addAll(affine.reads()));
    body.walk(s -> s.places().forEach(affine -> reads.addAll(affine.reads())));
    return reads;
  }

  /** Returns whether the length of a loop is read. */
  public boolean hasEnds() {
    return loops.stream().anyMatch(loop -> loop.end() != null);
  }

  private static void check(ScalarExpression body) {
    record Guarded(ScalarExpression scalar, List<ScalarExpression.Within> guards) {}
    Deque<Guarded> open = new ArrayDeque<>();
    open.push(new Guarded(body, List.of()));
    while (!open.isEmpty()) {
      Guarded next = open.pop();
      switch (next.scalar) {
        case ScalarExpression.Read read -> check(read.node(), read.index(), next.guards, false);
        case ScalarExpression.Within within -> {
          List<ScalarExpression.Within> inner = new ArrayList<>(next.guards);
          inner.add(within);
          open.push(new Guarded(within.outside(), next.guards));
          open.push(new Guarded(within.inside(), inner));
        }
        default ->
            next.scalar.parts().reversed().forEach(p -> open.push(new Guarded(p, next.guards)));
      }
    }
  }

  private static void check(
      Node node, List<Affine> index, List<ScalarExpression.Within> guards, boolean anyData) {
    if (index.size() != node.shape().rank()) {
      throw new IllegalArgumentException(
          "%s has shape %s, but is indexed by %s: %s axes and %s indices"
              .formatted(node, node.shape(), index, node.shape().rank(), index.size()));
    }
    for (int axis = 0; axis < index.size(); axis++) {
      Affine affine = index.get(axis);
      long extent = node.shape().extent(axis);
      boolean empty = affine.terms().keySet().stream().anyMatch(s -> s.size() == 0);
      boolean guarded =
          (anyData && affine.isData())
              || guards.stream().anyMatch(g -> g.index().equals(affine) && g.size() <= extent);
      if (!guarded && affine.isData()) {
        throw new IllegalArgumentException(
            "index %s of %s is read and may be outside of its shape %s; use Read.orZero"
                .formatted(affine, node, node.shape()));
      }
      if (!empty && !guarded && (affine.min() < 0 || affine.max() >= extent)) {
        throw new IllegalArgumentException(
            ("index %s of %s goes from %s to %s, but axis %s of its shape %s has %s "
                    + "positions; change the index or pad the access")
                .formatted(affine, node, affine.min(), affine.max(), axis, node.shape(), extent));
      }
    }
  }

  /**
   * Returns whether each loop of the index moves it along one axis of its own, as far for each turn
   * of those that are summed over.
   */
  public boolean isInjective() {
    return isInjective(index, loops);
  }

  private static boolean isInjective(List<Affine> index, List<Iter> loops) {
    Set<Symbol> seen = new HashSet<>();
    for (Affine affine : index) {
      if (affine.isData()) {
        return false;
      }
      int iters = 0;
      for (Symbol symbol : affine.terms().keySet()) {
        if (symbol instanceof Iter) {
          iters++;
          if (!seen.add(symbol)) {
            return false;
          }
        }
      }
      if (iters > 1) {
        return false;
      }
    }
    List<Iter> ending = loops.stream().filter(l -> l.end() != null && seen.contains(l)).toList();
    return ends(ending).stream()
        .flatMap(read -> read.index().stream())
        .allMatch(a -> loops.stream().allMatch(l -> seen.contains(l) || !a.dependsOn(l)));
  }

  /** Returns whether every element of the target is assigned. */
  public boolean isSurjective() {
    return isSurjective(target, index, loops);
  }

  private static boolean isSurjective(Node target, List<Affine> index, List<Iter> loops) {
    if (loops.stream().anyMatch(l -> l.end() != null && uses(index, l))) {
      return false;
    }
    Set<Symbol> seen = new HashSet<>();
    for (int axis = 0; axis < index.size(); axis++) {
      long extent = target.shape().extent(axis);
      Symbol symbol = index.get(axis).alone();
      boolean whole = symbol instanceof Iter && symbol.size() == extent && seen.add(symbol);
      if (!whole && !(extent == 1 && index.get(axis).equals(Affine.of(0)))) {
        return false;
      }
    }
    return true;
  }

  /** Returns this, setting elements instead if each of them gets one value and starts fresh. */
  Assign setIfSingle() {
    return fresh && isInjective() && isSurjective() && reducedLoops().isEmpty()
        ? new Assign(target, index, Accum.SET, true, loops, body)
        : this;
  }

  /** Returns the loops that the index depends on. */
  public List<Iter> targetLoops() {
    return loops.stream().filter(l -> uses(index, l)).toList();
  }

  /** Returns the loops that the index does not depend on. */
  public List<Iter> reducedLoops() {
    return loops.stream().filter(l -> !uses(index, l)).toList();
  }

  private static boolean uses(List<Affine> index, Iter loop) {
    return index.stream().anyMatch(affine -> affine.dependsOn(loop));
  }

  @Override
  public String toString() {
    StringJoiner ends = new StringJoiner(", ", " for ", "").setEmptyValue("");
    loops.stream().filter(l -> l.end() != null).forEach(l -> ends.add(l + " < " + l.end()));
    return target
        + index.toString()
        + " "
        + (fresh ? "" : "on ")
        + accum.symbol()
        + " "
        + body
        + ends;
  }
}
