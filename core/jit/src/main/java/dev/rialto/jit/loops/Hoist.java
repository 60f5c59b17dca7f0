package dev.rialto.jit.loops;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Moves what is the same in each turn of a loop in front of it. Loads move only out of loops that
 * surely turn, for their address may be none otherwise.
 */
public final class Hoist {
  private Hoist() {}

  public static Stmt apply(Stmt s) {
    return switch (s) {
      case Stmt.Block block -> {
        List<Stmt> steps = new ArrayList<>();
        for (Stmt step : block.steps()) {
          steps.addAll(Ir.steps(apply(step)));
        }
        yield new Stmt.Block(steps);
      }
      case Stmt.For loop -> hoist(loop);
      default -> Ir.mapInner(s, Hoist::apply);
    };
  }

  private static Stmt hoist(Stmt.For loop) {
    Stmt body = apply(loop.body());
    Set<Expr.Var> assigned = Ir.assigned(body);
    Set<Expr.Var> inside = new HashSet<>(assigned);
    inside.addAll(Ir.made(body));
    inside.add(loop.index());
    Ir.walk(
        body,
        s -> {
          if (s instanceof Stmt.For inner) {
            inside.add(inner.index());
          }
        });
    Set<Buffer> stored = Ir.stored(body);
    boolean turns =
        loop.from() instanceof Expr.Const from
            && loop.to() instanceof Expr.Const to
            && from.bits() < to.bits();
    List<Stmt> before = new ArrayList<>();
    List<Stmt> rest = new ArrayList<>();
    for (Stmt step : Ir.steps(body)) {
      if (step instanceof Stmt.Let(Expr.Var v, Expr e)
          && !assigned.contains(v)
          && isFixed(e, inside, stored, turns)) {
        before.add(step);
        inside.remove(v);
      } else {
        rest.add(step);
      }
    }
    Stmt kept =
        new Stmt.For(loop.index(), loop.from(), loop.to(), loop.step(), new Stmt.Block(rest));
    if (before.isEmpty()) {
      return kept;
    }
    before.add(kept);
    return new Stmt.Block(before);
  }

  private static boolean isFixed(Expr e, Set<Expr.Var> inside, Set<Buffer> stored, boolean turns) {
    return !Ir.contains(
        e,
        x ->
            (x instanceof Expr.Var v && inside.contains(v))
                || (x instanceof Expr.Load load && (!turns || stored.contains(load.buffer()))));
  }
}
