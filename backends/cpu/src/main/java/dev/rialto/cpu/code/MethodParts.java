package dev.rialto.cpu.code;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Divides a procedure into a method per outermost loop, each with those of the variables in front
 * of it that it needs: the JVM optimizes smaller methods better. Where a loop changes what those
 * variables are made of, all stays in one method.
 */
final class MethodParts {
  private final Set<Buffer> stored = new HashSet<>();
  private final Set<Expr.Var> assigned = new HashSet<>();

  private MethodParts() {}

  static List<List<Stmt>> of(Stmt body) {
    List<Stmt> steps = body instanceof Stmt.Block block ? block.steps() : List.of(body);
    MethodParts changes = new MethodParts();
    Parts.walk(body, changes::note);
    List<List<Stmt>> parts = new ArrayList<>();
    Map<Expr.Var, Integer> made = new HashMap<>();
    for (int at = 0; at < steps.size(); at++) {
      switch (steps.get(at)) {
        case Stmt.Let(Expr.Var v, Expr e)
            when !changes.assigned.contains(v) && !changes.affect(e) ->
            made.put(v, at);
        case Stmt.For loop -> {
          List<Stmt> part = needed(loop, made, steps);
          part.add(loop);
          parts.add(part);
        }
        case Stmt.Comment _ -> {}
        default -> {
          return List.of(steps);
        }
      }
    }
    return parts;
  }

  /** The variables that a loop uses, and those that they are made of, in order. */
  private static List<Stmt> needed(Stmt.For loop, Map<Expr.Var, Integer> made, List<Stmt> steps) {
    Map<Integer, Stmt> needed = new TreeMap<>();
    Deque<Stmt> open = new ArrayDeque<>(List.of(loop));
    while (!open.isEmpty()) {
      Parts.variables(
          open.pop(),
          v -> {
            Integer at = made.get(v);
            if (at != null && needed.putIfAbsent(at, steps.get(at)) == null) {
              open.push(steps.get(at));
            }
          });
    }
    return new ArrayList<>(needed.values());
  }

  private void note(Stmt s) {
    switch (s) {
      case Stmt.Atomic atomic -> {
        stored.add(atomic.buffer());
        assigned.add(atomic.old());
      }
      case Stmt.Store store -> stored.add(store.buffer());
      case Stmt.Assign assign -> assigned.add(assign.variable());
      default -> {}
    }
  }

  private boolean affect(Expr e) {
    boolean[] found = new boolean[1];
    Parts.walk(e, x -> found[0] |= x instanceof Expr.Load load && stored.contains(load.buffer()));
    return found[0];
  }
}
