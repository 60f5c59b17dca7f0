package dev.rialto.jit.loops;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides comparisons of indices from the least and greatest values that loops give them, so that
 * padding costs nothing where it cannot matter.
 */
public final class IndexBounds {
  private final Map<Expr.Var, IntegerRange> known = new HashMap<>();

  private IndexBounds() {}

  public static Stmt apply(Stmt body) {
    return new IndexBounds().run(body);
  }

  private Stmt run(Stmt s) {
    return switch (s) {
      case Stmt.For loop -> {
        Expr from = rewrite(loop.from());
        Expr to = rewrite(loop.to());
        IntegerRange first = interval(from);
        IntegerRange last = interval(to);
        if (first != null && last != null && first.min() < last.max()) {
          known.put(loop.index(), new IntegerRange(first.min(), last.max() - 1));
        }
        yield new Stmt.For(loop.index(), from, to, loop.step(), run(loop.body()));
      }
      case Stmt.Let(Expr.Var v, Expr e) -> {
        Expr value = rewrite(e);
        IntegerRange interval = v.type().equals(Type.I64) ? interval(value) : null;
        if (interval != null) {
          known.put(v, interval);
        }
        yield new Stmt.Let(v, value);
      }
      default -> Ir.map(s, this::rewrite, this::rewrite, this::run);
    };
  }

  private Expr rewrite(Expr e) {
    return Ir.rewrite(e, x -> Simplify.rule(decide(x), false));
  }

  private Expr decide(Expr e) {
    if (e instanceof Expr.Binary(BinaryOp op, Expr x, Expr y)
        && x.type().equals(Type.I64)
        && (op == BinaryOp.LT || op == BinaryOp.LE)) {
      IntegerRange a = interval(x);
      IntegerRange b = interval(y);
      if (a != null && b != null) {
        boolean less = op == BinaryOp.LT;
        if (less ? a.max() < b.min() : a.max() <= b.min()) {
          return new Const(Type.BOOL, 1);
        }
        if (less ? a.min() >= b.max() : a.min() > b.max()) {
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

  private @Nullable IntegerRange interval(Expr e) {
    return switch (e) {
      case Const c when c.type().equals(Type.I64) -> IntegerRange.of(c.bits());
      case Expr.Var v -> known.get(v);
      case Expr.Binary(BinaryOp op, Expr x, Expr y) when e.type().equals(Type.I64) -> {
        IntegerRange a = interval(x);
        IntegerRange b = interval(y);
        yield a == null || b == null ? null : IntegerRange.combine(op, a, b, Type.I64);
      }
      default -> null;
    };
  }
}
