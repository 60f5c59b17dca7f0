package dev.rialto.jit.lift.block;

import dev.rialto.jit.lift.Axis;
import dev.rialto.jit.lift.KernelCode;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.List;

/**
 * A device's threads as items along several axes: each thread has its place in a whole block, and
 * ends if the block has no such item. So places are quotients by constants, also in the blocks at
 * the ends. Not for items that exchange values, whose subgroups are those of their own numbers.
 */
public final class ThreadPlaces {
  private static final Var THREAD = new Var("thread", Type.I64);
  private static final String OUTSIDE = "outside";

  private ThreadPlaces() {}

  /** Rewrites the steps of a kernel's procedure. */
  public static Stmt apply(Stmt body, List<Axis> axes) {
    boolean exchanges = Ir.contains(body, s -> s instanceof Stmt.Exchange);
    return axes.size() == 1 || exchanges
        ? body
        : Ir.rebuild(body, s -> s instanceof Stmt.Items items ? threads(items, axes) : s);
  }

  private static Stmt threads(Stmt.Items items, List<Axis> axes) {
    List<Stmt> steps = new ArrayList<>();
    Expr rest = KernelCode.convert(Type.I32, THREAD);
    long inner = 1;
    Expr outside = new Expr.Const(Type.BOOL, 0);
    for (Axis axis : axes.reversed()) {
      boolean isOuter = inner * axis.size() == items.most();
      Expr size = KernelCode.constant(Type.I32, axis.size());
      Expr place =
          axis.size() == 1
              ? KernelCode.ZERO
              : isOuter ? rest : KernelCode.binary(BinaryOp.REM, rest, size);
      steps.add(new Stmt.Let(axis.local(), KernelCode.index(place)));
      rest = KernelCode.binary(BinaryOp.DIV, rest, size);
      inner *= axis.size();
      if (axis.size() > 1) {
        outside =
            KernelCode.binary(
                BinaryOp.OR, outside, new Binary(BinaryOp.LE, axis.count(), axis.local()));
      }
    }
    List<Stmt> inside = new ArrayList<>();
    inside.add(new Stmt.If(outside, new Stmt.Leave(OUTSIDE)));
    inside.add(new Stmt.Let(items.local(), Axis.local(axes)));
    for (Stmt step : Ir.steps(items.body())) {
      if (!Axis.isPlace(axes, step)) {
        inside.add(step);
      }
    }
    steps.add(new Stmt.Labeled(OUTSIDE, new Stmt.Block(inside)));
    return new Stmt.Items(THREAD, Expr.of(items.most()), items.most(), new Stmt.Block(steps));
  }
}
