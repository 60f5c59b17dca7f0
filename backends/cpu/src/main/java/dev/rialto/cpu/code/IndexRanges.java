package dev.rialto.cpu.code;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The index variables that fit an int; the JVM optimizes loops over those best. */
final class IndexRanges {
  private record Range(long min, long max) {}

  private static final Range INTS = new Range(Integer.MIN_VALUE, Integer.MAX_VALUE);

  private final Map<Expr.Var, Range> known = new HashMap<>();
  private final Set<Expr.Var> changing = new HashSet<>();

  IndexRanges(Procedure procedure) {
    known.put(procedure.begin(), new Range(0, procedure.items()));
    known.put(procedure.end(), new Range(0, procedure.items()));
    Parts.walk(procedure.body(), this::findChanging);
    visit(procedure.body());
  }

  private void findChanging(Stmt s) {
    switch (s) {
      case Stmt.Assign assign -> changing.add(assign.variable());
      case Stmt.Atomic atomic -> changing.add(atomic.old());
      case Stmt.Exchange exchange -> changing.add(exchange.result());
      default -> {}
    }
  }

  private void visit(Stmt s) {
    switch (s) {
      case Stmt.Block block -> block.steps().forEach(this::visit);
      case Stmt.Let(Expr.Var v, Expr e) -> note(v, range(e));
      case Stmt.For f -> {
        Range from = range(f.from());
        Range to = range(f.to());
        // The last step may go beyond the end before the loop sees that it is over.
        note(
            f.index(),
            from == null || to == null
                ? null
                : new Range(from.min(), Math.max(from.max(), to.max() + f.step() - 1)));
        visit(f.body());
      }
      case Stmt.If branch -> {
        visit(branch.body());
        visit(branch.otherwise());
      }
      case Stmt.Labeled step -> visit(step.body());
      case Stmt.Loop loop -> visit(loop.body());
      case Stmt.Items items -> visit(items.body());
      case Stmt.Store _, Stmt.Array _, Stmt.Comment _ -> {}
      case Stmt.Assign _, Stmt.Atomic _, Stmt.Exchange _ -> {}
      case Stmt.Leave _, Stmt.Repeat _, Stmt.Barrier _, Stmt.TileStep _ -> {}
    }
  }

  /** Notes a value of a variable, which may be made in several places. */
  private void note(Expr.Var v, @Nullable Range range) {
    if (range == null) {
      changing.add(v);
      known.remove(v);
    } else if (!changing.contains(v)) {
      known.merge(v, range, IndexRanges::both);
    }
  }

  private static Range both(Range a, Range b) {
    return new Range(Math.min(a.min(), b.min()), Math.max(a.max(), b.max()));
  }

  boolean fitsInt(Expr.Var v) {
    Range range = known.get(v);
    return range != null && fits(range.min()) && fits(range.max());
  }

  private static boolean fits(long value) {
    return value == (int) value;
  }

  private @Nullable Range range(Expr e) {
    return switch (e) {
      case Expr.Const c -> new Range(c.bits(), c.bits());
      case Expr.Var v -> known.get(v);
      case Expr.Convert(Type _, Expr x) when x.type().equals(Type.I32) -> INTS;
      case Expr.Binary(BinaryOp op, Expr x, Expr y) -> combine(op, range(x), range(y));
      case Expr.Select(Expr.Binary(BinaryOp op, Expr less, Expr more), Expr x, Expr y)
          when op == BinaryOp.LT && less.equals(x) && more.equals(y) ->
          smaller(range(x), range(y));
      case Expr.Select(Expr.Binary(BinaryOp op, Expr less, Expr more), Expr x, Expr y)
          when op == BinaryOp.LT && less.equals(y) && more.equals(x) ->
          larger(range(x), range(y));
      case Expr.Select(Expr _, Expr x, Expr y) -> {
        Range a = range(x);
        Range b = range(y);
        yield a == null || b == null ? null : both(a, b);
      }
      default -> null;
    };
  }

  /** Either of two numbers is an upper bound of the smaller one. */
  private static @Nullable Range smaller(@Nullable Range a, @Nullable Range b) {
    if (a == null || b == null) {
      Range one = a == null ? b : a;
      return one == null ? null : new Range(Long.MIN_VALUE, one.max());
    }
    return new Range(Math.min(a.min(), b.min()), Math.min(a.max(), b.max()));
  }

  private static @Nullable Range larger(@Nullable Range a, @Nullable Range b) {
    return a == null || b == null
        ? null
        : new Range(Math.max(a.min(), b.min()), Math.max(a.max(), b.max()));
  }

  private static @Nullable Range combine(BinaryOp op, @Nullable Range a, @Nullable Range b) {
    if (a == null || b == null || !fits(a.min()) || !fits(a.max())) {
      return null;
    }
    return switch (op) {
      case ADD -> new Range(a.min() + b.min(), a.max() + b.max());
      case SUB -> new Range(a.min() - b.max(), a.max() - b.min());
      case MUL ->
          b.min() == b.max() && b.min() >= 0 && fits(b.min())
              ? new Range(a.min() * b.min(), a.max() * b.min())
              : null;
      case DIV ->
          b.min() == b.max() && b.min() > 0
              ? new Range(a.min() / b.min(), a.max() / b.min())
              : null;
      default -> null;
    };
  }
}
