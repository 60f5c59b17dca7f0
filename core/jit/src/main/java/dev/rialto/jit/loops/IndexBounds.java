package dev.rialto.jit.loops;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides comparisons of indices from the least and greatest values that loops give them, so that
 * padding costs nothing where it cannot matter.
 */
public final class IndexBounds {
  private record Interval(long min, long max) {}

  private final Map<Expr.Var, Interval> known = new HashMap<>();

  private IndexBounds() {}

  public static Stmt apply(Stmt body) {
    return new IndexBounds().run(body);
  }

  private Stmt run(Stmt s) {
    return switch (s) {
      case Stmt.Block block -> {
        List<Stmt> steps = new ArrayList<>();
        block.steps().forEach(step -> steps.add(run(step)));
        yield new Stmt.Block(steps);
      }
      case Stmt.For loop -> {
        Expr from = rewrite(loop.from());
        Expr to = rewrite(loop.to());
        Interval first = interval(from);
        Interval last = interval(to);
        if (first != null && last != null && first.min() < last.max()) {
          known.put(loop.index(), new Interval(first.min(), last.max() - 1));
        }
        yield new Stmt.For(loop.index(), from, to, loop.step(), run(loop.body()));
      }
      case Stmt.Let(Expr.Var v, Expr e) -> {
        Expr value = rewrite(e);
        Interval interval = v.type().equals(Type.I64) ? interval(value) : null;
        if (interval != null) {
          known.put(v, interval);
        }
        yield new Stmt.Let(v, value);
      }
      case Stmt.If branch ->
          new Stmt.If(rewrite(branch.condition()), run(branch.body()), run(branch.otherwise()));
      default -> Ir.mapExpressions(s, this::rewrite);
    };
  }

  private Expr rewrite(Expr e) {
    return Ir.rewrite(e, x -> Simplify.rule(decide(x), false));
  }

  private Expr decide(Expr e) {
    if (e instanceof Expr.Binary(BinaryOp op, Expr x, Expr y)
        && x.type().equals(Type.I64)
        && (op == BinaryOp.LT || op == BinaryOp.LE)) {
      Interval a = interval(x);
      Interval b = interval(y);
      if (a != null && b != null) {
        long slack = op == BinaryOp.LT ? 1 : 0;
        if (a.max() <= b.min() - slack) {
          return new Const(Type.BOOL, 1);
        }
        if (a.min() > b.max() - slack) {
          return new Const(Type.BOOL, 0);
        }
      }
    }
    if (e instanceof Expr.Binary(BinaryOp op, Expr x, Expr y) && op == BinaryOp.AND) {
      return x.equals(TRUE) ? y : y.equals(TRUE) ? x : e;
    }
    return e;
  }

  private static final Const TRUE = new Const(Type.BOOL, 1);

  private @Nullable Interval interval(Expr e) {
    return switch (e) {
      case Const c when c.type().equals(Type.I64) -> new Interval(c.bits(), c.bits());
      case Expr.Var v -> known.get(v);
      case Expr.Binary(BinaryOp op, Expr x, Expr y) -> combine(op, interval(x), interval(y));
      default -> null;
    };
  }

  private static @Nullable Interval combine(
      BinaryOp op, @Nullable Interval a, @Nullable Interval b) {
    if (a == null || b == null) {
      return null;
    }
    return switch (op) {
      case ADD -> new Interval(a.min() + b.min(), a.max() + b.max());
      case SUB -> new Interval(a.min() - b.max(), a.max() - b.min());
      case MUL -> {
        long[] p = {a.min() * b.min(), a.min() * b.max(), a.max() * b.min(), a.max() * b.max()};
        java.util.Arrays.sort(p);
        yield new Interval(p[0], p[3]);
      }
      default -> null;
    };
  }
}
