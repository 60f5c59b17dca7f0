package dev.rialto.jit.loops;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Uses a variable that already holds a value instead of computing the value again. A value that was
 * loaded counts until its buffer is stored to; inside a loop, also until a later step of its body
 * stores to it, because the body comes around again.
 */
public final class Cse {
  private final Set<Expr.Var> changing;
  private final Map<Expr.Var, Expr> renamed = new HashMap<>();
  private final Map<Expr, Expr.Var> known = new HashMap<>();
  private final List<Expr> order = new ArrayList<>();
  private final Map<Buffer, List<Expr>> loaded = new HashMap<>();

  private Cse(Set<Expr.Var> changing) {
    this.changing = changing;
  }

  public static Stmt apply(Stmt body) {
    Ir.requireProgram(body);
    Cse cse = new Cse(Ir.assigned(body));
    return cse.run(body);
  }

  private Stmt run(Stmt s) {
    return switch (s) {
      case Stmt.Block block -> {
        List<Stmt> steps = new ArrayList<>();
        for (Stmt step : block.steps()) {
          if (step instanceof Stmt.Let(Expr.Var v, Expr e) && !changing.contains(v)) {
            Expr value = rename(e);
            Expr.Var same = known.get(value);
            if (same != null || value instanceof Expr.Var || value instanceof Expr.Const) {
              renamed.put(v, same == null ? value : same);
              continue;
            }
            if (!dependsOnChanging(value)) {
              remember(value, v);
            }
            steps.add(new Stmt.Let(v, value));
          } else {
            steps.add(run(step));
          }
        }
        yield new Stmt.Block(steps);
      }
      case Stmt.For loop -> {
        Expr from = rename(loop.from());
        Expr to = rename(loop.to());
        forget(Ir.stored(loop.body()));
        yield new Stmt.For(loop.index(), from, to, loop.step(), inside(loop.body()));
      }
      case Stmt.If branch -> {
        forget(Ir.stored(branch));
        yield new Stmt.If(
            rename(branch.condition()), inside(branch.body()), inside(branch.otherwise()));
      }
      default -> {
        Stmt renamed = Ir.mapExpressions(s, this::rename);
        forget(Ir.stored(s));
        yield renamed;
      }
    };
  }

  /** Values found inside of a step are not known outside of it. */
  private Stmt inside(Stmt body) {
    int before = order.size();
    Stmt result = run(body);
    List<Expr> made = order.subList(before, order.size());
    made.forEach(known::remove);
    made.clear();
    return result;
  }

  private void remember(Expr value, Expr.Var v) {
    known.put(value, v);
    order.add(value);
    Ir.walk(
        value,
        x -> {
          if (x instanceof Expr.Load load) {
            loaded.computeIfAbsent(load.buffer(), _ -> new ArrayList<>()).add(value);
          }
        });
  }

  /** Forgets values loaded from buffers that have been stored to. */
  private void forget(Set<Buffer> stored) {
    for (Buffer buffer : stored) {
      List<Expr> gone = loaded.remove(buffer);
      if (gone != null) {
        gone.forEach(known::remove);
      }
    }
  }

  private boolean dependsOnChanging(Expr e) {
    return Ir.contains(e, x -> x instanceof Expr.Var v && changing.contains(v));
  }

  private Expr rename(Expr e) {
    return Ir.replace(e, renamed);
  }
}
