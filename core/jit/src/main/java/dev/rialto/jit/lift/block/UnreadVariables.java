package dev.rialto.jit.lift.block;

import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import java.util.Set;

/**
 * Leaves out the variables of items that nothing reads: places in arrays that other forms of them
 * have replaced, and counters of loops.
 */
final class UnreadVariables {
  private UnreadVariables() {}

  /**
   * Rewrites loops over items.
   *
   * @param places the indices of such loops
   */
  static Stmt apply(Stmt body, Set<Var> places) {
    return Ir.rebuild(
        body,
        s ->
            s instanceof Stmt.For(Var v, var from, var to, long step, Stmt item)
                    && places.contains(v)
                ? new Stmt.For(v, from, to, step, without(item))
                : s);
  }

  private static Stmt without(Stmt item) {
    Set<Var> unread = Ir.made(item);
    Ir.expressions(item, e -> unread.removeAll(Ir.uses(e)));
    Ir.walk(
        item,
        s -> {
          if (s instanceof Stmt.Atomic || s instanceof Stmt.Exchange) {
            unread.remove(Ir.given(s));
          }
        });
    return unread.isEmpty()
        ? item
        : without(Ir.rebuild(item, s -> isOf(s, unread) ? Stmt.NOTHING : s));
  }

  private static boolean isOf(Stmt s, Set<Var> variables) {
    return switch (s) {
      case Stmt.Let(Var v, var _) -> variables.contains(v);
      case Stmt.Assign(Var v, var _) -> variables.contains(v);
      default -> false;
    };
  }
}
