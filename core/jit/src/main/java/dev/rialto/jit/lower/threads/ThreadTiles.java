package dev.rialto.jit.lower.threads;

import dev.rialto.jit.Assign;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.loops.Ir;
import dev.rialto.jit.lower.Schedule;
import dev.rialto.jit.lower.arithmetic.Emitter;
import dev.rialto.jit.lower.nest.AutoSchedule;
import dev.rialto.jit.lower.nest.LoopOrder;
import dev.rialto.jit.lower.nest.Lowering;
import dev.rialto.jit.lower.nest.Scope;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule's order of a GPU's threads, and what each of them does.
 *
 * <p>{@code block} steps are the shape of a tile that neighbouring threads compute: {@code block i
 * 8; block j 32} are 256 threads. {@code unroll} of a target's loop is how many of its elements a
 * thread keeps in registers, each of which uses what another loaded; of a summed loop, how many
 * steps it does at once. {@code reorder} says along which loop neighbouring threads are neighbours.
 * If tiles or a thread's elements do not divide a loop, the rest is done one by one.
 *
 * @param assign what is computed
 * @param inThread what is left for each thread
 * @param axes the loops of the target, the fastest last
 */
public record ThreadTiles(Assign assign, Schedule inThread, List<Axis> axes) {
  /**
   * A loop of the target.
   *
   * @param iter the loop
   * @param times how many of its elements a thread does
   * @param threads how many threads a tile has along it
   */
  record Axis(Iter iter, int times, long threads) {
    long steps() {
      return (iter.size() + times - 1) / times;
    }

    long tiles() {
      return (steps() + threads - 1) / threads;
    }

    boolean isWhole() {
      return iter.size() % times == 0;
    }
  }

  public static boolean isOne(Schedule schedule) {
    return schedule.steps().stream().anyMatch(step -> !(step instanceof Schedule.Parallel));
  }

  /**
   * Reads a schedule.
   *
   * @throws IllegalArgumentException if it does not fit the assignment, or is not for threads
   */
  public static ThreadTiles of(Assign a, Schedule schedule, boolean fast) {
    if (a.hasEnds() || !AutoSchedule.isIndependent(a)) {
      throw schedule.refused(a, "its elements depend on one another, or on lengths that are read");
    }
    List<Schedule.Step> checked = new ArrayList<>();
    for (Schedule.Step step : schedule.steps()) {
      switch (step) {
        case Schedule.Vector _ -> throw schedule.refused(a, "threads of a GPU have no vectors");
        case Schedule.Cache _ ->
            throw schedule.refused(a, "threads of a GPU have no arrays of their own to copy to");
        case Schedule.Block block -> {
          if (!a.targetLoops().contains(LoopOrder.named(a, schedule, block.axis()))) {
            throw schedule.refused(
                a, "loop " + block.axis() + " is summed over, each thread does all of it");
          }
        }
        case Schedule.Parallel _, Schedule.Reorder _, Schedule.Unroll _ -> checked.add(step);
      }
    }
    LoopOrder order = LoopOrder.of(a, new Schedule(checked), fast);
    List<Iter> loops = new ArrayList<>(order.outer());
    loops.addAll(order.inner());
    boolean reordered = !schedule.of(Schedule.Reorder.class).isEmpty();
    List<Axis> axes = new ArrayList<>();
    for (Iter iter : reordered ? loops : Threads.targets(a)) {
      if (a.targetLoops().contains(iter)) {
        int times = schedule.unroll(iter.name());
        long block =
            schedule.of(Schedule.Block.class).stream()
                .filter(step -> step.axis().equals(iter.name()))
                .mapToLong(Schedule.Block::size)
                .reduce(1, Math::max);
        axes.add(new Axis(iter, times, (block + times - 1) / times));
      }
    }
    List<Schedule.Step> left = new ArrayList<>(checked);
    left.removeIf(
        step ->
            !(step instanceof Schedule.Unroll unroll)
                || !a.reducedLoops().contains(LoopOrder.named(a, schedule, unroll.axis())));
    if (reordered) {
      List<Iter> inner = new ArrayList<>(loops);
      inner.removeAll(a.targetLoops());
      inner.addAll(0, a.targetLoops());
      left.add(new Schedule.Reorder(inner.stream().map(Iter::name).toList()));
    }
    return new ThreadTiles(a, new Schedule(left), axes);
  }

  long items() {
    long items = 1;
    for (Axis axis : axes) {
      items = Math.multiplyExact(items, Math.multiplyExact(axis.tiles(), axis.threads()));
    }
    return items;
  }

  /** Writes what the thread of a number does. */
  void emit(Var item, Scope scope, Emitter out) {
    List<Expr> first = new ArrayList<>();
    @Nullable Expr there = null;
    @Nullable Expr whole = null;
    List<Expr> steps = steps(item, out);
    for (int i = 0; i < axes.size(); i++) {
      Axis axis = axes.get(i);
      if (axis.tiles() * axis.threads() != axis.steps()) {
        there = both(out, there, steps.get(i), axis.steps());
      }
      first.add(out.let(Ir.index(BinaryOp.MUL, steps.get(i), Expr.of(axis.times()))));
      if (!axis.isWhole()) {
        whole = both(out, whole, steps.get(i), axis.iter().size() / axis.times());
      }
    }
    Emitter inside = there == null ? out : out.nested();
    Emitter block = whole == null ? inside : inside.nested();
    Lowering lowering = new Lowering(assign, inThread, scope);
    for (int i = 0; i < axes.size(); i++) {
      lowering.fix(axes.get(i).iter(), first.get(i), axes.get(i).times());
    }
    lowering.emit(block);
    if (whole != null) {
      Emitter rest = inside.nested();
      rest(first, scope, rest);
      inside.add(new Stmt.If(whole, block.block(), rest.block()));
    }
    if (there != null) {
      out.add(new Stmt.If(there, inside.block()));
    }
  }

  private static Expr both(Emitter out, @Nullable Expr before, Expr index, long end) {
    Expr here = out.binary(BinaryOp.LT, index, Expr.of(end));
    return before == null ? here : out.binary(BinaryOp.AND, before, here);
  }

  /** The number of a thread along each loop. */
  private List<Expr> steps(Var item, Emitter out) {
    List<Long> tiles = axes.stream().map(Axis::tiles).toList();
    List<Long> threads = axes.stream().map(Axis::threads).toList();
    long size = threads.stream().reduce(1L, Math::multiplyExact);
    if (size == 1) {
      return Threads.split(out, item, tiles);
    }
    Expr tile = out.binary(BinaryOp.DIV, item, Expr.of(size));
    List<Expr> outer = Threads.split(out, tile, tiles);
    Expr inTile = out.sub(item, out.mul(tile, Expr.of(size)));
    List<Expr> inner = Threads.split(out, inTile, threads);
    List<Expr> steps = new ArrayList<>();
    for (int i = 0; i < axes.size(); i++) {
      Expr before = Ir.index(BinaryOp.MUL, outer.get(i), Expr.of(threads.get(i)));
      steps.add(out.let(Ir.index(BinaryOp.ADD, before, inner.get(i))));
    }
    return steps;
  }

  /** Does a thread's elements one by one, as many as there are. */
  private void rest(List<Expr> first, Scope scope, Emitter out) {
    Lowering lowering = new Lowering(assign, inThread, scope);
    for (int i = 0; i < axes.size(); i++) {
      Axis axis = axes.get(i);
      if (axis.times() == 1) {
        lowering.fix(axis.iter(), first.get(i), 1);
      } else {
        Expr end = Ir.index(BinaryOp.ADD, first.get(i), Expr.of(axis.times()));
        lowering.limit(
            axis.iter(), first.get(i), out.let(Ir.min(end, Expr.of(axis.iter().size()))));
      }
    }
    lowering.emit(out);
  }
}
