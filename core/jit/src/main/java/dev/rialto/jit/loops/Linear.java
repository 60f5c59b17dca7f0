package dev.rialto.jit.loops;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.Var;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An index as a sum: expressions times constants, and a constant.
 *
 * @param terms each expression with its factor, none of them 0
 * @param constant what is added
 */
public record Linear(Map<Expr, Long> terms, long constant) {
  /**
   * Takes an index apart.
   *
   * @param known variables that stand for other expressions
   */
  public static Linear of(Expr index, Map<Var, Expr> known) {
    Map<Expr, Long> terms = new LinkedHashMap<>();
    long constant = collect(index, 1, known, terms);
    terms.values().removeIf(factor -> factor == 0);
    return new Linear(terms, constant);
  }

  private static long collect(
      Expr index, long factor, Map<Var, Expr> known, Map<Expr, Long> terms) {
    return switch (index) {
      case Const c -> factor * c.bits();
      case Binary(BinaryOp op, Expr x, Expr y) when op == BinaryOp.ADD ->
          collect(x, factor, known, terms) + collect(y, factor, known, terms);
      case Binary(BinaryOp op, Expr x, Expr y) when op == BinaryOp.SUB ->
          collect(x, factor, known, terms) + collect(y, -factor, known, terms);
      case Binary(BinaryOp op, Expr x, Const c) when op == BinaryOp.MUL ->
          collect(x, factor * c.bits(), known, terms);
      case Binary(BinaryOp op, Const c, Expr x) when op == BinaryOp.MUL ->
          collect(x, factor * c.bits(), known, terms);
      case Binary(BinaryOp op, Expr x, Const c) when op == BinaryOp.SHL ->
          collect(x, factor << c.bits(), known, terms);
      case Var v when known.containsKey(v) -> collect(known.get(v), factor, known, terms);
      default -> {
        terms.merge(index, factor, Long::sum);
        yield 0;
      }
    };
  }

  /** Puts the index together again. */
  public Expr expression() {
    Expr sum = Expr.of(constant);
    for (var term : terms.entrySet()) {
      Expr product = Ir.index(BinaryOp.MUL, term.getKey(), Expr.of((long) term.getValue()));
      sum = Ir.index(BinaryOp.ADD, sum, product);
    }
    return sum;
  }
}
