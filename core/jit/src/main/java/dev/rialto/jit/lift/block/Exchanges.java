package dev.rialto.jit.lift.block;

import dev.rialto.jit.lift.KernelCode;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.List;

/** Exchanges between the items of a subgroup by way of an array, with barriers for the subgroup. */
final class Exchanges {
  private static final Expr LAST_LANE = Expr.of(Stmt.SUBGROUP - 1);

  private final Var local;
  private final List<Stmt> before;

  private Exchanges(Var local, List<Stmt> before) {
    this.local = local;
    this.before = before;
  }

  /**
   * Rewrites steps.
   *
   * @param local the item's number in its block
   * @param before gets the arrays
   */
  static List<Stmt> apply(List<Stmt> steps, Var local, List<Stmt> before) {
    Exchanges exchanges = new Exchanges(local, before);
    return steps.stream()
        .map(s -> Ir.rebuild(s, x -> x instanceof Stmt.Exchange e ? exchanges.of(e) : x))
        .toList();
  }

  private Stmt of(Stmt.Exchange exchange) {
    Var result = exchange.result();
    Expr place = new Binary(BinaryOp.AND, local, LAST_LANE);
    boolean shuffles = exchange.op() == Stmt.ExchangeOp.SHUFFLE;
    Buffer array =
        new Buffer(
            result.name() + "x",
            ItemLoops.storage(result.type()),
            shuffles ? Stmt.SUBGROUP : 1,
            true);
    before.add(new Stmt.Array(array));
    if (shuffles) {
      Expr lane = new Binary(BinaryOp.AND, KernelCode.index(exchange.lane()), LAST_LANE);
      return new Stmt.Block(
          List.of(
              new Stmt.Store(array, place, exchange.value()),
              new Stmt.Barrier(),
              new Stmt.Assign(result, new Expr.Load(array, lane, 1))));
    }
    Expr bits = new Expr.Load(array, Expr.of(0), 1);
    Expr bit = new Binary(BinaryOp.SHL, exchange.value(), KernelCode.convert(Type.I32, place));
    return new Stmt.Block(
        List.of(
            new Stmt.Store(array, Expr.of(0), KernelCode.ZERO),
            new Stmt.Barrier(),
            new Stmt.Store(array, Expr.of(0), new Binary(BinaryOp.OR, bits, bit)),
            new Stmt.Barrier(),
            new Stmt.Assign(result, bits)));
  }
}
