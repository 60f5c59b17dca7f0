package dev.rialto.jit.loops;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Drops variables that nothing uses, and writes those that are used once where they are used, if
 * that is in the same turn of the same loop and nothing they depend on changes in between.
 * Expressions stay small, so that what walks through one needs no deep stack.
 */
public final class Tidy {
  /** The operators, loads and operands of an expression that variables are written into. */
  static final int MOST_PARTS = 200;

  private final Map<Expr.Var, Integer> uses = new HashMap<>();
  private final Set<Expr.Var> changing;

  private Tidy(Set<Expr.Var> changing) {
    this.changing = changing;
  }

  public static Stmt apply(Stmt body) {
    Tidy tidy = new Tidy(Ir.assigned(body));
    return tidy.inline(tidy.drop(body));
  }

  private void use(Expr e) {
    Ir.walk(
        e,
        x -> {
          if (x instanceof Expr.Var v) {
            uses.merge(v, 1, Integer::sum);
          }
        });
  }

  /** Walks backwards: when a variable is met, all that is left of its uses have been. */
  private Stmt drop(Stmt s) {
    return switch (s) {
      case Stmt.Block block -> {
        List<Stmt> steps = new ArrayList<>();
        for (Stmt step : block.steps().reversed()) {
          Stmt kept = isDead(step) ? Stmt.NOTHING : drop(step);
          if (!kept.equals(Stmt.NOTHING)) {
            steps.add(kept);
          }
        }
        Collections.reverse(steps);
        yield new Stmt.Block(steps);
      }
      case Stmt.For f -> {
        Stmt body = drop(f.body());
        if (Ir.steps(body).isEmpty()) {
          yield Stmt.NOTHING;
        }
        use(f.from());
        use(f.to());
        yield new Stmt.For(f.index(), f.from(), f.to(), f.step(), body);
      }
      case Stmt.If x -> {
        Stmt otherwise = drop(x.otherwise());
        Stmt body = drop(x.body());
        use(x.condition());
        yield new Stmt.If(x.condition(), body, otherwise);
      }
      default -> {
        Ir.expressions(s, this::use);
        yield s;
      }
    };
  }

  private boolean isDead(Stmt step) {
    return step instanceof Stmt.Let let
        && !uses.containsKey(let.variable())
        && !changing.contains(let.variable());
  }

  private Stmt inline(Stmt s) {
    return switch (s) {
      case Stmt.Block block -> new Steps().run(block);
      default -> Ir.mapInner(s, this::inline);
    };
  }

  /**
   * A variable that waits for the step that uses it.
   *
   * @param place where it is made if that does not come
   * @param parts the size of its value
   */
  private record Waiting(int place, Expr value, int parts) {}

  /** The steps of one block. */
  private final class Steps {
    private final List<Stmt> steps = new ArrayList<>();
    private final Map<Expr.Var, Waiting> waiting = new LinkedHashMap<>();
    private final Map<Buffer, List<Expr.Var>> loading = new HashMap<>();
    private final Map<Expr.Var, List<Expr.Var>> reading = new HashMap<>();

    Stmt run(Stmt.Block block) {
      for (Stmt step : block.steps()) {
        if (step instanceof Stmt.Let(Expr.Var v, Expr e)) {
          let(v, e);
          continue;
        }
        keepUsedInside(step);
        Stmt whole = Ir.map(step, this::replace, this::replace, Tidy.this::inline);
        keepChangedBy(step);
        steps.add(whole);
      }
      List.copyOf(waiting.keySet()).forEach(this::keep);
      return new Stmt.Block(steps.stream().filter(step -> !step.equals(Stmt.NOTHING)).toList());
    }

    private void let(Expr.Var v, Expr e) {
      int parts = parts(e);
      Expr value = replace(e);
      steps.add(Stmt.NOTHING);
      waiting.put(v, new Waiting(steps.size() - 1, value, parts));
      if (uses.getOrDefault(v, 0) != 1 || changing.contains(v) || parts >= MOST_PARTS) {
        keep(v);
        return;
      }
      Ir.walk(
          value,
          x -> {
            switch (x) {
              case Expr.Load load ->
                  loading.computeIfAbsent(load.buffer(), _ -> new ArrayList<>()).add(v);
              case Expr.Var read when changing.contains(read) ->
                  reading.computeIfAbsent(read, _ -> new ArrayList<>()).add(v);
              default -> {}
            }
          });
    }

    /** The size of an expression with what waits written into it. */
    private int parts(Expr e) {
      int[] parts = new int[1];
      Ir.walk(
          e,
          x -> {
            Waiting inner = x instanceof Expr.Var v ? waiting.get(v) : null;
            parts[0] += inner == null ? 1 : inner.parts();
          });
      return parts[0];
    }

    private void keep(Expr.Var v) {
      Waiting each = waiting.remove(v);
      if (each != null) {
        steps.set(each.place(), new Stmt.Let(v, each.value()));
      }
    }

    private void keep(@Nullable List<Expr.Var> variables) {
      if (variables != null) {
        variables.forEach(this::keep);
      }
    }

    private void keepUsedInside(Stmt step) {
      for (Stmt body : Ir.inner(step)) {
        Ir.expressions(body, e -> Ir.uses(e).forEach(this::keep));
      }
    }

    private void keepChangedBy(Stmt step) {
      Ir.walk(
          step,
          s -> {
            switch (s) {
              case Stmt.Store store -> keep(loading.remove(store.buffer()));
              case Stmt.Atomic atomic -> keep(loading.remove(atomic.buffer()));
              case Stmt.Assign assign -> keep(reading.remove(assign.variable()));
              default -> {}
            }
          });
    }

    private Expr replace(Expr e) {
      return Ir.rewrite(
          e,
          x -> {
            Waiting value = x instanceof Expr.Var v ? waiting.remove(v) : null;
            return value == null ? x : value.value();
          });
    }
  }
}
