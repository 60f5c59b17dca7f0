package dev.rialto.jit.lift.range;

import dev.rialto.jit.lift.KernelCode;
import dev.rialto.jit.loops.IntegerRange;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes the offsets of elements sums of 64-bit numbers, and loops that count upwards loops over an
 * index.
 *
 * <p>Java's ints wrap around, and a compiler that must respect that sees no neighbours in {@code
 * x[row * 16 + k]}. Where the bounds of the variables tell that nothing wraps, the same sum of
 * longs stands there, of loop indices and not of variables that hold copies of them.
 */
public final class OffsetArithmetic extends RangePass {
  private int loops;

  private OffsetArithmetic(Map<Var, IntegerRange> given) {
    super(given);
  }

  /**
   * Rewrites steps.
   *
   * @param given bounds of variables that come from outside
   */
  public static Stmt apply(Stmt body, Map<Var, IntegerRange> given) {
    return new OffsetArithmetic(given).all(body);
  }

  /**
   * A loop over an index in place of one that leaves when a variable has come to a bound, and adds
   * to it at the end of each turn; null if it is none or the variable could wrap around.
   */
  @Override
  @Nullable Stmt counts(Stmt.Loop loop, KnownValues here) {
    List<Stmt> all = Ir.steps(loop.body());
    if (all.size() < 2
        || !(all.getFirst() instanceof Stmt.If(Expr ends, Stmt jump, Stmt otherwise))
        || !Ir.steps(otherwise).isEmpty()
        || Ir.steps(jump).size() != 1
        || !(Ir.steps(jump).getFirst() instanceof Stmt.Leave leave)
        || !(ends instanceof Binary(BinaryOp op, Expr bound, Var v))
        || (op != BinaryOp.LE && op != BinaryOp.LT)
        || !(all.getLast()
            instanceof Stmt.Assign(Var next, Binary(BinaryOp add, Var same, Expr.Const by)))
        || add != BinaryOp.ADD
        || !next.equals(v)
        || !same.equals(v)
        || by.bits() < 1
        || by.bits() > Integer.MAX_VALUE) {
      return null;
    }
    List<Stmt> rest = all.subList(1, all.size() - 1);
    Set<Var> changing = new HashSet<>(Ir.assigned(rest));
    boolean jumps = Ir.contains(rest, new Stmt.Repeat(loop.label())::equals);
    if (jumps || !changing.add(v) || !Ir.isFixed(bound, changing)) {
      return null;
    }
    long step = by.bits();
    long beyond = op == BinaryOp.LE ? 0 : 1;
    boolean isInt = v.type().equals(Type.I32);
    long most = isInt ? Integer.MAX_VALUE - step - beyond : Long.MAX_VALUE >> 2;
    boolean canWrap =
        here.range(bound).max() > most || here.range(v).min() < IntegerRange.of(Type.I32).min();
    if (canWrap && (step > 1 || beyond > 0)) {
      return null;
    }
    String name = "i" + loops++;
    Var index = new Var(name, Type.I64);
    Var first = new Var(name + "_first", Type.I64);
    Var end = new Var(name + "_end", Type.I64);
    List<Stmt> turn = new ArrayList<>();
    turn.add(new Stmt.Assign(v, KernelCode.convert(v.type(), index)));
    turn.addAll(rest);
    Expr behind = KernelCode.binary(BinaryOp.ADD, KernelCode.index(bound), Expr.of(beyond));
    Stmt counts =
        new Stmt.Block(
            List.of(
                new Stmt.Let(first, KernelCode.index(v)),
                new Stmt.Let(end, behind),
                new Stmt.For(index, first, end, step, new Stmt.Block(turn)),
                new Stmt.Assign(v, KernelCode.convert(v.type(), last(first, end, step))),
                leave));
    return Ir.contains(counts, new Stmt.Leave(loop.label())::equals)
        ? new Stmt.Labeled(loop.label(), counts)
        : counts;
  }

  /** The first number from {@code first} on by steps that is not below {@code end}. */
  private static Expr last(Var first, Var end, long step) {
    Expr reached = end;
    if (step > 1) {
      Expr whole =
          KernelCode.binary(BinaryOp.ADD, new Binary(BinaryOp.SUB, end, first), Expr.of(step - 1));
      Expr turns = new Binary(BinaryOp.DIV, whole, Expr.of(step));
      reached = new Binary(BinaryOp.ADD, first, new Binary(BinaryOp.MUL, turns, Expr.of(step)));
    }
    return new Expr.Select(new Binary(BinaryOp.LT, first, end), reached, first);
  }

  // --- Expressions ------------------------------------------------------------------------------

  @Override
  Expr value(Expr e, KnownValues here) {
    if (e instanceof Expr.Load(Buffer b, Expr at, int lanes)) {
      return new Expr.Load(b, offset(at, here), lanes);
    }
    return Ir.map(e, x -> value(x, here));
  }

  /** An offset in terms of what its variables are sums of. */
  @Override
  Expr offset(Expr e, KnownValues here) {
    return wide(Ir.rewrite(value(e, here), x -> x instanceof Var v ? here.sum(v) : x), here);
  }

  @Override
  Expr bound(Expr e, KnownValues here) {
    return offset(e, here);
  }

  /** A sum of 64-bit numbers, where it has conversions from 32 bits. */
  private static Expr wide(Expr e, KnownValues here) {
    return switch (e) {
      case Binary(BinaryOp op, Expr x, Expr y)
          when op == BinaryOp.ADD || op == BinaryOp.SUB || op == BinaryOp.MUL ->
          KernelCode.binary(op, wide(x, here), wide(y, here));
      case Expr.Convert(Type _, Expr x) when x.type().equals(Type.I32) -> widened(x, here);
      default -> e;
    };
  }

  /** An int as a long. */
  private static Expr widened(Expr e, KnownValues here) {
    return switch (e) {
      case Binary(BinaryOp op, Expr x, Expr y)
          when IntegerRange.isExact(op, here.range(x), here.range(y), Type.I32) ->
          switch (op) {
            case ADD, SUB, MUL -> KernelCode.binary(op, widened(x, here), widened(y, here));
            case SHL ->
                y instanceof Expr.Const c
                    ? KernelCode.binary(BinaryOp.MUL, widened(x, here), Expr.of(1L << c.bits()))
                    : KernelCode.index(e);
            default -> KernelCode.index(e);
          };
      case Expr.Convert(Type _, Expr x) when x.type().equals(Type.I64) && here.range(x).isInt() ->
          wide(x, here);
      default -> KernelCode.index(e);
    };
  }
}
