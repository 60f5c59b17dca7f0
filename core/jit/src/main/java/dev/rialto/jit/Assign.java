package dev.rialto.jit;

import dev.rialto.jit.Symbol.Iter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * For each point of a space, combines a value with an element of a node. Matrix products,
 * broadcasts, reductions, slices, convolutions and copies are all this.
 *
 * @param target the node
 * @param index the element, one index per axis
 * @param accum how values are combined
 * @param fresh whether elements start at the neutral value instead of what they hold
 * @param loops the space: those of the index first, in order, then those that are summed over
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
    check(target, index, List.of());
    check(body);
    checkOwnReads(target, index, fresh, loops, body);
    if (body.type() != target.type()) {
      throw new IllegalArgumentException(
          target
              + " is of type "
              + target.type()
              + ", but is assigned "
              + body
              + " of type "
              + body.type()
              + "; cast it");
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
        isInjective(index)
            && loops.stream().allMatch(l -> index.stream().anyMatch(a -> a.factor(l) != 0));
    if (!once) {
      throw new IllegalArgumentException(
          target
              + " is read while several values are combined into its elements; copy it to another"
              + " node first");
    }
    if (fresh && !isSurjective(target, index)) {
      throw new IllegalArgumentException(
          target
              + " is read by the assignment that first gives a part of it values; assign it whole"
              + " first");
    }
  }

  /** Makes an assignment whose loops are found in its indices. */
  public static Assign of(
      Node target, List<Affine> index, Accum accum, boolean fresh, ScalarExpression body) {
    Set<Iter> loops = new LinkedHashSet<>();
    index.forEach(affine -> collect(affine, loops));
    body.indices(affine -> collect(affine, loops));
    return new Assign(target, index, accum, fresh, new ArrayList<>(loops), body);
  }

  private static void collect(Affine affine, Set<Iter> loops) {
    for (Symbol symbol : affine.terms().keySet()) {
      if (symbol instanceof Iter iter) {
        loops.add(iter);
      }
    }
  }

  private static void check(ScalarExpression body) {
    record Guarded(ScalarExpression scalar, List<ScalarExpression.Within> guards) {}
    Deque<Guarded> open = new ArrayDeque<>();
    open.push(new Guarded(body, List.of()));
    while (!open.isEmpty()) {
      Guarded next = open.pop();
      switch (next.scalar) {
        case ScalarExpression.Read read -> check(read.node(), read.index(), next.guards);
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

  private static void check(Node node, List<Affine> index, List<ScalarExpression.Within> guards) {
    if (index.size() != node.shape().rank()) {
      throw new IllegalArgumentException(
          node
              + " has shape "
              + node.shape()
              + ", but is indexed by "
              + index
              + ": "
              + node.shape().rank()
              + " axes and "
              + index.size()
              + " indices");
    }
    for (int axis = 0; axis < index.size(); axis++) {
      Affine affine = index.get(axis);
      long extent = node.shape().extent(axis);
      boolean empty = affine.terms().keySet().stream().anyMatch(s -> s.size() == 0);
      boolean guarded =
          guards.stream().anyMatch(g -> g.index().equals(affine) && g.size() <= extent);
      if (!empty && !guarded && (affine.min() < 0 || affine.max() >= extent)) {
        throw new IllegalArgumentException(
            "index "
                + affine
                + " of "
                + node
                + " goes from "
                + affine.min()
                + " to "
                + affine.max()
                + ", but axis "
                + axis
                + " of its shape "
                + node.shape()
                + " has "
                + extent
                + " positions; change the index or pad the access");
      }
    }
  }

  /** Returns whether each loop of the index moves it along one axis of its own. */
  public boolean isInjective() {
    return isInjective(index);
  }

  private static boolean isInjective(List<Affine> index) {
    Set<Symbol> seen = new HashSet<>();
    for (Affine affine : index) {
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
    return true;
  }

  /** Returns whether every element of the target is assigned. */
  public boolean isSurjective() {
    return isSurjective(target, index);
  }

  private static boolean isSurjective(Node target, List<Affine> index) {
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
    return loops.stream().filter(l -> index.stream().anyMatch(a -> a.factor(l) != 0)).toList();
  }

  /** Returns the loops that the index does not depend on. */
  public List<Iter> reducedLoops() {
    return loops.stream().filter(l -> index.stream().allMatch(a -> a.factor(l) == 0)).toList();
  }

  @Override
  public String toString() {
    return target + index.toString() + " " + (fresh ? "" : "on ") + accum.symbol() + " " + body;
  }
}
