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
      case Stmt.If branch ->
          new Stmt.If(branch.condition(), apply(branch.body()), apply(branch.otherwise()));
      case Stmt.For loop -> hoist(loop);
      case Stmt.Let _, Stmt.Assign _, Stmt.Store _, Stmt.Atomic _, Stmt.Array _, Stmt.Comment _ ->
          s;
      case Stmt.Labeled _,
          Stmt.Loop _,
          Stmt.Leave _,
          Stmt.Repeat _,
          Stmt.Items _,
          Stmt.Barrier _,
          Stmt.Exchange _,
          Stmt.TileStep _ ->
          throw Ir.notOfPrograms(s);
    };
  }

  private static Stmt hoist(Stmt.For loop) {
    Stmt body = apply(loop.body());
    Set<Expr.Var> inside = new HashSet<>(Set.of(loop.index()));
    Ir.walk(
        body,
        s -> {
          switch (s) {
            case Stmt.Let let -> inside.add(let.variable());
            case Stmt.Assign assign -> inside.add(assign.variable());
            case Stmt.For inner -> inside.add(inner.index());
            default -> {}
          }
        });
    Set<Buffer> stored = Cse.stores(body);
    Set<Expr.Var> assigned = Ir.assigned(body);
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
    boolean[] fixed = {true};
    Ir.walk(
        e,
        x -> {
          if ((x instanceof Expr.Var v && inside.contains(v))
              || (x instanceof Expr.Load load && (!turns || stored.contains(load.buffer())))) {
            fixed[0] = false;
          }
        });
    return fixed[0];
  }
}
