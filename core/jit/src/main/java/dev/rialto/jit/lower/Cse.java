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
 * Uses a variable that already holds a value instead of computing the value again. A value that was
 * loaded counts until its buffer is stored to; inside a loop, also until a later step of its body
 * stores to it, because the body comes around again.
 */
final class Cse {
  private final Set<Expr.Var> changing = new HashSet<>();

  private Cse() {}

  static Stmt apply(Stmt body) {
    Cse cse = new Cse();
    Ir.walk(
        body,
        s -> {
          if (s instanceof Stmt.Assign assign) {
            cse.changing.add(assign.variable());
          }
        });
    return cse.run(body, new HashMap<>(), new HashMap<>());
  }

  private Stmt run(Stmt s, Map<Expr, Expr.Var> known, Map<Expr.Var, Expr> renamed) {
    return switch (s) {
      case Stmt.Block block -> {
        List<Stmt> steps = new ArrayList<>();
        for (Stmt step : block.steps()) {
          if (step instanceof Stmt.Let(Expr.Var v, Expr e) && !changing.contains(v)) {
            Expr value = rename(e, renamed);
            Expr.Var same = known.get(value);
            if (same != null) {
              renamed.put(v, same);
              continue;
            }
            if (value instanceof Expr.Var || value instanceof Expr.Const) {
              renamed.put(v, value);
              continue;
            }
            if (!dependsOnChanging(value)) {
              known.put(value, v);
            }
            steps.add(new Stmt.Let(v, value));
          } else {
            steps.add(run(step, known, renamed));
          }
        }
        yield new Stmt.Block(steps);
      }
      case Stmt.For loop -> {
        Expr from = rename(loop.from(), renamed);
        Expr to = rename(loop.to(), renamed);
        Set<Buffer> stored = stores(loop.body());
        Map<Expr, Expr.Var> inside = new HashMap<>(known);
        inside.keySet().removeIf(e -> loads(e, stored));
        Stmt body = run(loop.body(), inside, renamed);
        known.keySet().removeIf(e -> loads(e, stored));
        yield new Stmt.For(loop.index(), from, to, loop.step(), body);
      }
      case Stmt.If branch -> {
        Expr condition = rename(branch.condition(), renamed);
        Stmt body = run(branch.body(), new HashMap<>(known), renamed);
        Stmt otherwise = run(branch.otherwise(), new HashMap<>(known), renamed);
        Set<Buffer> stored = stores(body);
        stored.addAll(stores(otherwise));
        known.keySet().removeIf(e -> loads(e, stored));
        yield new Stmt.If(condition, body, otherwise);
      }
      case Stmt.Store store -> {
        Stmt renamedStore =
            new Stmt.Store(
                store.buffer(), rename(store.offset(), renamed), rename(store.value(), renamed));
        known.keySet().removeIf(e -> loads(e, Set.of(store.buffer())));
        yield renamedStore;
      }
      case Stmt.Let let -> new Stmt.Let(let.variable(), rename(let.value(), renamed));
      case Stmt.Assign assign ->
          new Stmt.Assign(assign.variable(), rename(assign.value(), renamed));
      case Stmt.Array _, Stmt.Comment _ -> s;
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

  private boolean dependsOnChanging(Expr e) {
    boolean[] found = new boolean[1];
    Ir.walk(e, x -> found[0] |= x instanceof Expr.Var v && changing.contains(v));
    return found[0];
  }

  static Set<Buffer> stores(Stmt s) {
    Set<Buffer> stored = new HashSet<>();
    Ir.walk(
        s,
        step -> {
          if (step instanceof Stmt.Store store) {
            stored.add(store.buffer());
          }
        });
    return stored;
  }

  static boolean loads(Expr e, Set<Buffer> buffers) {
    boolean[] found = new boolean[1];
    Ir.walk(e, x -> found[0] |= x instanceof Expr.Load load && buffers.contains(load.buffer()));
    return found[0];
  }

  private static Expr rename(Expr e, Map<Expr.Var, Expr> renamed) {
    return Ir.rewrite(e, x -> x instanceof Expr.Var v ? renamed.getOrDefault(v, v) : x);
  }
}
