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
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Cuts a loop over the items of a whole block in two where a condition asks whether an item's place
 * is below a number that is the same for all: neither half asks, so that both can be vectors.
 *
 * <p>Sums by halves and scans by doubled distances ask that in each step. The halves are those of a
 * block whose items are known, as the code for both is longer.
 */
final class CutLoops {
  private static final int MOST_STEPS = 40;

  private final Set<Var> places;
  private final Set<Var> cuts = new HashSet<>();

  /**
   * Makes a pass.
   *
   * @param places the indices of loops over items, which are no more than an int holds
   */
  CutLoops(Set<Var> places) {
    this.places = places;
  }

  /** The variables that say where loops were cut, between bounds that are known. */
  Set<Var> cuts() {
    return cuts;
  }

  Stmt apply(Stmt body) {
    return Ir.rebuild(body, s -> s instanceof Stmt.For loop ? cut(loop) : s);
  }

  /**
   * A condition that holds for the items below a place, or for the others.
   *
   * @param step which of the steps of an item asks
   */
  private record Cut(int step, Expr place, boolean below) {}

  private Stmt cut(Stmt.For loop) {
    if (!places.contains(loop.index())
        || loop.step() != 1
        || !(loop.from() instanceof Const)
        || !(loop.to() instanceof Const)
        || Ir.size(loop.body()) > MOST_STEPS
        || !StridedLoops.staysInside(loop.body())) {
      return loop;
    }
    List<Stmt> steps = new ArrayList<>();
    LaneShapes.flatten(loop.body(), steps);
    return find(loop, steps).map(cut -> halves(loop, steps, cut)).orElse(loop);
  }

  private Stmt halves(Stmt.For loop, List<Stmt> steps, Cut cut) {
    Var place = new Var(loop.index().name() + "_cut" + cuts.size(), Type.I64);
    cuts.add(place);
    Expr most = Ir.min(loop.to(), cut.place());
    Expr inside =
        KernelCode.simple(
            new Expr.Select(new Binary(BinaryOp.LT, most, loop.from()), loop.from(), most));
    Stmt.If branch = (Stmt.If) steps.get(cut.step());
    Stmt first = with(steps, cut.step(), cut.below() ? branch.body() : branch.otherwise());
    Stmt second = with(steps, cut.step(), cut.below() ? branch.otherwise() : branch.body());
    return new Stmt.Block(
        List.of(
            new Stmt.Let(place, inside),
            new Stmt.For(loop.index(), loop.from(), place, 1, first),
            new Stmt.For(
                loop.index(),
                place,
                loop.to(),
                1,
                Ir.rebuild(second, s -> BlockLoops.renamed(s, "_" + place.name())))));
  }

  private static Stmt with(List<Stmt> steps, int at, Stmt step) {
    List<Stmt> all = new ArrayList<>(steps);
    all.set(at, step);
    return new Stmt.Block(all);
  }

  private static Optional<Cut> find(Stmt.For loop, List<Stmt> steps) {
    Set<Var> changing = Ir.assigned(loop.body());
    Set<Var> copies = new HashSet<>(Set.of(loop.index()));
    for (int i = 0; i < steps.size(); i++) {
      Stmt step = steps.get(i);
      if (step instanceof Stmt.Let(Var v, Expr e) && isPlace(e, copies) && !changing.contains(v)) {
        copies.add(v);
      }
      if (step instanceof Stmt.If branch
          && IndexGuards.site(branch) < 0
          && branch.condition() instanceof Binary(BinaryOp op, Expr x, Expr y)
          && (op == BinaryOp.LT || op == BinaryOp.LE)) {
        Set<Var> inside = new HashSet<>(changing);
        inside.addAll(Ir.made(loop.body()));
        inside.add(loop.index());
        if (isPlace(x, copies) && Ir.isFixed(y, inside)) {
          return Optional.of(new Cut(i, place(loop, y, op == BinaryOp.LE), true));
        }
        if (isPlace(y, copies) && Ir.isFixed(x, inside)) {
          return Optional.of(new Cut(i, place(loop, x, op == BinaryOp.LT), false));
        }
      }
    }
    return Optional.empty();
  }

  private static boolean isPlace(Expr e, Set<Var> copies) {
    return switch (e) {
      case Var v -> copies.contains(v);
      case Expr.Convert(Type type, Expr x) -> !type.isFloat() && isPlace(x, copies);
      default -> false;
    };
  }

  /** A bound as a place, or the place behind it, which is behind all if the bound is. */
  private static Expr place(Stmt.For loop, Expr bound, boolean next) {
    Expr place = KernelCode.index(bound);
    return next ? KernelCode.binary(BinaryOp.ADD, Ir.min(loop.to(), place), Expr.of(1)) : place;
  }
}
