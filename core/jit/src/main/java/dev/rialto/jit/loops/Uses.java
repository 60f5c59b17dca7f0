package dev.rialto.jit.loops;

import dev.rialto.spi.code.Expr;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The variables that an expression uses. */
public final class Uses {
  private Uses() {}

  public static Set<Expr.Var> of(Expr e) {
    Set<Expr.Var> found = new HashSet<>();
    collect(e, found);
    return found;
  }

  private static void collect(Expr e, Set<Expr.Var> found) {
    if (e instanceof Expr.Var v) {
      found.add(v);
    }
    operands(e).forEach(operand -> collect(operand, found));
  }

  private static List<Expr> operands(Expr e) {
    return Ir.operands(e);
  }
}
