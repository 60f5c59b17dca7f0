package dev.rialto.jit.lift;

import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.List;

/**
 * An axis of a launch, in variables.
 *
 * @param local the item's place in its block
 * @param block the place of its block
 * @param first the place of the block's first item
 * @param count the items of the block
 * @param items all items
 * @param size the items of a whole block
 */
public record Axis(Var local, Var block, Var first, Var count, Var items, long size) {
  /** All axes together, whose variables have no number. */
  public static final Axis EVERY = of("", 0);

  /** Names the variables of an axis; those of a single one have no number. */
  static Axis of(String number, long size) {
    return new Axis(
        index("local" + number),
        index("block" + number),
        index("first" + number),
        index("count" + number),
        index("items" + number),
        size);
  }

  private static Var index(String name) {
    return new Var(name, Type.I64);
  }

  public Expr blocks() {
    Expr last = KernelCode.binary(BinaryOp.SUB, items, Expr.of(1));
    Expr whole = KernelCode.binary(BinaryOp.DIV, last, Expr.of(size));
    return size == 1 ? items : KernelCode.binary(BinaryOp.ADD, whole, Expr.of(1));
  }

  /** The item's place among all, as a variable of its own: known to be one of the items. */
  public Var place() {
    return index("place" + local.name().substring("local".length()));
  }

  /** The item's place among all. */
  public Expr global() {
    return KernelCode.binary(BinaryOp.ADD, first, local);
  }

  /**
   * Finds the first item of a block and how many it has, where there is one axis.
   *
   * @param end one past the last block of a part of the launch: those before that one are whole,
   *     and need not wait for the number of all items
   */
  List<Stmt> bounds(Expr end) {
    Expr next = new Expr.Binary(BinaryOp.ADD, block, Expr.of(1));
    Expr isNotLast = new Expr.Binary(BinaryOp.LT, next, end);
    List<Stmt> bounds = bounds();
    return bounds.getLast() instanceof Stmt.Let(Var v, Expr e)
        ? List.of(bounds.getFirst(), new Stmt.Let(v, new Expr.Select(isNotLast, Expr.of(size), e)))
        : bounds;
  }

  /** Finds the block's first item and how many it has. */
  List<Stmt> bounds() {
    Expr rest = new Expr.Binary(BinaryOp.SUB, items, first);
    Expr whole = Expr.of(size);
    return List.of(
        new Stmt.Let(first, new Expr.Binary(BinaryOp.MUL, block, whole)),
        new Stmt.Let(
            count, new Expr.Select(new Expr.Binary(BinaryOp.LT, whole, rest), whole, rest)));
  }

  /** Finds how many items a block has that may begin behind the last item. */
  Stmt rest() {
    Expr rest = new Expr.Binary(BinaryOp.SUB, items, first);
    return new Stmt.Let(count, atLeastNone(Ir.min(rest, Expr.of(size))));
  }

  public static Expr atLeastNone(Expr items) {
    Expr none = Expr.of(0);
    return new Expr.Select(new Expr.Binary(BinaryOp.LT, items, none), none, items);
  }

  /** The number of an item in its block, of its places along the axes. */
  public static Expr local(List<Axis> axes) {
    return number(
        axes.stream().map(axis -> (Expr) axis.local()).toList(),
        axes.stream().map(axis -> (Expr) axis.count()).toList());
  }

  /** Returns whether a step makes the variable of an item's place along one of some axes. */
  public static boolean isPlace(List<Axis> axes, Stmt step) {
    return step instanceof Stmt.Let let
        && axes.stream().anyMatch(axis -> axis.local().equals(let.variable()));
  }

  /** A number that goes through places row by row. */
  public static Expr number(List<Expr> places, List<Expr> sizes) {
    Expr number = places.getFirst();
    for (int i = 1; i < places.size(); i++) {
      number =
          KernelCode.binary(
              BinaryOp.ADD, KernelCode.binary(BinaryOp.MUL, number, sizes.get(i)), places.get(i));
    }
    return number;
  }

  /**
   * The places of an item of a block. A division by what is known takes a tenth of the time, so
   * that it is worth asking along each axis whether the block is a whole one.
   */
  public static List<Expr> places(List<Axis> axes, Expr number) {
    List<Expr> places = new ArrayList<>();
    Expr rest = KernelCode.convert(Type.I32, number);
    for (int i = axes.size() - 1; i >= 0; i--) {
      Axis axis = axes.get(i);
      boolean isOuter = axes.subList(0, i).stream().allMatch(outer -> outer.size() == 1);
      Expr place = rest;
      if (axis.size() == 1) {
        place = KernelCode.ZERO;
      } else if (!isOuter) {
        Expr isWhole = new Expr.Binary(BinaryOp.EQ, axis.count(), Expr.of(axis.size()));
        Expr size = KernelCode.constant(Type.I32, axis.size());
        Expr count = KernelCode.convert(Type.I32, axis.count());
        place = divided(BinaryOp.REM, isWhole, rest, size, count);
        rest = divided(BinaryOp.DIV, isWhole, rest, size, count);
      }
      places.addFirst(KernelCode.index(place));
    }
    return places;
  }

  private static Expr divided(BinaryOp op, Expr isWhole, Expr number, Expr size, Expr count) {
    return new Expr.Select(
        isWhole, KernelCode.binary(op, number, size), KernelCode.binary(op, number, count));
  }
}
