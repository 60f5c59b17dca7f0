package dev.rialto.jit.lift.block;

import dev.rialto.jit.lift.Axis;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Items of a block with neighbouring numbers: all of them or a subgroup.
 *
 * @param items the block's items
 * @param axes the axes of the launch
 * @param first the number of the first
 * @param end one past the number of the last
 */
record ItemRange(Stmt.Items items, List<Axis> axes, Expr first, Expr end) {
  private static final Var SUBGROUP = new Var("subgroup", Type.I64);
  private static final Var SUBGROUP_END = new Var("subgroup_end", Type.I64);

  static ItemRange ofBlock(Stmt.Items items, List<Axis> axes) {
    return new ItemRange(items, axes, Expr.of(0), items.count());
  }

  Var local() {
    return items.local();
  }

  boolean isBlock() {
    return !first.equals(SUBGROUP);
  }

  /** The variables that tell an item's place. */
  Set<Var> placeVariables() {
    Set<Var> found = new HashSet<>(Set.of(local()));
    axes.forEach(axis -> found.add(axis.local()));
    return found;
  }

  /** The items of the subgroup that {@link #eachSubgroup} is at. */
  ItemRange subgroup() {
    return new ItemRange(items, axes, SUBGROUP, SUBGROUP_END);
  }

  /** A loop over the subgroups of the block. */
  Stmt eachSubgroup(List<Stmt> steps) {
    Expr size = Expr.of(Stmt.SUBGROUP);
    Expr next = new Binary(BinaryOp.ADD, SUBGROUP, size);
    Expr fits = new Binary(BinaryOp.LE, next, items.count());
    List<Stmt> body = new ArrayList<>();
    body.add(new Stmt.Let(SUBGROUP_END, new Expr.Select(fits, next, items.count())));
    body.addAll(steps);
    return new Stmt.For(SUBGROUP, Expr.of(0), items.count(), Stmt.SUBGROUP, new Stmt.Block(body));
  }

  /** A loop over the items: of a block one along each axis, so that no place is divided for. */
  Stmt each(Stmt body) {
    if (axes.size() == 1) {
      return new Stmt.For(local(), first, end, 1, body);
    }
    List<Stmt> steps = new ArrayList<>();
    if (!isBlock()) {
      places(local()).forEach((place, value) -> steps.add(new Stmt.Let(place, value)));
      steps.add(body);
      return new Stmt.For(local(), first, end, 1, new Stmt.Block(steps));
    }
    Stmt loop = new Stmt.Block(List.of(new Stmt.Let(local(), Axis.local(axes)), body));
    for (Axis axis : axes.reversed()) {
      loop = new Stmt.For(axis.local(), Expr.of(0), axis.count(), 1, loop);
    }
    return loop;
  }

  /** The places of an item along several axes. */
  Map<Var, Expr> places(Expr number) {
    Map<Var, Expr> places = new LinkedHashMap<>();
    if (axes.size() > 1) {
      List<Expr> of = Axis.places(axes, number);
      for (int i = 0; i < axes.size(); i++) {
        places.put(axes.get(i).local(), of.get(i));
      }
    }
    return places;
  }
}
