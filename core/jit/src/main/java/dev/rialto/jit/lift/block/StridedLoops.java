package dev.rialto.jit.lift.block;

import dev.rialto.jit.lift.KernelCode;
import dev.rialto.jit.loops.Exposed;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Turns the loops of items that go through an array by strides, each from its own place on, into
 * one that goes through it in order: all items do their first turn, then their second.
 *
 * <p>On a GPU neighbouring items read neighbouring elements at the same time. One item after the
 * other would read far apart, and through the whole part of the block each.
 */
final class StridedLoops {
  private final Set<Var> places;
  private int loops;

  private StridedLoops(Set<Var> places) {
    this.places = places;
  }

  /**
   * Rewrites loops over items.
   *
   * @param places the indices of such loops
   */
  static Stmt apply(Stmt body, Set<Var> places) {
    StridedLoops pass = new StridedLoops(places);
    return Ir.rebuild(body, s -> s instanceof Stmt.For loop ? pass.inOrder(loop) : s);
  }

  private Stmt inOrder(Stmt.For items) {
    if (!places.contains(items.index()) || items.step() != 1) {
      return items;
    }
    List<Stmt> all = new ArrayList<>();
    flatten(items.body(), all);
    List<Stmt> before = new ArrayList<>();
    Stmt.For turns = null;
    for (Stmt step : all) {
      if (step instanceof Stmt.For loop && turns == null) {
        turns = loop;
      } else if (!isCheap(step)) {
        return items;
      } else if (turns == null) {
        before.add(step);
      }
    }
    if (turns == null || !canTakeTurns(items, turns)) {
      return items;
    }
    Var base = new Var(turns.index().name() + "_base" + loops, Type.I64);
    Var end = new Var(items.index().name() + "_last" + loops++, Type.I64);
    Expr first = items.from();
    Expr from =
        Ir.rewrite(turns.from(), e -> e.equals(items.index()) ? first : KernelCode.simple(e));
    Expr left = KernelCode.binary(BinaryOp.SUB, turns.to(), base);
    Expr count = KernelCode.binary(BinaryOp.SUB, items.to(), first);
    List<Stmt> turn = new ArrayList<>(before);
    Expr place = KernelCode.binary(BinaryOp.SUB, items.index(), first);
    turn.add(new Stmt.Let(turns.index(), KernelCode.binary(BinaryOp.ADD, base, place)));
    turn.add(turns.body());
    Expr last =
        isWhole(from, turns, count)
            ? items.to()
            : KernelCode.binary(BinaryOp.ADD, first, Ir.min(count, left));
    Expr known = last instanceof Expr.Const ? last : end;
    return new Stmt.For(
        base,
        from,
        turns.to(),
        turns.step(),
        new Stmt.Block(
            List.of(
                new Stmt.Let(end, last),
                new Stmt.For(items.index(), first, known, 1, new Stmt.Block(turn)))));
  }

  /** Whether each item has as many turns as the first. */
  private static boolean isWhole(Expr from, Stmt.For turns, Expr items) {
    return from instanceof Expr.Const begin
        && turns.to() instanceof Expr.Const end
        && items instanceof Expr.Const count
        && (end.bits() - begin.bits()) % turns.step() == 0
        && count.bits() <= turns.step();
  }

  /** The steps of an item; a jump to the end of the last one goes where control comes anyway. */
  private static void flatten(Stmt body, List<Stmt> steps) {
    for (Stmt step : Ir.steps(body)) {
      if (step instanceof Stmt.Block) {
        flatten(step, steps);
      } else if (step instanceof Stmt.Labeled(String label, Stmt inner)) {
        List<Stmt> inside = new ArrayList<>();
        flatten(inner, inside);
        if (!inside.isEmpty() && inside.getLast().equals(new Stmt.Leave(label))) {
          inside.removeLast();
        }
        boolean jumps = Ir.contains(inside, new Stmt.Leave(label)::equals);
        steps.addAll(jumps ? List.of(step) : inside);
      } else {
        steps.add(step);
      }
    }
  }

  /** Whether a step may be done again for each turn, or not at all at the end. */
  private static boolean isCheap(Stmt step) {
    Expr value =
        switch (step) {
          case Stmt.Let let -> let.value();
          case Stmt.Assign assign -> assign.value();
          case Stmt.Comment _ -> Expr.of(0);
          default -> null;
        };
    return value != null && !Ir.contains(value, Ir::isLoad);
  }

  private static boolean canTakeTurns(Stmt.For items, Stmt.For turns) {
    LaneShapes shapes = new LaneShapes(items);
    Set<Var> bounds = new HashSet<>(Ir.uses(turns.from()));
    bounds.addAll(Ir.uses(turns.to()));
    List<Stmt> body = Ir.steps(turns.body());
    Set<Var> carried = new HashSet<>();
    Exposed.read(body, new HashSet<>(Set.of(turns.index())), carried);
    carried.retainAll(Ir.assigned(body));
    return shapes.of(turns.from()) == 1
        && shapes.of(turns.to()) == 0
        && bounds.stream().noneMatch(shapes::isOfLoop)
        && carried.isEmpty()
        && staysInside(turns.body());
  }

  /** Whether all jumps go to places inside. */
  static boolean staysInside(Stmt body) {
    Set<String> targets = new HashSet<>();
    Set<String> labels = new HashSet<>();
    Ir.walk(
        body,
        s -> {
          switch (s) {
            case Stmt.Labeled x -> labels.add(x.label());
            case Stmt.Loop x -> labels.add(x.label());
            case Stmt.Leave x -> targets.add(x.label());
            case Stmt.Repeat x -> targets.add(x.label());
            default -> {}
          }
        });
    return labels.containsAll(targets);
  }
}
