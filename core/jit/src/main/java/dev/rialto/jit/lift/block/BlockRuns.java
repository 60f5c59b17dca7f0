package dev.rialto.jit.lift.block;

import dev.rialto.jit.lift.Axis;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One loop for the blocks of a thread that are neighbours along the last axis, if the items know
 * nothing of their block: long rows are compiled to better loops than many short ones, and are read
 * from memory in order.
 */
final class BlockRuns {
  /** Rows of smaller blocks are better as loops whose turns are known. */
  private static final int LEAST_ITEMS = 32;

  private static final String RUNS = "runs";

  /** The index of a loop over a run. */
  static final Var AT = new Var("at", Type.I64);

  private final Procedure procedure;
  private final Stmt.For blocks;
  private final List<Axis> axes;
  private final Axis last;

  private BlockRuns(Procedure procedure, Stmt.For blocks, List<Axis> axes) {
    this.procedure = procedure;
    this.blocks = blocks;
    this.axes = axes;
    this.last = axes.getLast();
  }

  /**
   * Makes loops.
   *
   * @param blocks the loop over the blocks of a thread
   * @return null if items share something, or ask for their place in the block or that of the block
   */
  static @Nullable Stmt of(Lifted kernel, Stmt.For blocks) {
    BlockRuns runs = new BlockRuns(kernel.procedure(), blocks, kernel.axes());
    if (!kernel.isIndependent() || runs.last.size() < LEAST_ITEMS) {
      return null;
    }
    Stmt item = Ir.mapExpressions(runs.item(), e -> Ir.rewrite(e, runs::placed));
    return runs.asks(item) ? null : runs.loops(item);
  }

  /** Returns the steps of an item; loops give its places along the axes. */
  private Stmt item() {
    List<Stmt> item = new ArrayList<>();
    for (Stmt step : Ir.steps(blocks.body())) {
      if (step instanceof Stmt.Items items) {
        for (Stmt inner : Ir.steps(items.body())) {
          if (!Axis.isPlace(axes, inner)) {
            item.add(inner);
          }
        }
      }
    }
    return new Stmt.Block(FirstValues.apply(item));
  }

  private Expr placed(Expr e) {
    return e.equals(last.global()) ? AT : e;
  }

  private boolean asks(Stmt item) {
    Set<Var> places =
        new HashSet<>(List.of(last.local(), last.first(), last.count(), last.block()));
    places.addAll(List.of(BlockLoops.LOCAL, BlockLoops.COUNT, blocks.index()));
    return Ir.mentions(item, x -> x instanceof Var v && places.contains(v));
  }

  private Stmt loops(Stmt item) {
    Expr behind = new Binary(BinaryOp.ADD, last.first(), last.count());
    Stmt loop = new Stmt.For(AT, last.first(), behind, 1, item);
    for (Axis axis : axes.subList(0, axes.size() - 1).reversed()) {
      loop = new Stmt.For(axis.local(), Expr.of(0), axis.count(), 1, loop);
    }
    return axes.size() == 1 ? all(loop) : rows(loop);
  }

  /** All blocks of a thread, in a launch of one axis. */
  private Stmt all(Stmt loop) {
    Expr size = Expr.of(last.size());
    Expr items = new Binary(BinaryOp.MUL, procedure.end(), size);
    Expr rest = new Binary(BinaryOp.SUB, Ir.min(items, last.items()), last.first());
    return new Stmt.Block(
        List.of(
            new Stmt.Let(last.first(), new Binary(BinaryOp.MUL, procedure.begin(), size)),
            new Stmt.Let(last.count(), Axis.atLeastNone(rest)),
            loop));
  }

  private Stmt rows(Stmt loop) {
    Var block = blocks.index();
    Var run = new Var("run", Type.I64);
    List<Stmt> steps = new ArrayList<>();
    steps.add(new Stmt.If(new Binary(BinaryOp.LE, blocks.to(), block), new Stmt.Leave(RUNS)));
    for (Stmt step : Ir.steps(blocks.body())) {
      if (step instanceof Stmt.Let(Var v, Expr _) && v.equals(last.count())) {
        Expr rest = new Binary(BinaryOp.SUB, blocks.to(), block);
        Expr row = new Binary(BinaryOp.SUB, last.blocks(), last.block());
        steps.add(new Stmt.Let(run, Ir.min(rest, row)));
        Expr items = new Binary(BinaryOp.MUL, run, Expr.of(last.size()));
        Expr left = new Binary(BinaryOp.SUB, last.items(), last.first());
        steps.add(new Stmt.Let(last.count(), Ir.min(items, left)));
      } else if (step instanceof Stmt.Let) {
        steps.add(step);
      }
    }
    steps.add(loop);
    steps.add(new Stmt.Assign(block, new Binary(BinaryOp.ADD, block, run)));
    return new Stmt.Block(
        List.of(
            new Stmt.Let(block, blocks.from()),
            new Stmt.Labeled(RUNS, new Stmt.Loop("next_run", new Stmt.Block(steps)))));
  }
}
