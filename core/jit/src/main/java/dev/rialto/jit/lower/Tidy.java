package dev.rialto.jit.lower;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Drops variables that nothing uses, and writes those that are used once where they are used, if
 * that is in the same turn of the same loop and nothing they depend on changes in between.
 */
final class Tidy {
  private final Map<Expr.Var, Integer> uses = new HashMap<>();
  private final Set<Expr.Var> changing = new HashSet<>();

  private Tidy() {}

  static Stmt apply(Stmt body) {
    Stmt now = body;
    while (true) {
      Tidy tidy = new Tidy();
      tidy.count(now);
      Stmt next = tidy.drop(now);
      if (next.equals(now)) {
        break;
      }
      now = next;
    }
    Tidy tidy = new Tidy();
    tidy.count(now);
    return tidy.inline(now);
  }

  private void count(Stmt body) {
    Ir.expressions(
        body,
        e ->
            Ir.walk(
                e,
                x -> {
                  if (x instanceof Expr.Var v) {
                    uses.merge(v, 1, Integer::sum);
                  }
                }));
    Ir.walk(
        body,
        s -> {
          if (s instanceof Stmt.Assign assign) {
            changing.add(assign.variable());
          }
        });
  }

  private Stmt drop(Stmt s) {
    return switch (s) {
      case Stmt.Block block ->
          new Stmt.Block(
              block.steps().stream()
                  .filter(
                      step ->
                          !(step instanceof Stmt.Let let
                              && !uses.containsKey(let.variable())
                              && !changing.contains(let.variable())))
                  .map(this::drop)
                  .filter(
                      step -> !(step instanceof Stmt.For loop && Ir.steps(loop.body()).isEmpty()))
                  .toList());
      case Stmt.For f -> new Stmt.For(f.index(), f.from(), f.to(), f.step(), drop(f.body()));
      case Stmt.If branch ->
          new Stmt.If(branch.condition(), drop(branch.body()), drop(branch.otherwise()));
      case Stmt.Let _, Stmt.Assign _, Stmt.Store _, Stmt.Array _, Stmt.Comment _ -> s;
      case Stmt.Labeled _,
          Stmt.Loop _,
          Stmt.Leave _,
          Stmt.Repeat _,
          Stmt.Atomic _,
          Stmt.Items _,
          Stmt.Barrier _ ->
          throw Ir.notOfPrograms(s);
    };
  }

  private Stmt inline(Stmt s) {
    return switch (s) {
      case Stmt.Block block -> inlineBlock(block);
      case Stmt.For f -> new Stmt.For(f.index(), f.from(), f.to(), f.step(), inline(f.body()));
      case Stmt.If branch ->
          new Stmt.If(branch.condition(), inline(branch.body()), inline(branch.otherwise()));
      case Stmt.Let _, Stmt.Assign _, Stmt.Store _, Stmt.Array _, Stmt.Comment _ -> s;
      case Stmt.Labeled _,
          Stmt.Loop _,
          Stmt.Leave _,
          Stmt.Repeat _,
          Stmt.Atomic _,
          Stmt.Items _,
          Stmt.Barrier _ ->
          throw Ir.notOfPrograms(s);
    };
  }

  private Stmt inlineBlock(Stmt.Block block) {
    Map<Expr.Var, Expr> pending = new HashMap<>();
    List<Stmt> steps = new ArrayList<>();
    List<Stmt> source = block.steps();
    for (int i = 0; i < source.size(); i++) {
      Stmt step = source.get(i);
      if (step instanceof Stmt.Let(Expr.Var v, Expr e)
          && uses.getOrDefault(v, 0) == 1
          && !changing.contains(v)
          && usedSafely(v, e, source, i + 1)) {
        pending.put(v, replace(e, pending));
        continue;
      }
      steps.add(
          step instanceof Stmt.For || step instanceof Stmt.If
              ? inline(replaceBounds(step, pending))
              : Ir.mapExpressions(step, e -> replace(e, pending)));
    }
    return new Stmt.Block(steps);
  }

  private static Stmt replaceBounds(Stmt s, Map<Expr.Var, Expr> pending) {
    return switch (s) {
      case Stmt.For f ->
          new Stmt.For(
              f.index(), replace(f.from(), pending), replace(f.to(), pending), f.step(), f.body());
      case Stmt.If x -> new Stmt.If(replace(x.condition(), pending), x.body(), x.otherwise());
      default -> s;
    };
  }

  /** Whether the one use is in a step of this block itself, before anything it needs changes. */
  private boolean usedSafely(Expr.Var v, Expr e, List<Stmt> source, int from) {
    Expr current = e;
    Expr.Var holder = v;
    for (int i = from; i < source.size(); i++) {
      Stmt step = source.get(i);
      boolean used =
          switch (step) {
            case Stmt.For f -> mentions(f.from(), holder) || mentions(f.to(), holder);
            case Stmt.If x -> mentions(x.condition(), holder);
            case Stmt.Let x -> mentions(x.value(), holder);
            case Stmt.Assign x -> mentions(x.value(), holder);
            case Stmt.Store x -> mentions(x.offset(), holder) || mentions(x.value(), holder);
            default -> false;
          };
      if (used) {
        // A variable that is itself written elsewhere carries this one along.
        if (step instanceof Stmt.Let(Expr.Var next, Expr _)
            && uses.getOrDefault(next, 0) == 1
            && !changing.contains(next)) {
          holder = next;
          continue;
        }
        return true;
      }
      if (interferes(step, current)) {
        return false;
      }
    }
    return false;
  }

  private static boolean mentions(Expr e, Expr.Var v) {
    boolean[] found = new boolean[1];
    Ir.walk(e, x -> found[0] |= x.equals(v));
    return found[0];
  }

  private static boolean interferes(Stmt step, Expr e) {
    Set<Buffer> stored = Cse.stores(step);
    boolean[] found = {!stored.isEmpty() && Cse.loads(e, stored)};
    Ir.walk(
        step,
        s -> {
          if (s instanceof Stmt.Assign assign && mentions(e, assign.variable())) {
            found[0] = true;
          }
        });
    return found[0];
  }

  private static Expr replace(Expr e, Map<Expr.Var, Expr> by) {
    return Ir.rewrite(e, x -> x instanceof Expr.Var v ? by.getOrDefault(v, v) : x);
  }
}
