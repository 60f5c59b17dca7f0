package dev.rialto.jit.lift.block;

import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Gives a variable another name each time that a method surely gives it a new value: javac uses a
 * slot for one variable after another, and each lives in a place of its own.
 */
final class LiveRanges {
  private final List<Var> variables;
  private final Map<Var, Var> names = new HashMap<>();
  private final Set<Var> seen = new HashSet<>();

  private LiveRanges(List<Var> variables) {
    this.variables = variables;
  }

  /**
   * Renames variables.
   *
   * @param variables those there are; new ones are added
   * @param steps those of the whole method: each is done once, in order
   */
  static List<Stmt> split(List<Var> variables, List<Stmt> steps) {
    LiveRanges ranges = new LiveRanges(variables);
    List<Stmt> out = new ArrayList<>();
    for (Stmt step : steps) {
      Stmt known = ranges.renamed(step);
      if (step instanceof Stmt.Assign(Var v, Expr _) && known instanceof Stmt.Assign(_, Expr e)) {
        out.add(new Stmt.Assign(ranges.next(v), e));
      } else {
        out.add(known);
      }
    }
    return out;
  }

  private Var next(Var v) {
    if (!seen.add(v)) {
      Var fresh = new Var(v.name() + "_" + variables.size(), v.type());
      variables.add(fresh);
      names.put(v, fresh);
    }
    return name(v);
  }

  private Var name(Var v) {
    return names.getOrDefault(v, v);
  }

  private Stmt renamed(Stmt step) {
    Stmt known = Ir.mapExpressions(step, e -> Ir.rewrite(e, x -> x instanceof Var v ? name(v) : x));
    return Ir.rebuild(
        known,
        s ->
            switch (s) {
              case Stmt.Assign(Var v, Expr e) -> new Stmt.Assign(name(v), e);
              case Stmt.Atomic a ->
                  new Stmt.Atomic(
                      name(a.old()), a.op(), a.buffer(), a.offset(), a.value(), a.expected());
              case Stmt.Exchange e ->
                  new Stmt.Exchange(name(e.result()), e.op(), e.value(), e.lane());
              default -> s;
            });
  }
}
