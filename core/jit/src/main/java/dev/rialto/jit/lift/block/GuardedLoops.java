package dev.rialto.jit.lift.block;

import dev.rialto.jit.lift.IndexGuards;
import dev.rialto.jit.lift.KernelCode;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Guards of indices that a loop counts, looked at once before the loop.
 *
 * <p>Where the first and the last index are inside, all between are, and a copy of the loop without
 * these guards runs; else the loop as it was, which notes the first wrong index. A row of a sparse
 * matrix looks at two indices that way instead of two for each element; what is left are those that
 * its columns say. Only innermost loops are copied.
 */
final class GuardedLoops {
  private int loops;

  private GuardedLoops() {}

  static Stmt apply(Stmt body) {
    GuardedLoops pass = new GuardedLoops();
    return Ir.rebuild(body, s -> s instanceof Stmt.For loop ? pass.guardedOnce(loop) : s);
  }

  private Stmt guardedOnce(Stmt.For loop) {
    boolean isInnermost =
        !Ir.contains(List.of(loop.body()), s -> s instanceof Stmt.For || s instanceof Stmt.Loop);
    if (!isInnermost || !isInt(loop.from()) || !isInt(loop.to())) {
      return loop;
    }
    Set<Var> copies = copies(loop);
    Set<Var> changing = Ir.assigned(loop.body());
    changing.addAll(Ir.made(loop.body()));
    changing.add(loop.index());
    Set<Expr> conditions = new LinkedHashSet<>();
    String copy = "_inside" + loops++;
    Stmt unguarded =
        Ir.rebuild(
            loop.body(),
            s -> {
              if (s instanceof Stmt.If guard && IndexGuards.site(guard) >= 0) {
                Optional<Expr> whole = whole(guard.condition(), loop, copies, changing);
                whole.ifPresent(conditions::add);
                return whole.isPresent() ? guard.body() : s;
              }
              return BlockLoops.renamed(s, copy);
            });
    return conditions.stream()
        .reduce((x, y) -> new Binary(BinaryOp.AND, x, y))
        .<Stmt>map(
            all ->
                new Stmt.If(
                    all,
                    new Stmt.For(loop.index(), loop.from(), loop.to(), loop.step(), unguarded),
                    loop))
        .orElse(loop);
  }

  /** Whether a bound is a number that an int holds. */
  private static boolean isInt(Expr bound) {
    return switch (bound) {
      case Const c -> c.bits() == (int) c.bits();
      case Expr.Convert(Type _, Expr x) -> x.type().equals(Type.I32);
      default -> false;
    };
  }

  /** The variables that are the loop's index wherever they are used in it. */
  private static Set<Var> copies(Stmt.For loop) {
    Set<Var> copies = new HashSet<>();
    List<Stmt> steps = new ArrayList<>();
    LaneShapes.flatten(loop.body(), steps);
    if (!steps.isEmpty()
        && steps.getFirst() instanceof Stmt.Assign(Var v, Expr e)
        && isIndex(e, loop.index(), copies)
        && !Ir.assigned(steps.subList(1, steps.size())).contains(v)) {
      copies.add(v);
    }
    return copies;
  }

  private static boolean isIndex(Expr e, Var index, Set<Var> copies) {
    return switch (e) {
      case Var v -> v.equals(index) || copies.contains(v);
      case Expr.Convert(Type type, Expr x) -> !type.isFloat() && isIndex(x, index, copies);
      default -> false;
    };
  }

  /** Whether a guard's condition holds in all turns, if that can be told of the first and last. */
  private static Optional<Expr> whole(
      Expr condition, Stmt.For loop, Set<Var> copies, Set<Var> changing) {
    return condition instanceof Binary(BinaryOp and, Expr above, Expr below)
            && and == BinaryOp.AND
            && above instanceof Binary(BinaryOp le, Expr low, Expr at)
            && le == BinaryOp.LE
            && below instanceof Binary(BinaryOp lt, Expr same, Expr end)
            && lt == BinaryOp.LT
            && at.equals(same)
            && at.type().equals(Type.I64)
            && isFixed(low, changing)
            && isFixed(end, changing)
        ? shift(at, loop.index(), copies, changing).map(by -> whole(loop, by, low, end))
        : Optional.empty();
  }

  /** The first index is looked at on both sides, so that a sum that wraps around is not inside. */
  private static Expr whole(Stmt.For loop, Expr by, Expr low, Expr end) {
    Expr first = KernelCode.binary(BinaryOp.ADD, loop.from(), by);
    Expr behind = KernelCode.binary(BinaryOp.ADD, loop.to(), by);
    Expr above = new Binary(BinaryOp.LE, low, first);
    Expr below =
        new Binary(
            BinaryOp.AND,
            new Binary(BinaryOp.LE, first, end),
            new Binary(BinaryOp.LE, behind, end));
    return new Binary(BinaryOp.AND, above, below);
  }

  /** What an index has more than the loop's, the same in all turns. */
  private static Optional<Expr> shift(Expr at, Var index, Set<Var> copies, Set<Var> changing) {
    if (isIndex(at, index, copies)) {
      return Optional.of(Expr.of(0));
    }
    if (at instanceof Binary(BinaryOp op, Expr x, Expr y) && op == BinaryOp.ADD) {
      if (isIndex(x, index, copies) && isFixed(y, changing)) {
        return Optional.of(y);
      }
      if (isIndex(y, index, copies) && isFixed(x, changing)) {
        return Optional.of(x);
      }
    }
    return Optional.empty();
  }

  private static boolean isFixed(Expr e, Set<Var> changing) {
    return Ir.isFixed(e, changing);
  }
}
