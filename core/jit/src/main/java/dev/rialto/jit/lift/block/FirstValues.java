package dev.rialto.jit.lift.block;

import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes variables where they get the first value that is read, if that is a step of the block
 * itself.
 *
 * <p>A lifted method makes all of its variables in front, with zeros that most never show. In
 * vectors those are steps as any other: half of those in a tile of a matrix product, which made the
 * JVM's compilers give it up.
 */
final class FirstValues {
  private FirstValues() {}

  /** Rewrites the steps of an item. */
  static List<Stmt> apply(List<Stmt> steps) {
    List<Stmt> all = new ArrayList<>();
    steps.forEach(step -> LaneShapes.flatten(step, all));
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i) instanceof Stmt.Let(Var v, Const _)) {
        int first = firstUse(v, all, i + 1);
        if (first < all.size()
            && all.get(first) instanceof Stmt.Assign(Var given, var value)
            && given.equals(v)
            && !Ir.uses(value).contains(v)) {
          all.set(first, new Stmt.Let(v, value));
          all.remove(i--);
        }
      }
    }
    return all;
  }

  private static int firstUse(Var v, List<Stmt> steps, int from) {
    int at = from;
    while (at < steps.size() && !uses(steps.get(at), v)) {
      at++;
    }
    return at;
  }

  private static boolean uses(Stmt step, Var v) {
    return Ir.contains(step, s -> v.equals(Ir.given(s))) || Ir.mentions(step, v::equals);
  }
}
