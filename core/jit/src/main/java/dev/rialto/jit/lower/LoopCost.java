package dev.rialto.jit.lower;

import dev.rialto.jit.loops.Ir;
import dev.rialto.jit.loops.Simplify;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.code.Type.Kind;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The operations of loops and the memory that they must move, counted instead of measured: the
 * place of a program on a roofline.
 *
 * <p>Additions, subtractions, products, quotients and roots of floating-point numbers count as one
 * operation a lane, a fused multiply-add as two. Each procedure moves each buffer once, however
 * often it reads it, for that is what a perfect cache would do: as many bytes as it touches but not
 * more than there are, in if the buffer is read before it is written, out if it is written. Steps
 * behind a condition count as done, unless that is expected to be rare; a loop whose length is read
 * counts as of its most turns.
 *
 * @param f32 operations on 32-bit numbers
 * @param f64 operations on 64-bit numbers
 * @param bytes moved at least
 */
public record LoopCost(long f32, long f64, long bytes) {
  private static final LoopCost NONE = new LoopCost(0, 0, 0);

  /** Counts procedures that run one after the other, over all of their index spaces. */
  public static LoopCost of(List<Procedure> procedures) {
    LoopCost sum = NONE;
    for (Procedure procedure : procedures) {
      LoopCost each = new Count(procedure).work();
      sum = new LoopCost(sum.f32 + each.f32, sum.f64 + each.f64, sum.bytes + each.bytes);
    }
    return sum;
  }

  /** Returns all operations. */
  public long operations() {
    return f32 + f64;
  }

  /** Returns the operations per byte: the arithmetic intensity. */
  public double intensity() {
    return (double) operations() / Math.max(1, bytes);
  }

  private static final class Traffic {
    boolean readFirst;
    double read;
    double written;
  }

  private static final class Count {
    private final Procedure procedure;
    private final Map<Var, Const> values = new HashMap<>();
    private final Map<Buffer, Traffic> traffic = new LinkedHashMap<>();
    private double f32;
    private double f64;
    private boolean inItems;

    Count(Procedure procedure) {
      this.procedure = procedure;
    }

    LoopCost work() {
      values.put(procedure.begin(), Expr.of(0));
      values.put(procedure.end(), Expr.of(procedure.items()));
      count(procedure.body(), 1);
      long bytes = 0;
      for (Map.Entry<Buffer, Traffic> entry : traffic.entrySet()) {
        Buffer buffer = entry.getKey();
        Traffic moved = entry.getValue();
        double most = (double) buffer.elements() * buffer.storage().bytes();
        if (!buffer.local()) {
          bytes += Math.round(moved.readFirst ? Math.min(most, moved.read) : 0);
          bytes += Math.round(Math.min(most, moved.written));
        }
      }
      return new LoopCost(Math.round(f32), Math.round(f64), bytes);
    }

    private void count(Stmt stmt, double times) {
      switch (stmt) {
        case Stmt.Block x -> x.steps().forEach(step -> count(step, times));
        case Stmt.Let x -> {
          count(x.value(), times);
          Type type = x.variable().type();
          if ((type.equals(Type.I64) || type.equals(Type.BOOL))
              && known(x.value()) instanceof Const value) {
            values.put(x.variable(), value);
          }
        }
        case Stmt.Assign x -> count(x.value(), times);
        case Stmt.Store x -> {
          count(x.value(), times);
          moved(x.buffer(), false).written +=
              times * x.value().type().lanes() * x.buffer().storage().bytes();
        }
        case Stmt.Atomic x -> {
          count(x.value(), times);
          Traffic traffic = moved(x.buffer(), true);
          traffic.read += times * x.buffer().storage().bytes();
          traffic.written += times * x.buffer().storage().bytes();
        }
        case Stmt.If x when inItems && known(x.condition()) instanceof Const c ->
            count(c.bits() != 0 ? x.body() : x.otherwise(), times);
        case Stmt.Items x -> items(x, times);
        case Stmt.Exchange x -> count(x.value(), times);
        case Stmt.Barrier _ -> {}
        case Stmt.If x -> {
          if (!(x.condition() instanceof Expr.Any)) {
            count(x.body(), times);
            count(x.otherwise(), times);
          }
        }
        case Stmt.For x -> loop(x, times);
        case Stmt.Array _, Stmt.Comment _ -> {}
        case Stmt.Labeled _, Stmt.Loop _, Stmt.Leave _, Stmt.Repeat _, Stmt.TileStep _ ->
            throw Ir.notOfPrograms(stmt);
      }
    }

    /** All items of a block but the first, which may do more, are like the second. */
    private void items(Stmt.Items items, double times) {
      inItems = true;
      values.put(items.local(), Expr.of(0));
      count(items.body(), times);
      values.put(items.local(), Expr.of(1));
      count(items.body(), times * (index(items.count()) - 1));
      inItems = false;
    }

    /** All turns but the last are like the first, because only the last block can be smaller. */
    private void loop(Stmt.For loop, double times) {
      long from = index(loop.from());
      long turns = Math.max(0, (index(loop.to()) - from + loop.step() - 1) / loop.step());
      if (turns == 0) {
        return;
      }
      if (turns > 1) {
        values.put(loop.index(), Expr.of(from));
        count(loop.body(), times * (turns - 1));
      }
      values.put(loop.index(), Expr.of(from + (turns - 1) * loop.step()));
      count(loop.body(), times);
    }

    private void count(Expr expr, double times) {
      Ir.operands(expr).forEach(operand -> count(operand, times));
      switch (expr) {
        case Expr.Load x ->
            moved(x.buffer(), true).read += times * x.lanes() * x.buffer().storage().bytes();
        case Expr.Fma x -> operations(x, 2 * times);
        case Expr.Unary x when x.op() == Expr.UnaryOp.SQRT -> operations(x, times);
        case Expr.Binary x -> operations(x, x.op().compareTo(Expr.BinaryOp.DIV) <= 0 ? times : 0);
        default -> {}
      }
    }

    private void operations(Expr expr, double times) {
      double lanes = times * expr.type().lanes();
      f32 += expr.type().kind() == Kind.F32 ? lanes : 0;
      f64 += expr.type().kind() == Kind.F64 ? lanes : 0;
    }

    private Traffic moved(Buffer buffer, boolean read) {
      return traffic.computeIfAbsent(
          buffer,
          _ -> {
            Traffic fresh = new Traffic();
            fresh.readFirst = read;
            return fresh;
          });
    }

    private long index(Expr bound) {
      if (known(bound) instanceof Const value) {
        return value.bits();
      }
      throw new IllegalArgumentException(
          "the bound " + bound + " of a loop of " + procedure.name() + " is not known in advance");
    }

    /** The one of the two ends of a loop that is known. */
    private static Expr most(Expr e) {
      return e instanceof Expr.Select(Expr.Binary less, Expr yes, Const no)
              && less.op() == Expr.BinaryOp.LT
              && less.left().equals(yes)
              && less.right().equals(no)
          ? no
          : e;
    }

    private Expr known(Expr expr) {
      return Ir.rewrite(
          expr,
          e -> {
            Expr value = e instanceof Var variable ? values.get(variable) : null;
            return value != null ? value : Simplify.rule(most(e), false);
          });
    }
  }
}
