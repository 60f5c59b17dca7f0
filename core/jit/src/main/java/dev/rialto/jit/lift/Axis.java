package dev.rialto.jit.lift;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

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

  /** How many blocks there are. */
  Expr blocks() {
    Expr last = KernelCode.binary(BinaryOp.SUB, items, Expr.of(1));
    Expr whole = KernelCode.binary(BinaryOp.DIV, last, Expr.of(size));
    return size == 1 ? items : KernelCode.binary(BinaryOp.ADD, whole, Expr.of(1));
  }

  /** The item's place among all. */
  Expr global() {
    return KernelCode.binary(BinaryOp.ADD, first, local);
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

  /** A number that goes through places row by row. */
  static Expr number(List<Expr> places, List<Expr> sizes) {
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
  static List<Expr> places(List<Axis> axes, Expr number) {
    List<Expr> places = new ArrayList<>();
    Expr rest = number;
    for (int i = axes.size() - 1; i >= 0; i--) {
      Axis axis = axes.get(i);
      boolean isOuter = axes.subList(0, i).stream().allMatch(outer -> outer.size() == 1);
      if (isOuter || axis.size() == 1) {
        places.addFirst(axis.size() == 1 ? Expr.of(0) : rest);
        continue;
      }
      Expr whole = new Expr.Binary(BinaryOp.EQ, axis.count(), Expr.of(axis.size()));
      Expr from = rest;
      UnaryOperator<Expr> divided = size -> KernelCode.binary(BinaryOp.DIV, from, size);
      UnaryOperator<Expr> left = size -> KernelCode.binary(BinaryOp.REM, from, size);
      Expr size = Expr.of(axis.size());
      places.addFirst(new Expr.Select(whole, left.apply(size), left.apply(axis.count())));
      rest = new Expr.Select(whole, divided.apply(size), divided.apply(axis.count()));
    }
    return places;
  }

  /** The places that a number stands for; sizes are at least 1. */
  static List<Expr> places(Expr number, List<Expr> sizes) {
    List<Expr> places = new ArrayList<>();
    Expr rest = number;
    for (int i = sizes.size() - 1; i > 0; i--) {
      places.addFirst(KernelCode.binary(BinaryOp.REM, rest, sizes.get(i)));
      rest = KernelCode.binary(BinaryOp.DIV, rest, sizes.get(i));
    }
    places.addFirst(rest);
    return places;
  }
}
